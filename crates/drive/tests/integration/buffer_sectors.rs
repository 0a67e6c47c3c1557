//! A buffer whose capacity counts sectors: cases worked by hand. The drive and its times are those of `buffer.rs`; a buffer of 4 KiB holds two
//! pages of four sectors, or eight sectors.

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;
const MEMORY: u64 = 1_000;
const READ: u64 = 71_375;
/// A program of a whole page, and of one sector: 12.8 µs a sector on the bus.
const WRITE: u64 = 251_375;
const SECTOR: u64 = 12_800;
const ONE: u64 = WRITE - 3 * SECTOR;

fn one_plane(buffer: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 4\n[ftl]\nover_provisioning = 0.6\n[buffer]\n{buffer}"
    ))
}

fn eight_sectors(policy: &str, unit: &str, more: &str) -> Config {
    one_plane(&format!(
        "policy = \"{policy}\"\nsize = \"4 KiB\"\nunit = \"{unit}\"\n{more}"
    ))
}

/// So many sectors of a page from its first one.
fn write(page: u64, sectors: u32) -> (HostOp, u64, u32) {
    (HostOp::Write, page * 4, sectors)
}

fn read(page: u64, sectors: u32) -> (HostOp, u64, u32) {
    (HostOp::Read, page * 4, sectors)
}

fn in_turn(commands: &[(HostOp, u64, u32)]) -> Vec<HostCommand> {
    let one = |(index, (op, sector, sectors)): (usize, &(HostOp, u64, u32))| {
        command(index as u64 * LATER, *op, *sector, *sectors)
    };
    commands.iter().enumerate().map(one).collect()
}

fn counts<const N: usize>(output: &RunOutput, keys: [&str; N]) -> [u64; N] {
    keys.map(|key| number(output, key) as u64)
}

const LEFT: [&str; 3] = [
    "buffer.dirty_pages",
    "buffer.evictions_dirty",
    "buffer.writes_waited",
];

/// A sector of each of eight pages fits; the ninth waits until that of the first page is on flash. In pages there is room for two.
#[test]
fn a_page_of_which_a_sector_is_held_takes_a_sector() {
    let commands: Vec<_> = (0..9).map(|page| write(page, 1)).collect();
    for policy in ["fifo", "lru", "slru", "lru_wsr"] {
        let output = replay(&eight_sectors(policy, "sector", ""), in_turn(&commands));
        let found = latencies(&output);
        assert_eq!(found[..8], [MEMORY; 8], "{policy}");
        assert_eq!(found[8], ONE + MEMORY, "{policy}");
        assert_eq!(counts(&output, LEFT), [8, 1, 1], "{policy}");
        let output = replay(&eight_sectors(policy, "page", ""), in_turn(&commands));
        assert_eq!(counts(&output, LEFT), [2, 7, 7], "{policy}");
    }
}

/// Eight sectors are taken, one by each page. Three more of page 0 are a hit that needs three: pages 1, 2 and 3 leave for it, not
/// page 0 itself, which has been used. What is there already needs nothing.
#[test]
fn a_hit_that_adds_sectors_waits_for_room() {
    let mut commands: Vec<_> = (0..8).map(|page| write(page, 1)).collect();
    commands.extend([write(4, 1), write(0, 4), read(0, 4)]);
    let output = replay(&eight_sectors("lru", "sector", ""), in_turn(&commands));
    let found = latencies(&output);
    assert_eq!(found[8..], [MEMORY, 3 * ONE + MEMORY, MEMORY]);
    assert_eq!(counts(&output, LEFT), [5, 3, 1]);
    let keys = ["buffer.write_hits", "buffer.write_misses", "buffer.read_hits"];
    assert_eq!(counts(&output, keys), [2, 8, 1]);
}

