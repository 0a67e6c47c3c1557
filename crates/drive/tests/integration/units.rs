//! Mapping units smaller and larger than a page on a drive with a clock: what waits in registers, and what a flush and a write with forced
//! unit access wait for. Worked with the times of `unloaded.rs`: a page of 2 KiB is written in 251.375 µs and read in 71.375 µs.

use wordline_config::Config;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;
const MEMORY: u64 = 1_000;
const WRITE: u64 = 251_375;
const READ: u64 = 71_375;
/// A program without data, or of one sector.
const EMPTY: u64 = WRITE - 4 * SECTOR;
const SECTOR: u64 = 12_800;

fn with_units(unit: &str) -> Config {
    drive(&format!(
        "[geometry]\nblocks_per_plane = 16\n[ftl]\nover_provisioning = 0.6\nmapping_unit = \"{unit}\"\n[allocation]\nmode = \"static\"\n"
    ))
}

fn one_by_one(commands: &[(HostOp, u64, u32, bool)]) -> Vec<HostCommand> {
    let at = |(index, (op, sector, sectors, fua)): (usize, &(HostOp, u64, u32, bool))| HostCommand {
        fua: *fua,
        ..command(index as u64 * LATER, *op, *sector, *sectors)
    };
    commands.iter().enumerate().map(at).collect()
}

/// Two units in a page: a write waits for another in its register, a flush has the page programmed with half of it empty.
#[test]
fn a_flush_programs_half_a_page() {
    let config = with_units("1 KiB");
    let output = replay(
        &config,
        one_by_one(&[
            (HostOp::Write, 0, 2, false),
            (HostOp::Flush, 0, 0, false),
            (HostOp::Flush, 0, 0, false),
            (HostOp::Write, 0, 2, true),
            (HostOp::Read, 0, 2, false),
        ]),
    );
    let half = EMPTY + 2 * SECTOR;
    assert_eq!(
        latencies(&output),
        [MEMORY, MEMORY + half, MEMORY, MEMORY + half, READ - 2 * SECTOR]
    );
    assert_eq!(number(&output, "ftl.padding.host_units"), 2.0);
    assert_eq!(number(&output, "ftl.pages_programmed.host"), 2.0);
}

/// Two pages in a unit: a page alone waits in a register, and is programmed with the other one, which is read if it holds data. The
/// last write closes the register of the one before with a unit of its own: it waits for its own data too.
#[test]
fn a_flush_programs_a_unit() {
    let config = with_units("4 KiB");
    let output = replay(
        &config,
        one_by_one(&[
            (HostOp::Write, 0, 4, false),
            (HostOp::Flush, 0, 0, false),
            (HostOp::Flush, 0, 0, false),
            (HostOp::Write, 4, 4, true),
            (HostOp::Write, 0, 8, false),
            (HostOp::Read, 4, 4, false),
        ]),
    );
    assert_eq!(
        latencies(&output),
        [
            MEMORY,
            // the second page holds no data
            MEMORY + WRITE + EMPTY,
            MEMORY,
            // the first page is read before
            MEMORY + READ + 2 * WRITE,
            // a whole unit goes to flash at once
            2 * WRITE,
            READ,
        ]
    );
    assert_eq!(number(&output, "ftl.pages_programmed.host"), 6.0);
    assert_eq!(number(&output, "ftl.pages_read.host"), 2.0);
}

/// A flush that finds nothing in registers waits for what an earlier one has sent to flash.
#[test]
fn a_flush_waits_for_what_left_the_registers_before() {
    let config = with_units("4 KiB");
    let later = 10_000_000;
    let output = replay(
        &config,
        vec![
            command(0, HostOp::Write, 0, 4),
            command(later, HostOp::Flush, 0, 0),
            command(later + 10_000, HostOp::Flush, 0, 0),
        ],
    );
    let flush = MEMORY + WRITE + EMPTY;
    assert_eq!(latencies(&output), [MEMORY, flush, flush - 10_000]);
}

/// A write with forced unit access that comes when all registers are taken waits for its own unit too, not only for the one that gives way.
#[test]
fn forced_access_waits_for_its_own_unit() {
    let config = with_units("4 KiB");
    let mut commands: Vec<(HostOp, u64, u32, bool)> =
        (0..16).map(|unit| (HostOp::Write, unit * 8, 4, false)).collect();
    commands.push((HostOp::Write, 16 * 8, 4, true));
    commands.push((HostOp::Flush, 0, 0, false));
    let output = replay(&config, one_by_one(&commands));
    let found = latencies(&output);
    assert!(found[..16].iter().all(|latency| *latency == MEMORY));
    assert!(found[16] >= WRITE + EMPTY, "{found:?}");
    // everything is on flash
    assert_eq!(found[17], MEMORY);
    assert_eq!(number(&output, "ftl.pages_programmed.host"), 2.0 * 17.0);
}

