//! The data buffer in whole drives: worked examples, acknowledgement, watermarks, TRIM, sub-pages.

use wordline_config::Config;
use wordline_drive::RunOutput;

use crate::common::{command, drive, latencies, number, replay};
use wordline_metrics::Part;
use wordline_workload::{HostCommand, HostOp};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;
/// Time to serve a page from the buffer, to read one from flash, and to write one.
const MEMORY: u64 = 1_000;
const READ: u64 = 71_375;
const WRITE: u64 = 251_375;

/// One plane with blocks of four pages of four sectors, and a buffer.
fn one_plane(buffer: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 4\n[ftl]\nover_provisioning = 0.6\n[buffer]\n{buffer}"
    ))
}

/// A whole page.
fn write(page: u64) -> (HostOp, u64, u32) {
    (HostOp::Write, page * 4, 4)
}

fn read(page: u64) -> (HostOp, u64, u32) {
    (HostOp::Read, page * 4, 4)
}

const FLUSH: (HostOp, u64, u32) = (HostOp::Flush, 0, 0);

/// Commands that come one after another.
fn in_turn(commands: &[(HostOp, u64, u32)]) -> Vec<HostCommand> {
    commands
        .iter()
        .enumerate()
        .map(|(index, (op, sector, sectors))| command(index as u64 * LATER, *op, *sector, *sectors))
        .collect()
}

fn run(config: &Config, commands: &[(HostOp, u64, u32)]) -> RunOutput {
    replay(config, in_turn(commands))
}

/// Memory that takes no time: a write and its read end at once, a read of what the buffer does not hold takes 71.375 us.
/// The means are over all three, or both, requests of a class.
#[test]
fn requests_that_take_no_time_count_in_the_attribution() {
    let config = one_plane("policy = \"lru\"\nsize = \"2 KiB\"\naccess = \"0 ns\"\n");
    // the second write evicts the first page, which the last read finds on flash
    let output = run(&config, &[write(0), write(1), read(1), read(1), read(0)]);
    assert_eq!(latencies(&output)[2..], [0, 0, READ]);
    let parts = |class: &str| -> f64 {
        let prefix = format!("attribution.{class}.");
        let keys = output.summary.iter().map(|(key, _)| key.to_owned());
        keys.filter(|key| key.starts_with(&prefix))
            .map(|key| number(&output, &key))
            .sum()
    };
    assert!(
        (parts("read") - READ as f64 / 3e3).abs() < 1e-9,
        "{}",
        parts("read")
    );
    assert!((number(&output, "host.read.latency.mean_us") - READ as f64 / 3e3).abs() < 1e-9);
    let table = &output.attribution;
    let of_reads = |row: &usize| table.class[*row] == 0;
    let mut bands: Vec<_> = (0..table.band.len())
        .filter(of_reads)
        .map(|row| (table.band[row], table.requests[row], table.latency_mean_us[row]))
        .collect();
    bands.dedup();
    assert_eq!(bands.iter().map(|band| band.1).sum::<u64>(), 3, "{bands:?}");
    // those without time have one part, the controller's memory
    let timeless = (0..table.band.len()).find(|row| of_reads(row) && table.latency_mean_us[*row] == 0.0);
    let part = timeless.map(|row| (table.requests[row], usize::from(table.part[row])));
    assert_eq!(part, Some((2, Part::Memory.index())));
}

fn counts<const N: usize>(output: &RunOutput, keys: [&str; N]) -> [u64; N] {
    keys.map(|key| number(output, key) as u64)
}

/// FTL specification, section 7: capacity 4, 4 pages in a group, writes 0, 1, 2, 5, 0, 9 on a drive
/// that holds all pages; the last one evicts.
fn worked_example(policy: &str) -> RunOutput {
    let mut commands: Vec<_> = (0..12).map(write).collect();
    commands.push(FLUSH);
    commands.extend([0, 1, 2, 5, 0, 9].map(write));
    run(
        &one_plane(&format!("policy = \"{policy}\"\nsize = \"8 KiB\"\n")),
        &commands,
    )
}

