//! Word lines that are programmed as wholes: how long that takes, where pages of open word lines are read from, and what is refused.

use wordline_config::{Config, DriveSource, resolve};
use wordline_units::Seed;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const SECTORS: u64 = 8;
const MS: u64 = 1_000_000;
/// A page of 4 KiB on the bus, ns.
const TRANSFER: f64 = 20_480.0;
const T_R: u64 = 60_000;
const T_PROG: f64 = 700e3;
const T_DBSY: f64 = 500.0;

/// One plane whose buffer hands every page on at once.
fn plane(cell: &str, program: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 72\npage_size = \"4 KiB\"\ncell_type = \"{cell}\"\n\
         [timing]\nt_r = \"60 us\"\nt_prog = \"700 us\"\nt_bers = \"4 ms\"\ntransfer_rate = \"200 MT/s\"\nt_cad = \"0 ns\"\n\
         [nand]\nprogram = \"{program}\"\n\
         [buffer]\npolicy = \"fifo\"\nsize = \"16 KiB\"\ncapacitor = true\ndirty_high = 0.0\ndirty_low = 0.0\n\
         [ftl]\nover_provisioning = 0.28\n"
    ))
}

/// The same with an SLC cache of eight blocks before it, to which all writes go.
fn cached_plane(cell: &str, program: &str) -> Config {
    let mut config = plane(cell, program);
    let cache = drive(
        "[[modes]]\nname = \"slc\"\nt_r = \"25 us\"\nt_prog = \"200 us\"\n[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 8\nwhen_full = \"fold\"\n",
    );
    config.modes = cache.modes;
    config.ftl.slc_cache = cache.ftl.slc_cache;
    config.ftl.over_provisioning = 0.6;
    config
}

/// Pages of the cache are programmed one by one, and folding programs word lines as wholes: a write that waits for the cache takes a program of the cache, and its share
/// of the read, the word line and the erase of a block. To 2 %; pages of the cache are read from their cells however few its block holds.
#[test]
fn an_slc_cache_is_folded_into_word_lines() {
    let (slc_prog, slc_read, erase) = (200e3, 25e3, 4e6);
    for (cell, bits) in [("tlc", 3), ("qlc", 4)] {
        let slc_pages = 72 / bits;
        let cached = 8 * slc_pages;
        let write = TRANSFER + slc_prog;
        let finish = |writes: u64, program: &str| {
            let commands = (0..writes).map(|number| page(0, HostOp::Write, number)).collect();
            let output = run(
                &cached_plane(cell, program),
                commands,
                Admission::ClosedLoop { depth: 4 },
            );
            let last = output.requests.completed_ns.iter().max().copied().unwrap_or(0);
            (last as f64, output)
        };
        for (program, again) in [("one_shot", 0.0), ("two_step", TRANSFER)] {
            let (time, _) = finish(cached, program);
            assert!(
                (time / (cached as f64 * write) - 1.0).abs() < 0.03,
                "{cell}, {program}: {time}"
            );
            let more = 1_200;
            let (time, output) = finish(cached + more, program);
            let loads = (bits as f64 - 1.0) / bits as f64 * T_DBSY;
            let fold = slc_read + 2.0 * TRANSFER + T_PROG + loads + again + erase / slc_pages as f64;
            let expected = cached as f64 * write + more as f64 * (write + fold);
            assert!(
                (time / expected - 1.0).abs() < 0.02,
                "{cell}, {program}: {time} ns, not {expected}"
            );
            assert_eq!(number(&output, "ftl.slc_cache.share"), 1.0);
        }
    }
    // units of a part of a page
    let mut config = cached_plane("qlc", "two_step");
    config.ftl.mapping_unit = Some(wordline_units::ByteSize(1024));
    let commands = (0..600).map(|number| page(0, HostOp::Write, number)).collect();
    let output = run(&config, commands, Admission::ClosedLoop { depth: 4 });
    assert!(number(&output, "ftl.slc_cache.pages_folded") > 0.0);
    let commands = vec![page(0, HostOp::Write, 0), page(10 * MS, HostOp::Read, 0)];
    let mut config = cached_plane("qlc", "two_step");
    config.buffer.read_cache = false;
    let output = replay(&config, commands);
    assert_eq!(number(&output, "ftl.pages_read.host"), 1.0);
}

fn page(at: u64, op: HostOp, page: u64) -> HostCommand {
    command(at, op, page * SECTORS, SECTORS as u32)
}

/// Writes take the same time whether the pages of a word line are programmed apart or together, but for tDBSY after the first ones;
/// in two steps the data are brought twice. To 1 %.
#[test]
fn word_lines_take_the_time_of_their_pages() {
    let writes = 1_440;
    for (cell, bits) in [("tlc", 3.0), ("qlc", 4.0)] {
        let loads = (bits - 1.0) / bits * T_DBSY;
        for (program, expected) in [
            ("page", TRANSFER + T_PROG),
            ("one_shot", TRANSFER + T_PROG + loads),
            ("two_step", 2.0 * TRANSFER + T_PROG + loads),
        ] {
            let commands = (0..writes).map(|number| page(0, HostOp::Write, number)).collect();
            let output = run(
                &plane(cell, program),
                commands,
                Admission::ClosedLoop { depth: 4 },
            );
            let last = output.requests.completed_ns.iter().max().copied().unwrap_or(0);
            let per_page = last as f64 / writes as f64;
            assert!(
                (per_page / expected - 1.0).abs() < 0.01,
                "{cell}, {program}: {per_page} ns for a page, not {expected}"
            );
            assert_eq!(number(&output, "ftl.pages_programmed"), writes as f64);
        }
    }
}