/// With one sector free: a whole page of 10 waits for three; a sector of page 11, which would fit, waits behind it, and so does one more of
/// page 6. What is there of page 6 need not wait. The second write to page 10 comes while the first waits.
#[test]
fn what_is_larger_than_what_is_free_is_served_in_its_turn() {
    let mut commands = in_turn(&(0..7).map(|page| write(page, 1)).collect::<Vec<_>>());
    let start = 7 * LATER;
    for (at, (op, sector, sectors)) in [write(10, 4), write(11, 1), write(6, 2), write(6, 1), write(10, 1)]
        .into_iter()
        .enumerate()
    {
        commands.push(command(start + at as u64, op, sector, sectors));
    }
    commands.push(command(start + LATER, HostOp::Read, 40, 4));
    let output = replay(&eight_sectors("lru", "sector", ""), commands);
    let found = latencies(&output);
    // pages leave one after the other, each with a sector
    let after = |programs: u64, since: u64| programs * ONE + MEMORY - since;
    assert_eq!(
        found[7..],
        [after(3, 0), after(4, 1), after(5, 2), MEMORY, after(5, 4), MEMORY]
    );
    // page 10 was not there when its second write came: page 5 has left for that, too. 6, 10 and 11 are left
    assert_eq!(counts(&output, LEFT), [3, 6, 4]);
}

/// Watermarks are shares of the sectors: half is four of them. In pages it is one page of two.
#[test]
fn watermarks_count_sectors() {
    let pages = [0, 1, 2, 3, 4, 5].map(|page| write(page, 1));
    for (unit, more, background, dirty) in [
        ("sector", "dirty_high = 0.5\n", 2, 4),
        ("sector", "dirty_high = 0.5\ndirty_low = 0.25\n", 3, 3),
        ("sector", "dirty_high = 0.0\n", 6, 0),
        ("sector", "dirty_high = 0.75\n", 0, 6),
        ("page", "dirty_high = 0.5\n", 5, 1),
    ] {
        for cache in ["", "read_cache = true\n"] {
            let keys = format!("{cache}{more}");
            let output = replay(&eight_sectors("lru", unit, &keys), in_turn(&pages));
            let keys = ["buffer.background_writes", "buffer.dirty_pages"];
            assert_eq!(counts(&output, keys), [background, dirty], "{unit} {cache}{more}");
        }
    }
}

/// One sector of eight is dirty until its program has ended.
#[test]
fn the_dirty_share_is_one_of_sectors() {
    let commands = in_turn(&[write(0, 1), (HostOp::Flush, 0, 0), read(0, 1)]);
    let output = replay(&eight_sectors("lru", "sector", ""), commands);
    let dirty = (LATER + ONE) as f64 / 1e9;
    let share = number(&output, "buffer.dirty_share.mean");
    assert!(
        (share - dirty / number(&output, "sim.time_s") / 8.0).abs() < 1e-12,
        "{share}"
    );
}

/// Sectors that were read stay: one of each of eight pages, and a ninth makes one leave; of a page that was written in part and
/// is read as a whole the rest is read from flash, and stays too.
#[test]
fn reads_fill_sectors() {
    let mut commands: Vec<_> = (0..10).map(|page| write(page, 4)).collect();
    commands.push((HostOp::Flush, 0, 0));
    commands.extend((0..9).map(|page| read(page, 1)));
    commands.extend((1..9).map(|page| read(page, 1)));
    commands.push(read(0, 1));
    commands.extend([write(9, 1), read(9, 4), read(9, 4)]);
    let output = replay(
        &eight_sectors("lru", "sector", "read_cache = true\n"),
        in_turn(&commands),
    );
    let found = latencies(&output);
    let one = READ - 3 * SECTOR;
    // 9 and 8 are in it as a whole when the reads begin, as the last pages written
    assert_eq!(found[11..19], [one; 8]);
    assert_eq!(found[20..28], [MEMORY; 8]);
    assert_eq!(found[28], one);
    assert_eq!(found[30..], [READ - SECTOR, MEMORY]);
}

