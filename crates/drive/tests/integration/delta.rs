//! Overwrites as deltas on a drive with a clock. Worked with the times of `unloaded.rs`: a page of 2 KiB is written in 251.375 µs and read in
//! 71.375 µs; at 619 MHz it is encoded in 27 212 / 2 cycles and decoded in 6737 / 2.

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;
const MEMORY: u64 = 1_000;
const WRITE: u64 = 251_375;
const READ: u64 = 71_375;
const ENCODE: u64 = 21_981;
const DECODE: u64 = 5_442;

fn with_deltas(keys: &str) -> Config {
    drive(&format!(
        "[geometry]\nblocks_per_plane = 32\n[ftl]\nmapping = \"delta\"\nover_provisioning = 0.6\n[ftl.gc]\nreserve_blocks = 2\nhard = 3.0\n\
         low = 3.0\nhigh = 4.0\n[ftl.delta]\nratio = 0.2\n{keys}"
    ))
}

fn one_by_one(config: &Config, commands: &[(HostOp, u64, u32, bool)]) -> RunOutput {
    let at = |(index, (op, sector, sectors, fua)): (usize, &(HostOp, u64, u32, bool))| HostCommand {
        fua: *fua,
        ..command(index as u64 * LATER, *op, *sector, *sectors)
    };
    replay(config, commands.iter().enumerate().map(at).collect())
}

/// The base is read and encoded; the delta is in the controller until a flush, or a write with forced unit access. Then the page of deltas is on
/// another die than the base, and both are read at the same time.
#[test]
fn a_delta_is_made_and_applied() {
    let output = one_by_one(
        &with_deltas("read_hot_threshold = 100"),
        &[
            (HostOp::Write, 0, 4, false),
            (HostOp::Write, 0, 4, false),
            (HostOp::Read, 0, 4, false),
            (HostOp::Flush, 0, 0, false),
            (HostOp::Read, 0, 4, false),
            (HostOp::Write, 0, 4, true),
        ],
    );
    assert_eq!(
        latencies(&output),
        [
            WRITE,
            READ + ENCODE,
            READ + DECODE,
            MEMORY + WRITE,
            READ + DECODE,
            READ + ENCODE + WRITE,
        ]
    );
    assert_eq!(number(&output, "ftl.delta.writes"), 2.0);
    assert_eq!(number(&output, "ftl.delta.superseded"), 1.0);
    assert_eq!(number(&output, "ftl.delta.reads_in_memory"), 1.0);
    assert_eq!(number(&output, "ftl.pages_programmed.delta"), 2.0);
    assert_eq!(number(&output, "ftl.pages_read.delta"), 5.0);
}

/// Two pages are encoded at the same time: one after the other, or with two codecs both at once.
#[test]
fn pages_take_their_turn_at_the_codec() {
    for (codecs, second) in [(1, 2 * ENCODE), (2, ENCODE)] {
        let config = with_deltas(&format!("codecs = {codecs}"));
        let at = |at, sector| command(at, HostOp::Write, sector, 4);
        let output = replay(
            &config,
            vec![at(0, 0), at(LATER, 4), at(2 * LATER, 0), at(2 * LATER, 4)],
        );
        assert_eq!(
            latencies(&output),
            [WRITE, WRITE, READ + ENCODE, READ + second],
            "{codecs} codecs"
        );
    }
}

/// A delta that nothing follows is on flash a millisecond later, with `temp_max_age`, so that the page is read in two flash reads; without, it stays in the
/// controller.
#[test]
fn a_page_of_deltas_is_programmed_by_age() {
    let write = (HostOp::Write, 0, 4, false);
    let commands = [write, write, (HostOp::Read, 0, 4, false)];
    for (age, programs) in [
        ("", 0.0),
        ("temp_max_age = \"1 ms\"", 1.0),
        ("temp_max_age = \"50 ms\"", 0.0),
    ] {
        let output = one_by_one(&with_deltas(age), &commands);
        assert_eq!(number(&output, "ftl.delta.writes"), 1.0, "{age}");
        assert_eq!(number(&output, "ftl.delta.log_programs"), programs, "{age}");
        assert_eq!(
            number(&output, "ftl.delta.reads_in_memory"),
            1.0 - programs,
            "{age}"
        );
    }
}

/// A drive that is overwritten several times over, audited.
#[test]
fn a_drive_under_load_passes_the_audit() {
    let mut config = with_deltas("read_hot_threshold = 2\nscan_interval_writes = 500\ncounted_pages = 300");
    config.geometry.channels = 1;
    config.geometry.chips_per_channel = 1;
    config.geometry.blocks_per_plane = 24;
    let mut state = 9_u64;
    let commands = (0..30_000).map(|at| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = state >> 33;
        let page = if draw.is_multiple_of(3) {
            draw / 7 % 2000
        } else {
            draw / 7 % 60
        };
        let op = if (draw / 3).is_multiple_of(5) {
            HostOp::Read
        } else {
            HostOp::Write
        };
        command(at * 100_000, op, page * 4, 4)
    });
    let output = replay(&config, commands.collect());
    for key in ["merges.read_hot", "log_programs", "superseded", "dropped"] {
        assert!(number(&output, &format!("ftl.delta.{key}")) > 0.0, "{key}");
    }
    assert!(number(&output, "ftl.gc.victims") > 10.0);
}