#[test]
fn bplru_pads_the_block_that_it_evicts() {
    let output = worked_example("bplru");
    // blocks 0 and 1 of the first pass were written in sequence and left whole
    let keys = [
        "buffer.groups_evicted",
        "buffer.padding_reads",
        "buffer.padding_writes",
    ];
    assert_eq!(counts(&output, keys), [3, 3, 3]);
    let keys = [
        "host.page_writes",
        "ftl.pages_programmed.host",
        "ftl.pages_programmed.padding",
        "ftl.pages_read.padding",
    ];
    // 12 pages of the first pass and page 5; with it 4, 6 and 7
    assert_eq!(counts(&output, keys), [13, 13, 3, 3]);
    assert_eq!(number(&output, "buffer.dirty_pages"), 4.0);
    // the write of 9 waits for three reads and then four programs, and is acknowledged when the
    // first page of the block, the one that was its own, is on flash
    let last = *latencies(&output).last().unwrap();
    assert!(last > 3 * 20_000 + WRITE, "{last}");
}

#[test]
fn the_worked_example_of_the_other_policies() {
    // pages that left at the sixth write; the first pass leaves 12 pages one way or the other
    for (policy, evicted) in [("fifo", 1), ("lru", 1), ("slru", 1), ("fab", 3), ("bpac", 2)] {
        let output = worked_example(policy);
        assert_eq!(
            number(&output, "host.page_writes"),
            12.0 + f64::from(evicted),
            "{policy}"
        );
        assert_eq!(
            number(&output, "buffer.dirty_pages"),
            5.0 - f64::from(evicted),
            "{policy}"
        );
        assert_eq!(number(&output, "ftl.pages_programmed.padding"), 0.0, "{policy}");
    }
}

/// A padding page that the host writes or trims while it is read must not replace newer data: the
/// audit follows every version.
#[test]
fn padding_never_overtakes_the_host() {
    let config =
        one_plane("policy = \"bplru\"\nsize = \"32 KiB\"\ndirty_high = 0.25\nbackground_limit = 1\n");
    let mut commands = in_turn(&(0..12).map(write).chain([FLUSH]).collect::<Vec<_>>());
    let start = commands.len() as u64 * LATER;
    // with 9 there are too many: {5} goes; 4 is being read when the host writes it, 6 when it is
    // trimmed. Then {0, 1, 2} goes, and 3 with it
    for (at, (op, sector, sectors)) in [0, 1, 2, 5, 0, 9].map(write).into_iter().enumerate() {
        commands.push(command(start + at as u64, op, sector, sectors));
    }
    commands.push(command(start + 10_000, HostOp::Write, 16, 4));
    commands.push(command(start + 20_000, HostOp::Trim, 24, 4));
    commands.push(command(start + LATER, HostOp::Flush, 0, 0));
    commands.push(command(start + 2 * LATER, HostOp::Read, 24, 4));
    let output = replay(&config, commands);
    let keys = ["buffer.padding_reads", "buffer.padding_writes"];
    assert_eq!(counts(&output, keys), [4, 2], "only 7 and 3 are copied");
    assert_eq!(number(&output, "host.unmapped_reads"), 1.0);
}

/// DLV specification, section 8, capacity 3 and a window of 2: W1 R2 R3 R4 R1 W4 R5.
#[test]
fn clean_pages_enter_on_reads() {
    for (policy, keys, [read_hits, dirty, clean]) in [
        ("lru", "", [0, 1, 2]),
        ("cflru", "window = 0.67\n", [1, 0, 2]),
        // 4 and 1 are hot, 2 and 3 left clean
        ("lru_wsr", "", [1, 0, 2]),
        ("ccf_lru", "", [1, 0, 2]),
        ("pt_lru", "", [1, 0, 2]),
    ] {
        // the pages are on flash; pages of no further use, gone again, leave the buffer empty
        let mut commands: Vec<_> = (1..6).chain(20..30).map(write).collect();
        commands.push((HostOp::Trim, 80, 40));
        let before = commands.len();
        commands.extend([write(1), read(2), read(3), read(4), read(1), write(4), read(5)]);
        let config = one_plane(&format!(
            "policy = \"{policy}\"\nsize = \"6 KiB\"\nread_cache = true\n{keys}"
        ));
        let keys = [
            "buffer.read_hits",
            "buffer.evictions_dirty",
            "buffer.evictions_clean",
        ];
        let past = counts(&run(&config, &commands[..before]), keys);
        let all = counts(&run(&config, &commands), keys);
        let found = [all[0] - past[0], all[1] - past[1], all[2] - past[2]];
        assert_eq!(found, [read_hits, dirty, clean], "{policy}");
    }
}

