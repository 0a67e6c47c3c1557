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

/// Each of 600 writes is read once; the 256 physical pages are programmed more than twice, and none knows what its last content needed.
#[test]
fn a_page_that_is_programmed_again_knows_no_level() {
    let of_one_page = |index: u64| {
        let at = index * 2 * APART;
        [
            command(at, HostOp::Write, 0, 8),
            command(at + APART, HostOp::Read, 0, 8),
        ]
    };
    let found = attempts(
        &config("start = \"last_level\""),
        (0..600).flat_map(of_one_page).collect(),
    );
    assert_eq!(found, [0.0, 0.0, 600.0]);
}

/// The first read teaches levels 2 and 3 three days: the table at the start, and from then on; what is measured from half of the run on begins
/// with what the table holds then.
#[test]
fn tables_are_told_over_time() {
    let table = "start = \"by_age\"\n[ecc.ldpc.ages]\nperiod = 10";
    let found = replay(&config(table), reads(3, 11)).start_levels;
    assert_eq!(found.level[..6], [2, 3, 4, 5, 6, 7]);
    let days: Vec<&[u16]> = found.start_days.chunks(6).collect();
    // ten successes at level 3 have raised its age by a day
    assert_eq!(
        days,
        [[511; 6], [3, 3, 511, 511, 511, 511], [3, 4, 511, 511, 511, 511]]
    );
    assert_eq!(found.at_ns[0], 0);
    assert!(found.at_ns[6] > 3 * DAY + 2 * APART && found.at_ns[6] < 3 * DAY + 3 * APART);
    assert!(found.class.iter().all(|class| *class == 0) && found.from_cycles.iter().all(|from| *from == 0));
    let none = replay(&config("start = 1"), reads(3, 2)).start_levels;
    assert!(none.at_ns.is_empty());
}

/// With the model of the cells a table begins where the weakest block needs each level: here all pages have a rate of 0.0095, which level 3 reads
/// and level 2 does not, at any age. So every read starts there and succeeds at once.
#[test]
fn a_table_begins_with_the_model_of_the_cells() {
    let table = "start = \"by_age\"\n[ecc.ldpc.ages]\ninitial = \"model\"\nrelax = \"off\"";
    let output = replay(&config(table), reads(3, 8));
    assert_eq!(output.start_levels.start_days, [0, 0, 511, 511, 511, 511]);
    assert_eq!(
        [1, 2, 3].map(|attempts| number(&output, &format!("ecc.attempts.{attempts}.reads"))),
        [8.0, 0.0, 0.0]
    );
}