/// Four pages of which the fourth begins a second word line: it is read from memory until the word line is complete, and in two steps
/// the first word line, too, until the second has had its first step.
#[test]
fn pages_of_open_word_lines_are_read_from_memory() {
    for (program, in_memory) in [
        ("page", [false, false, false, false]),
        ("one_shot", [false, true, false, false]),
        ("two_step", [true, true, false, true]),
    ] {
        let mut commands: Vec<_> = (0..4).map(|number| page(0, HostOp::Write, number)).collect();
        commands.extend([page(100 * MS, HostOp::Read, 0), page(110 * MS, HostOp::Read, 3)]);
        commands.extend([4, 5].map(|number| page(120 * MS, HostOp::Write, number)));
        commands.extend([page(200 * MS, HostOp::Read, 0), page(210 * MS, HostOp::Read, 3)]);
        let output = replay(&plane("tlc", program), commands);
        let took = latencies(&output);
        let reads = [took[4], took[5], took[8], took[9]];
        for (time, expected) in reads.into_iter().zip(in_memory) {
            assert_eq!(time < 10_000, expected, "{program}: {reads:?}");
            assert!(expected || time >= T_R + TRANSFER as u64, "{program}: {reads:?}");
        }
        let from_flash = in_memory.iter().filter(|memory| !**memory).count();
        assert_eq!(
            number(&output, "ftl.pages_read.host"),
            from_flash as f64,
            "{program}"
        );
    }
}

/// The last word line of a block has no next one: it is complete when its pages have come.
#[test]
fn a_full_block_is_read_from_flash() {
    let mut commands: Vec<_> = (0..72).map(|number| page(0, HostOp::Write, number)).collect();
    commands.push(page(900 * MS, HostOp::Read, 71));
    let output = replay(&plane("tlc", "two_step"), commands);
    assert_eq!(number(&output, "ftl.pages_read.host"), 1.0);
}

/// Every mapping works with it, collects and merges, and the auditor finds nothing.
#[test]
fn every_mapping_programs_word_lines() {
    let mappings = [
        "page",
        "dftl",
        "block",
        "bast",
        "sast",
        "fast",
        "last",
        "superblock",
    ];
    for mapping in mappings {
        for program in ["one_shot", "two_step"] {
            let config = drive(&format!(
                "seed = 7\n[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                 blocks_per_plane = 64\npages_per_block = 24\npage_size = \"4 KiB\"\nspare_size = \"128 B\"\ncell_type = \"tlc\"\n\
                 [nand]\nprogram = \"{program}\"\n[ftl]\nmapping = \"{mapping}\"\nover_provisioning = 0.6\n\
                 [buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\ncapacitor = true\n"
            ));
            let draw = |what: &str, number: u64| Seed(11).draw(what, number);
            let commands: Vec<_> = (0..6_000)
                .map(|number| {
                    let is_read = draw("test.op", number).is_multiple_of(3);
                    let op = if is_read { HostOp::Read } else { HostOp::Write };
                    page(0, op, draw("test.page", number) % 1_000)
                })
                .collect();
            let output = run(&config, commands, Admission::ClosedLoop { depth: 8 });
            assert!(number(&output, "ftl.blocks_erased") > 0.0, "{mapping}, {program}");
            assert!(
                number(&output, "host.read.count") > 1_000.0,
                "{mapping}, {program}"
            );
        }
    }
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let base = "base = \"tiny\"\n[buffer]\npolicy = \"lru\"\ncapacitor = true\n";
    let of = |more: &str| format!("{base}{more}");
    let tlc = "[geometry]\ncell_type = \"tlc\"\npages_per_block = 48\n[nand]\nprogram = \"one_shot\"\n";
    let accepted = of(tlc);
    resolve(DriveSource::Text(&accepted), None, &[]).unwrap_or_else(|error| panic!("{error}"));
    let cases = [
        (of("[nand]\nprogram = \"two_step\"\n"), "geometry.cell_type"),
        (
            of("[geometry]\ncell_type = \"tlc\"\n[nand]\nprogram = \"one_shot\"\n"),
            "geometry.pages_per_block",
        ),
        (
            of(
                "[geometry]\ncell_type = \"mlc\"\npage_layout = \"staircase\"\n[nand]\nprogram = \"one_shot\"\n",
            ),
            "geometry.page_layout",
        ),
        (format!("base = \"tiny\"\n{tlc}"), "buffer.policy"),
        (
            format!("base = \"tiny\"\n{tlc}[buffer]\npolicy = \"lru\"\n"),
            "buffer.capacitor",
        ),
        (of(&format!("{tlc}[[modes]]\nname = \"slow\"\n")), "modes"),
        (
            of(&format!("{tlc}[commands]\ncopyback = \"wise\"\n")),
            "commands.copyback",
        ),
        (
            of(&format!("{tlc}[commands]\ncache_program = true\n")),
            "commands.cache_program",
        ),
        (
            of(
                "[geometry]\ncell_type = \"tlc\"\npages_per_block = 48\n[nand]\nprogram = \"one_shot\"\nsuspend = \"program_erase\"\n\
                [scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\nprogram_suspend = \"ips\"\n",
            ),
            "scheduler.suspension.program_suspend",
        ),
        (of(&format!("{tlc}[power]\nchip = \"b-mlc8\"\n")), "power.chip"),
    ];
    for (text, key) in cases {
        let error = resolve(DriveSource::Text(&text), None, &[]).err();
        let error = error.unwrap_or_else(|| panic!("accepted:\n{text}")).to_string();
        assert!(error.contains(key), "{key}: {error}");
    }
}