#[test]
fn a_page_that_was_read_is_read_from_memory_the_next_time() {
    let commands = [
        write(0),
        FLUSH,
        write(9),
        (HostOp::Trim, 36, 4),
        read(0),
        read(0),
        (HostOp::Read, 1, 2),
    ];
    let keys = "policy = \"fifo\"\nsize = \"1 MiB\"\n";
    let output = run(&one_plane(keys), &commands);
    assert_eq!(latencies(&output)[4..6], [READ, READ], "without a read cache");
    let output = run(&one_plane(&format!("{keys}read_cache = true\n")), &commands);
    // flushed pages stay, clean
    assert_eq!(latencies(&output)[4..], [MEMORY, MEMORY, MEMORY]);
    let small = one_plane("policy = \"fifo\"\nsize = \"2 KiB\"\nread_cache = true\n");
    let output = run(
        &small,
        &[write(0), FLUSH, write(1), FLUSH, read(0), read(0), read(1)],
    );
    assert_eq!(latencies(&output)[4..], [READ, MEMORY, READ]);
    assert_eq!(
        counts(&output, ["buffer.pages_filled", "buffer.evictions_clean"]),
        [2, 3]
    );
}

#[test]
fn forced_access_and_flush_wait_for_flash_unless_a_capacitor_helps() {
    let forced = |at| HostCommand {
        fua: true,
        ..command(at, HostOp::Write, 0, 4)
    };
    let commands = vec![
        forced(0),
        command(LATER, HostOp::Write, 4, 4),
        command(2 * LATER, HostOp::Flush, 0, 0),
        command(3 * LATER, HostOp::Flush, 0, 0),
    ];
    for read_cache in [false, true] {
        let keys = format!("policy = \"lru\"\nsize = \"1 MiB\"\nread_cache = {read_cache}\n");
        let output = replay(&one_plane(&keys), commands.clone());
        assert_eq!(latencies(&output), [WRITE, MEMORY, WRITE, MEMORY]);
        assert_eq!(counts(&output, ["buffer.flushes", "buffer.dirty_pages"]), [2, 0]);
        let output = replay(&one_plane(&format!("{keys}capacitor = true\n")), commands.clone());
        assert_eq!(latencies(&output), [MEMORY; 4]);
        assert_eq!(counts(&output, ["buffer.flushes", "buffer.dirty_pages"]), [0, 2]);
    }
}

/// A flush covers what is dirty when it comes: a page written again while it is on its way follows,
/// but the flush does not wait for it.
#[test]
fn a_flush_does_not_wait_for_what_comes_after_it() {
    let config = one_plane("policy = \"lru\"\nsize = \"1 MiB\"\n");
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        command(10_000, HostOp::Flush, 0, 0),
        command(20_000, HostOp::Write, 0, 4),
        command(30_000, HostOp::Flush, 0, 0),
    ];
    let output = replay(&config, commands);
    assert_eq!(
        latencies(&output),
        [MEMORY, WRITE, MEMORY, 10_000 + WRITE - 30_000 + WRITE]
    );
}

#[test]
fn background_writes_keep_the_share_of_dirty_pages_between_the_marks() {
    for (more, background, dirty) in [
        ("", 0, 5),
        ("dirty_high = 0.5\n", 1, 4),
        ("dirty_high = 0.5\ndirty_low = 0.25\n", 3, 2),
        ("dirty_high = 0.5\ndirty_low = 0.25\nbackground_limit = 3\n", 3, 2),
        ("dirty_high = 0.0\n", 5, 0),
    ] {
        for policy in ["fifo", "lru", "slru", "fab", "bpac"] {
            let cached = if ["fab", "bpac"].contains(&policy) {
                ""
            } else {
                "read_cache = true\n"
            };
            for cache in ["", cached] {
                let keys =
                    format!("policy = \"{policy}\"\nsize = \"16 KiB\"\ngroup_pages = 1\n{cache}{more}");
                let output = run(&one_plane(&keys), &[0, 10, 20, 30, 40].map(write));
                let keys = ["buffer.background_writes", "buffer.dirty_pages"];
                assert_eq!(
                    counts(&output, keys),
                    [background, dirty],
                    "{policy} {cache}{more}"
                );
                assert_eq!(latencies(&output), [MEMORY; 5]);
            }
        }
    }
    // the oldest writes go first, and the pages can be read from the buffer
    let keys = "policy = \"lru\"\nsize = \"16 KiB\"\nread_cache = true\ndirty_high = 0.25\n";
    let output = run(
        &one_plane(keys),
        &[write(0), write(1), write(0), write(2), read(1), read(0)],
    );
    assert_eq!(number(&output, "buffer.background_writes"), 1.0);
    assert_eq!(latencies(&output), [MEMORY; 6]);
}