/// Units of a command that are on one page are read by one flash command, which brings the sub-pages of all; those of two pages by two; units of two commands are read
/// apart.
#[test]
fn a_page_is_read_once_for_a_command() {
    let mut config = with_units("512 B");
    config.allocation.mode = wordline_ftl::AllocationMode::Dynamic;
    let mut commands = one_by_one(&[
        (HostOp::Write, 0, 4, false),
        (HostOp::Write, 4, 4, false),
        (HostOp::Read, 0, 4, false),
        (HostOp::Read, 1, 2, false),
        (HostOp::Read, 2, 4, false),
    ]);
    let at = 5 * LATER;
    commands.extend([command(at, HostOp::Read, 0, 1), command(at, HostOp::Read, 1, 1)]);
    let output = replay(&config, commands);
    let found = latencies(&output);
    assert_eq!(found[2], READ);
    assert_eq!(found[3], READ - 2 * SECTOR);
    // two pages of two dies, or of two planes of one: half of each is read
    assert!(found[4] >= READ - 2 * SECTOR && found[4] <= 2 * READ);
    assert_eq!(number(&output, "ftl.pages_read.host"), 1.0 + 1.0 + 2.0 + 2.0);
    assert_eq!(number(&output, "host.unmapped_reads"), 0.0);
}

/// However many reads wait at a die, each page of them is read: one of a command is looked for among those that came last, and no other is taken for it.
#[test]
fn reads_of_many_pages_at_once_read_each() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 32\n\
         [ftl]\nover_provisioning = 0.6\nmapping_unit = \"512 B\"\n",
    );
    let pages = 200_u64;
    let writes = (0..pages).map(|page| command(page * LATER, HostOp::Write, page * 4, 4));
    let reads = (0..pages).map(|page| command(pages * LATER, HostOp::Read, page * 4, 4));
    let output = replay(&config, writes.chain(reads).collect());
    assert_eq!(number(&output, "ftl.pages_read.host"), 200.0);
    let longest = latencies(&output).into_iter().max();
    assert!(longest.is_some_and(|time| time > 150 * READ / 2), "{longest:?}");
}

/// A write with forced unit access that fills a page waits for its program alone: half a page in the register of another plane stays there.
#[test]
fn forced_access_that_fills_a_page_programs_no_other_register() {
    let config = with_units("1 KiB");
    let planes = u64::from(config.array_geometry().unwrap().planes());
    let unit = |unit: u64, forced| (HostOp::Write, unit * 2, 2, forced);
    let output = replay(
        &config,
        one_by_one(&[unit(0, false), unit(1, false), unit(planes, true)]),
    );
    assert_eq!(latencies(&output), [MEMORY, MEMORY, WRITE]);
    assert_eq!(number(&output, "ftl.pages_programmed.host"), 1.0);
}

/// A buffer of 16 mapping units before one die, and 60 units that are written at once: besides those of the buffer and of the open register, each
/// write waits for the program that makes room for it. Four of them are brought to flash by `programs` programs, one after the other.
fn takes_room_until_programmed(unit: &str, buffer: &str, sectors: u32, programs: u64) {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 64\npages_per_block = 16\n\
         [ftl]\nover_provisioning = 0.6\nmapping_unit = \"{unit}\"\n[allocation]\nmode = \"static\"\n\
         [buffer]\npolicy = \"lru\"\n{buffer}\ncapacitor = true\n"
    ));
    let writes = (0..60)
        .map(|index| command(0, HostOp::Write, index * u64::from(sectors), sectors))
        .collect();
    let taken = latencies(&replay(&config, writes));
    let held = 16 + 3;
    assert!(taken[..16].iter().all(|latency| *latency < 100_000), "{taken:?}");
    for (index, latency) in taken.iter().enumerate().skip(held) {
        let before = (index + 1 - held).div_ceil(4) as u64 * programs;
        assert!(*latency >= 200_000 * before, "write {index} of {taken:?}");
    }
    // no room is lost, and none is made twice
    let last = taken.last().copied().unwrap_or(0);
    assert!(last < 15 * WRITE * programs, "{last}");
}

/// Four units of 512 B in a page.
#[test]
fn units_that_are_being_programmed_take_room_in_the_buffer() {
    takes_room_until_programmed("512 B", "size = \"8 KiB\"", 1, 1);
}

/// The same where the buffer counts sectors.
#[test]
fn sectors_that_are_being_programmed_take_room_in_the_buffer() {
    takes_room_until_programmed("512 B", "unit = \"sector\"\nsize = \"8 KiB\"", 1, 1);
}

/// Four pages of 2 KiB in a unit, which is programmed page by page.
#[test]
fn pages_of_a_unit_that_is_being_programmed_take_room_in_the_buffer() {
    takes_room_until_programmed("8 KiB", "size = \"32 KiB\"", 4, 4);
}
