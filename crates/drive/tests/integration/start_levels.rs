//! Reads of whole drives that start where earlier reads have taught them to.

use wordline_config::Config;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, number, replay};

/// One die of 16 blocks of 16 pages of 4 KiB, in which every page needs level 3.
fn config(ldpc: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [ftl]\nover_provisioning = 0.6\n[cell.process_variation]\nsd = 0.0\n\
         [cell.rber]\nmodel = \"fixed\"\nrate = 0.0095\n[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\n{ldpc}\n"
    ))
}

const DAY: u64 = 86_400_000_000_000;
/// Nothing overlaps.
const APART: u64 = 10_000_000;

/// Writes two pages, and reads them in turn from `days` later on.
fn reads(days: u64, count: u64) -> Vec<HostCommand> {
    let writes = (0..2).map(|page| command(page * APART, HostOp::Write, page * 8, 8));
    let reads =
        (0..count).map(|read| command(days * DAY + (2 + read) * APART, HostOp::Read, read % 2 * 8, 8));
    writes.chain(reads).collect()
}

/// Reads by the number of their attempts, from one on.
fn attempts(config: &Config, commands: Vec<HostCommand>) -> [f64; 3] {
    let output = replay(config, commands);
    [1, 2, 3].map(|attempts| number(&output, &format!("ecc.attempts.{attempts}.reads")))
}

/// The first read goes from level 1 to 3 and teaches it for data of three days; the others start there, and after 10 successes
/// at once one starts at level 2 and teaches it again.
#[test]
fn an_age_is_learned_and_relaxed() {
    let table = "start = \"by_age\"\n[ecc.ldpc.ages]\nperiod = 10";
    assert_eq!(attempts(&config(table), reads(3, 1)), [0.0, 0.0, 1.0]);
    assert_eq!(attempts(&config(table), reads(3, 11)), [10.0, 0.0, 1.0]);
    assert_eq!(attempts(&config(table), reads(3, 12)), [10.0, 1.0, 1.0]);
    assert_eq!(attempts(&config(table), reads(3, 34)), [30.0, 3.0, 1.0]);
    let kept = "start = \"by_age\"\n[ecc.ldpc.ages]\nperiod = 10\nrelax = \"off\"";
    assert_eq!(attempts(&config(kept), reads(3, 34)), [33.0, 0.0, 1.0]);
}

/// A given table: three days start at level 2, four at level 3.
#[test]
fn a_given_table_is_used_by_age() {
    let table = "start = \"by_age\"\n[ecc.ldpc.ages]\nrelax = \"off\"\ninitial = [3, 4, 200, 200, 200, 200]";
    assert_eq!(attempts(&config(table), reads(2, 1)), [0.0, 0.0, 1.0]);
    assert_eq!(attempts(&config(table), reads(3, 1)), [0.0, 1.0, 0.0]);
    assert_eq!(attempts(&config(table), reads(4, 5)), [5.0, 0.0, 0.0]);
}

/// Each page learns by itself, and forgets when it is programmed again.
#[test]
fn a_page_starts_at_its_last_level() {
    let config = config("start = \"last_level\"");
    assert_eq!(attempts(&config, reads(0, 8)), [6.0, 0.0, 2.0]);
    let mut commands = reads(0, 4);
    commands.push(command(7 * APART, HostOp::Write, 0, 8));
    commands.push(command(8 * APART, HostOp::Read, 0, 8));
    commands.push(command(9 * APART, HostOp::Read, 8, 8));
    assert_eq!(attempts(&config, commands), [3.0, 0.0, 3.0]);
}