/// Mean share: one page of four, dirty from 0 to the end of its program at 10 ms + 0.25 ms.
#[test]
fn the_dirty_share_is_a_mean_over_time() {
    let config = one_plane("policy = \"lru\"\nsize = \"8 KiB\"\n");
    let output = run(&config, &[write(0), FLUSH, read(0)]);
    let end = number(&output, "sim.time_s");
    let dirty = (LATER + WRITE) as f64 / 1e9;
    let share = number(&output, "buffer.dirty_share.mean");
    assert!((share - dirty / end / 4.0).abs() < 1e-12, "{share}");
}

/// Writes wait in the order of their arrival when the buffer is full.
#[test]
fn a_full_buffer_holds_writes_back() {
    let config = one_plane("policy = \"lru\"\nsize = \"2 KiB\"\n");
    let output = replay(
        &config,
        (0..3)
            .map(|page| command(0, HostOp::Write, page * 4, 4))
            .collect(),
    );
    assert_eq!(latencies(&output), [MEMORY, WRITE + MEMORY, 2 * WRITE + MEMORY]);
    assert_eq!(
        counts(&output, ["buffer.writes_waited", "buffer.evictions_dirty"]),
        [2, 2]
    );
}

/// A buffer of one page: the second write waits for the program of the first, and what comes behind it passes it, or waits behind it. A read of what is in the buffer,
/// one of what is nowhere, a TRIM, and a write to the page that the buffer has.
#[test]
fn commands_pass_writes_without_room_or_are_taken_up_in_order() {
    let times = |when_full: &str, op: HostOp, page: u64| {
        let keys = format!("policy = \"lru\"\nsize = \"2 KiB\"\nwhen_full = \"{when_full}\"\n");
        let commands = [
            command(0, HostOp::Write, 0, 4),
            command(0, HostOp::Write, 4, 4),
            command(0, op, page * 4, 4),
            command(0, HostOp::Read, 0, 4),
        ];
        let output = replay(&one_plane(&keys), commands.to_vec());
        latencies(&output)[1..].to_vec()
    };
    let behind = WRITE + MEMORY;
    // the first page has left the buffer by the time that the second has its place
    let from_flash = WRITE + READ;
    for (op, page, waits) in [
        (HostOp::Read, 0, from_flash),
        (HostOp::Read, 7, behind),
        (HostOp::Trim, 7, behind),
    ] {
        assert_eq!(times("pass", op, page), [behind, MEMORY, MEMORY], "{op:?}");
        let in_order = times("in_order", op, page);
        assert_eq!(in_order[..2], [behind, waits], "{op:?}");
        assert!(in_order[2] >= from_flash, "{in_order:?}");
    }
    // a write to the page that the buffer has needs no room; the page is programmed twice before the other write has some
    for when_full in ["pass", "in_order"] {
        assert_eq!(times(when_full, HostOp::Write, 0)[..2], [behind + WRITE, MEMORY]);
    }
}

/// Pages are written back from the second dirty one on: the second write begins a program, and the third and fourth find one under way, which is as many as may be.
#[test]
fn a_write_with_which_a_program_begins_waits_for_it_or_not() {
    let times = |write_back: &str| {
        let watermarks = "dirty_high = 0.25\ndirty_low = 0.25\nbackground_limit = 1\n";
        let keys = format!("policy = \"lru\"\nsize = \"8 KiB\"\n{watermarks}write_back = \"{write_back}\"\n");
        let commands = (0..4).map(|page| command(0, HostOp::Write, page * 4, 4));
        let output = replay(&one_plane(&keys), commands.collect());
        latencies(&output)
    };
    assert_eq!(times("behind"), [MEMORY; 4]);
    assert_eq!(times("inline"), [MEMORY, WRITE, MEMORY, MEMORY]);
}