/// A TRIM gives the room of its sectors back.
#[test]
fn trimmed_sectors_make_room() {
    let mut commands = vec![write(0, 4), write(1, 4), (HostOp::Trim, 1, 2)];
    commands.extend([write(2, 2), write(3, 1)]);
    let output = replay(&eight_sectors("lru", "sector", ""), in_turn(&commands));
    let found = latencies(&output);
    assert_eq!(found[3], MEMORY);
    // the first page goes with the two sectors that it has left
    assert_eq!(found[4], WRITE - 2 * SECTOR + MEMORY);
    assert_eq!(counts(&output, LEFT), [3, 1, 1]);
}

/// A buffer of a single page: whatever is written, one after the other, finds room.
#[test]
fn a_buffer_of_one_page_takes_everything() {
    for policy in ["fifo", "lru", "slru", "lru_wsr", "fab", "bplru", "bpac"] {
        let config = one_plane(&format!(
            "policy = \"{policy}\"\nsize = \"2 KiB\"\nunit = \"sector\"\n"
        ));
        let commands = (0..60_u64)
            .map(|index| {
                let sectors = 1 + (index * 7 % 9) as u32;
                command(index, HostOp::Write, index * 5 % 90, sectors)
            })
            .collect();
        let output = replay(&config, commands);
        assert_eq!(number(&output, "host.requests"), 60.0, "{policy}");
    }
}

/// Groups are completed as before; the pages of a group keep their room until they are written, trimmed or not.
#[test]
fn a_group_that_waits_for_its_padding_keeps_its_room() {
    let config = eight_sectors("bplru", "sector", "");
    let mut commands = in_turn(&[0, 1, 2, 3].map(|page| write(page, 4)));
    commands.push(command(4 * LATER, HostOp::Flush, 0, 0));
    let start = 5 * LATER;
    // page 0 and one of 1 leave for 8; while 2 and 3 are read, 0 is trimmed: the room of both is free when they are written
    commands.extend([
        command(start, HostOp::Write, 0, 4),
        command(start + LATER, HostOp::Write, 4, 4),
        command(start + 2 * LATER, HostOp::Write, 32, 1),
        command(start + 2 * LATER + 10_000, HostOp::Trim, 0, 4),
        command(start + 3 * LATER, HostOp::Read, 0, 4),
    ]);
    let output = replay(&config, commands);
    let keys = [
        "buffer.padding_writes",
        "host.unmapped_reads",
        "buffer.dirty_pages",
    ];
    assert_eq!(counts(&output, keys), [2, 1, 1]);
    let found = latencies(&output);
    // page 0 is not written any more, and its room is free when the group begins to be written
    assert_eq!(found[7], 2 * READ + MEMORY);
}

/// Five of eight pages are dirty, more than half: a group begins to leave and waits for its padding. Its only dirty page is trimmed
/// meanwhile; then another page is written, so that five are dirty again, none of which is on its way to flash. The next group leaves at
/// once, whether pages or sectors are counted: a read finds both groups' padding, three reads each, before it.
#[test]
fn a_trimmed_page_of_a_group_is_not_under_way() {
    let start = 100 * LATER;
    let mut commands: Vec<_> = in_turn(&(0..28).map(|page| write(page, 4)).collect::<Vec<_>>());
    commands.push(command(start - LATER, HostOp::Flush, 0, 0));
    for (after, (op, sector, sectors)) in [
        (0, write(0, 4)),
        (0, write(4, 4)),
        (0, write(8, 4)),
        (0, write(12, 4)),
        (0, write(16, 4)),
        (20_000, (HostOp::Trim, 0, 4)),
        (40_000, write(20, 4)),
        (60_000, read(25, 4)),
    ] {
        commands.push(command(start + after, op, sector, sectors));
    }
    for unit in ["page", "sector"] {
        let config = one_plane(&format!(
            "policy = \"bplru\"\nsize = \"16 KiB\"\nunit = \"{unit}\"\ngroup_pages = 4\ndirty_high = 0.5\nbackground_limit = 4\n"
        ));
        let found = latencies(&replay(&config, commands.clone()));
        assert_eq!(found.last(), Some(&(7 * READ - 60_000)), "{unit}");
    }
}