#[test]
fn trimmed_pages_leave_the_buffer() {
    let commands = [write(0), (HostOp::Trim, 0, 4), read(0)];
    for read_cache in [false, true] {
        let keys = format!("policy = \"lru\"\nsize = \"1 MiB\"\nread_cache = {read_cache}\n");
        let output = run(&one_plane(&keys), &commands);
        assert_eq!(
            counts(&output, ["host.unmapped_reads", "host.page_writes"]),
            [1, 0]
        );
        // on flash and, with a read cache, clean in the buffer
        let output = run(
            &one_plane(&keys),
            &[write(0), FLUSH, (HostOp::Trim, 0, 4), read(0)],
        );
        assert_eq!(
            counts(&output, ["host.unmapped_reads", "buffer.read_hits"]),
            [1, 0]
        );
    }
    // a drive that ignores TRIM keeps what was written
    let ignoring = one_plane("policy = \"lru\"\nsize = \"1 MiB\"\n[ftl.trim]\nenabled = false\n");
    let output = run(&ignoring, &commands);
    assert_eq!(
        counts(&output, ["host.unmapped_reads", "buffer.read_hits"]),
        [0, 1]
    );
}

/// The sectors of a clean page that a TRIM leaves are still read from the buffer.
#[test]
fn a_trim_of_some_sectors_leaves_the_others_in_the_read_cache() {
    let config = one_plane("policy = \"lru\"\nsize = \"1 MiB\"\nread_cache = true\n");
    let commands = [
        write(0),
        FLUSH,
        (HostOp::Trim, 0, 2),
        (HostOp::Read, 2, 2),
        (HostOp::Read, 0, 2),
    ];
    let output = run(&config, &commands);
    assert_eq!(
        counts(&output, ["buffer.read_hits", "host.unmapped_reads"]),
        [1, 1]
    );
}

/// A TRIM that waits for a write under way must not be undone by the copy in the read cache.
#[test]
fn a_trim_that_waits_takes_the_clean_copy_along() {
    let config = one_plane("policy = \"lru\"\nsize = \"1 MiB\"\nread_cache = true\n");
    for (sector, sectors) in [(0, 4), (0, 8), (1, 2)] {
        let commands = vec![
            command(0, HostOp::Write, 0, 8),
            command(10_000, HostOp::Flush, 0, 0),
            command(20_000, HostOp::Trim, sector, sectors),
            command(30_000, HostOp::Write, 3, 1),
            command(40_000, HostOp::Flush, 0, 0),
            command(LATER, HostOp::Read, sector, 1),
        ];
        let output = replay(&config, commands);
        assert_eq!(number(&output, "host.unmapped_reads"), 1.0, "{sector} {sectors}");
    }
}

/// What the buffer holds of flash goes with the new sub-pages: no read for an un-covered update.
#[test]
fn a_read_before_saves_the_read_of_an_un_covered_update() {
    let commands = [
        write(0),
        FLUSH,
        write(1),
        FLUSH,
        read(0),
        (HostOp::Write, 1, 1),
        FLUSH,
    ];
    for (read_cache, uncovered) in [(false, 1), (true, 0)] {
        let keys = format!("policy = \"lru\"\nsize = \"2 KiB\"\nread_cache = {read_cache}\n");
        let output = run(&one_plane(&keys), &commands);
        assert_eq!(
            number(&output, "ftl.uncovered_updates"),
            f64::from(uncovered),
            "{read_cache}"
        );
    }
}

#[test]
fn a_reconstructed_policy_is_reported() {
    let keys = |policy: &str| format!("policy = \"{policy}\"\n");
    let noted = |policy: &str| {
        let output = run(&one_plane(&keys(policy)), &[write(0)]);
        output
            .notes
            .iter()
            .any(|note| note.key == "buffer" && note.text.contains("reconstructed"))
    };
    assert!(noted("pt_lru") && noted("bpac"));
    assert!(!noted("ccf_lru") && !noted("fab"));
}

/// Pages that are trimmed while the background writes back one after the other are not among those that it takes next: of five dirty pages the oldest is
/// under way when two go, and of the two others one has to follow.
#[test]
fn a_trimmed_page_is_not_written_in_the_background() {
    for policy in ["fifo", "lru", "cflru", "slru"] {
        let config = one_plane(&format!(
            "policy = \"{policy}\"\nsize = \"16 KiB\"\nread_cache = true\ndirty_high = 0.5\ndirty_low = 0.125\nbackground_limit = 1\n"
        ));
        let mut commands: Vec<HostCommand> = (0..5)
            .map(|page| command(page * 2_000, HostOp::Write, page * 4, 4))
            .collect();
        commands.push(command(20_000, HostOp::Trim, 4, 8));
        let output = replay(&config, commands);
        let keys = ["buffer.background_writes", "buffer.dirty_pages"];
        assert_eq!(counts(&output, keys), [2, 1], "{policy}");
        assert_eq!(number(&output, "ftl.pages_programmed.host"), 2.0);
    }
}
