//! The SLC cache in a drive with a clock: how fast it takes writes before and after it is full, when it is folded, and what is refused.

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::RunOutput;
use wordline_units::Seed;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const SECTORS: u64 = 8;
const PAGE: u64 = 4096;
const MS: u64 = 1_000_000;
/// A page on the bus, ns.
const TRANSFER: f64 = PAGE as f64 * 5.0;
const T_R: f64 = 60e3;
const T_R_SLC: f64 = 25e3;
const T_PROG: f64 = 700e3;
const T_PROG_SLC: f64 = 200e3;
const T_BERS: f64 = 4e6;
/// Pages of a block of the cache.
const SLC_PAGES: u64 = 24;

/// One plane of cells of three bits.
fn plane(cache: &str, more: &str) -> Config {
    plane_with("", cache, more)
}

/// The same with further keys of `[ftl]`.
fn plane_with(ftl: &str, cache: &str, more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 72\npage_size = \"4 KiB\"\ncell_type = \"tlc\"\n\
         [timing]\nt_r = \"60 us\"\nt_prog = \"700 us\"\nt_bers = \"4 ms\"\ntransfer_rate = \"200 MT/s\"\nt_cad = \"0 ns\"\n\
         [[modes]]\nname = \"slc\"\nt_r = \"25 us\"\nt_prog = \"200 us\"\n\
         [ftl]\nover_provisioning = 0.6\n{ftl}[ftl.slc_cache]\nmode = \"slc\"\n{cache}\n{more}"
    ))
}

fn writes(pages: impl Iterator<Item = u64>) -> Vec<HostCommand> {
    pages
        .map(|page| command(0, HostOp::Write, page * SECTORS, SECTORS as u32))
        .collect()
}

/// Pages written one after the other to a drive that holds nothing, and what one of them took on the average, ns.
fn fill(config: &Config, pages: u64) -> (RunOutput, f64) {
    let output = run(config, writes(0..pages), Admission::ClosedLoop { depth: 4 });
    let last = output.requests.completed_ns.iter().max().copied().unwrap();
    (output, last as f64 / pages as f64)
}

fn close(found: f64, expected: f64, tolerance: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(off < tolerance, "{found} ns for a page, not {expected}");
}

/// Before the cache is full a write takes a transfer and a program in SLC mode; after that, where writes go around it, a program in the
/// normal mode: the run of both takes the sum, to 1 %.
#[test]
fn writes_are_as_fast_as_the_mode_of_their_block() {
    let cached = 8 * SLC_PAGES;
    let (output, per_page) = fill(&plane("static_blocks = 8", ""), cached);
    close(per_page, TRANSFER + T_PROG_SLC, 0.01);
    assert_eq!(number(&output, "ftl.slc_cache.pages_written"), cached as f64);
    assert_eq!(number(&output, "modes.slc.host_program_share"), 1.0);

    let direct = 1_000;
    let (output, per_page) = fill(&plane("static_blocks = 8", ""), cached + direct);
    let fast = cached as f64 * (TRANSFER + T_PROG_SLC);
    let slow = direct as f64 * (TRANSFER + T_PROG);
    close(per_page, (fast + slow) / (cached + direct) as f64, 0.01);
    assert_eq!(number(&output, "ftl.slc_cache.pages_bypassed"), direct as f64);
    assert_eq!(number(&output, "ftl.slc_cache.pages_folded"), 0.0);
}

/// Where writes wait for the cache, each page is programmed twice, read once, and pays its share of an erase: to 2 %.
#[test]
fn a_full_cache_is_as_fast_as_it_is_folded() {
    let (cached, more) = (8 * SLC_PAGES, 1_200);
    let config = plane("static_blocks = 8\nwhen_full = \"fold\"", "");
    let (output, per_page) = fill(&config, cached + more);
    let write = TRANSFER + T_PROG_SLC;
    let fold = T_R_SLC + 2.0 * TRANSFER + T_PROG + T_BERS / SLC_PAGES as f64;
    let expected = cached as f64 * write + more as f64 * (write + fold);
    close(per_page, expected / (cached + more) as f64, 0.02);
    assert_eq!(number(&output, "ftl.slc_cache.share"), 1.0);
    assert!(number(&output, "ftl.slc_cache.waits") > 0.0);
    assert_eq!(
        number(&output, "ftl.pages_programmed.fold"),
        number(&output, "ftl.slc_cache.pages_folded")
    );
}

/// What a write takes on the average, ns, where those that a cache of so many pages has no room for wait until pages were folded: as many, or those of
/// two blocks more where folding is ahead of them.
fn folded_as_written(output: &RunOutput, cached: u64, more: u64) -> f64 {
    let folded = number(output, "ftl.slc_cache.pages_folded");
    let ahead = folded - more as f64;
    assert!(
        ahead >= -(SLC_PAGES as f64) && ahead <= 2.0 * SLC_PAGES as f64,
        "{folded} for {more}"
    );
    let fold = T_R_SLC + 2.0 * TRANSFER + T_PROG + T_BERS / SLC_PAGES as f64;
    let pages = (cached + more) as f64;
    TRANSFER + T_PROG_SLC + folded * fold / pages
}

/// Rationed collection folds in step with host writes: as fast as above to 2 %, with no write that waits for more than 0.6 of a block, where writes wait for a
/// whole one otherwise. So it is where blocks of the cache are borrowed, of which data that are folded take one now and then.
#[test]
fn a_full_cache_is_folded_in_step_with_writes() {
    let fold = SLC_PAGES as f64 * (T_R_SLC + 2.0 * TRANSFER + T_PROG) + T_BERS;
    for (blocks, cached, more) in [
        ("static_blocks = 8", 8 * SLC_PAGES, 1_200),
        ("dynamic_blocks = 20", 20 * SLC_PAGES, 1_000),
    ] {
        let run = |mode: &str| {
            let cache = format!("{blocks}\nwhen_full = \"fold\"");
            let gc = format!("[ftl.gc]\nmode = \"{mode}\"\nhard = 2\nlow = 3\nhigh = 4");
            let (output, per_page) = fill(&plane(&cache, &gc), cached + more);
            close(per_page, folded_as_written(&output, cached, more), 0.02);
            assert!(number(&output, "ftl.slc_cache.full_at_s") > 0.0);
            let slowest = latencies(&output).into_iter().max().unwrap_or(0);
            slowest as f64 / fold
        };
        let (foreground, partial) = (run("foreground"), run("partial"));
        assert!(
            foreground > 0.9 && partial < 0.6,
            "{blocks}: {foreground} and {partial} of a block"
        );
    }
}

/// What is folded in step with writes goes on in a pause of them: the next burst finds most blocks of the cache empty.
#[test]
fn a_fold_that_writes_have_begun_is_ended_in_a_pause() {
    let first = 9 * SLC_PAGES + 6;
    let later = (0..first + 5 * SLC_PAGES).map(|page| {
        let start = if page < first { 0 } else { 2_000 * MS };
        command(start, HostOp::Write, page * SECTORS, SECTORS as u32)
    });
    let config = plane(
        "static_blocks = 8\nwhen_full = \"fold\"",
        "[ftl.gc]\nidle = \"5 ms\"\nmode = \"partial\"\nhard = 2\nlow = 3\nhigh = 4",
    );
    let found = latencies(&replay(&config, later.collect()));
    let second = &found[first as usize..];
    let slowest = second.iter().max().copied().unwrap();
    close(
        slowest as f64,
        second.len() as f64 * (TRANSFER + T_PROG_SLC),
        0.01,
    );
}

/// Inside the chip a page is folded without its two transfers: 1,112 us a page in place of 1,153, to 2 %; and a copy reads in the time of the cache and
/// programs in the normal one.
#[test]
fn a_cache_that_is_folded_inside_the_chip_takes_no_transfers() {
    let (cached, more) = (8 * SLC_PAGES, 1_200);
    let run = |folding: &str, copy_back: &str| {
        let cache = format!("static_blocks = 8\nwhen_full = \"fold\"\nfolding = \"{folding}\"");
        fill(&plane(&cache, copy_back), cached + more)
    };
    let write = TRANSFER + T_PROG_SLC;
    let expected =
        |fold: f64| (cached as f64 * write + more as f64 * (write + fold)) / (cached + more) as f64;
    let copies = "[commands]\ncopyback = \"wise\"";
    let (inside, per_page) = run("copy_back", copies);
    close(
        per_page,
        expected(T_R_SLC + T_PROG + T_BERS / SLC_PAGES as f64),
        0.02,
    );
    let folded = number(&inside, "ftl.slc_cache.pages_folded");
    assert!(folded >= more as f64 && number(&inside, "ftl.copy_backs.fold") == folded);
    assert_eq!(number(&inside, "ftl.pages_read.fold"), 0.0);
    // copy-back for collection alone leaves folding to the controller
    let (outside, per_page) = run("controller", copies);
    close(
        per_page,
        expected(T_R_SLC + 2.0 * TRANSFER + T_PROG + T_BERS / SLC_PAGES as f64),
        0.02,
    );
    assert_eq!(number(&outside, "ftl.copy_backs.fold"), 0.0);
}

/// A burst, a pause in which the closed blocks are folded, and another burst at full speed; a pause that is shorter than
/// `ftl.gc.idle` does not help.
#[test]
fn the_cache_is_folded_in_idle_time() {
    let burst = 8 * SLC_PAGES;
    let of_block = SLC_PAGES as f64 * (T_R_SLC + 2.0 * TRANSFER + T_PROG) + T_BERS;
    let later = |mode: &str, pause: u64| {
        let both = (0..2 * burst).map(|page| {
            let start = if page < burst { 0 } else { 50 * MS + pause };
            command(start, HostOp::Write, page * SECTORS, SECTORS as u32)
        });
        replay(
            &plane(
                "static_blocks = 8",
                &format!("[ftl.gc]\nidle = \"5 ms\"\nmode = \"{mode}\""),
            ),
            both.collect(),
        )
    };
    for mode in ["foreground", "background", "preemptible", "partial"] {
        let rested = later(mode, 2 * 8 * of_block as u64);
        assert_eq!(number(&rested, "ftl.slc_cache.share"), 1.0, "{mode}");
        assert_eq!(number(&rested, "ftl.slc_cache.pages_folded"), burst as f64);
        assert_eq!(number(&rested, "ftl.slc_cache.blocks_folded"), 8.0);
        let hurried = later(mode, 0);
        assert_eq!(number(&hurried, "ftl.slc_cache.share"), 0.5);
    }
}

/// A read of a page in the cache takes the sensing of its mode, and that of the normal mode once it was folded.
#[test]
fn reads_take_the_time_of_the_mode() {
    let page = |at: u64, op| command(at, op, 0, SECTORS as u32);
    let mut commands = writes(0..SLC_PAGES);
    commands.extend([page(20 * MS, HostOp::Read), page(900 * MS, HostOp::Read)]);
    let output = replay(
        &plane("static_blocks = 2", "[ftl.gc]\nidle = \"50 ms\""),
        commands,
    );
    let found = latencies(&output);
    let [cached, folded] = found[SLC_PAGES as usize..] else {
        unreachable!("two reads")
    };
    close(cached as f64, T_R_SLC + TRANSFER, 0.001);
    close(folded as f64, T_R + TRANSFER, 0.001);
    assert_eq!(number(&output, "modes.slc.host_read_share"), 0.5);
}

/// A dynamic cache takes the free blocks but those that collection wants; what is left of a drive that is full is small.
#[test]
fn a_dynamic_cache_is_as_large_as_there_are_free_blocks() {
    let config = plane("dynamic_blocks = 40", "");
    let (output, _) = fill(&config, 41 * SLC_PAGES);
    assert_eq!(
        number(&output, "ftl.slc_cache.pages_written"),
        (40 * SLC_PAGES) as f64
    );
    let full = plane(
        "dynamic_blocks = 40",
        "[age]\nmethod = \"overwritten\"\nrandom_factor = 0.0",
    );
    let user = 64 * 72 * 10 / 16;
    let (output, _) = fill(&full, user / 4);
    assert!(number(&output, "ftl.slc_cache.pages_written") < (40 * SLC_PAGES) as f64);
}

/// Blocks without any valid page are erased before blocks of the cache are folded: a full drive that is overwritten in order moves nothing for the
/// host, and its slowest write takes less than one block of the cache takes to be folded.
#[test]
fn a_full_drive_that_is_overwritten_in_order_folds_nothing() {
    let config = plane(
        "dynamic_blocks = 40",
        "[ftl.gc]\nmode = \"partial\"\nfrontier = \"separate\"\nhard = 2\nlow = 5\nhigh = 5\nidle = \"10 s\"\n[age]\nmethod = \"overwritten\"\nrandom_factor = 0.0",
    );
    let user = 64 * 72 * 10 / 16;
    let (output, _) = fill(&config, 2 * user);
    assert!(number(&output, "ftl.slc_cache.pages_bypassed") > 0.0);
    assert_eq!(number(&output, "ftl.slc_cache.pages_folded"), 0.0);
    let slowest = latencies(&output).into_iter().max().unwrap_or(0);
    let fold = SLC_PAGES as f64 * (T_R_SLC + 2.0 * TRANSFER + T_PROG) + T_BERS;
    assert!((slowest as f64) < fold, "{slowest} ns");
}

/// Units of four pages, of which a block of the cache holds six, change nothing of the worked times, whatever the mode of collection.
#[test]
fn large_units_have_the_same_cache() {
    let of = |when_full: &str, mode: &str| {
        plane_with(
            "mapping_unit = \"16 KiB\"\n",
            &format!("static_blocks = 8\nwhen_full = \"{when_full}\""),
            &format!(
                "[allocation]\nmode = \"static\"\n[ftl.gc]\npool = \"plane\"\nmode = \"{mode}\"\nlow = 3\nhigh = 4"
            ),
        )
    };
    let cached = 8 * SLC_PAGES;
    for mode in ["foreground", "partial"] {
        let (output, per_page) = fill(&of("direct", mode), cached);
        close(per_page, TRANSFER + T_PROG_SLC, 0.02);
        assert_eq!(number(&output, "ftl.slc_cache.pages_written"), cached as f64);
        assert_eq!(number(&output, "modes.slc.host_program_share"), 1.0);

        let direct = 1_000;
        let (output, per_page) = fill(&of("direct", mode), cached + direct);
        let fast = cached as f64 * (TRANSFER + T_PROG_SLC);
        let slow = direct as f64 * (TRANSFER + T_PROG);
        close(per_page, (fast + slow) / (cached + direct) as f64, 0.02);
        assert_eq!(number(&output, "ftl.slc_cache.pages_bypassed"), direct as f64);
        assert!(number(&output, "ftl.slc_cache.full_at_s") > 0.0);

        let more = 1_200;
        let (output, per_page) = fill(&of("fold", mode), cached + more);
        close(per_page, folded_as_written(&output, cached, more), 0.02);
        assert_eq!(number(&output, "ftl.slc_cache.share"), 1.0);
    }
}

const COPIES: &str = "folding = \"copy_back\"\n";

/// Random writes and reads of aged drives of several dies: audited, in every mode of collection, with units smaller and larger than pages too. What happens when the cache is full alternates.
#[test]
fn nothing_is_lost() {
    let array = "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 2\n\
                 blocks_per_plane = 24\npages_per_block = 24\npage_size = \"4 KiB\"\ncell_type = \"tlc\"\n\
                 [[modes]]\nname = \"slc\"\nt_prog = \"150 us\"\n[commands]\nmulti_plane_write = \"wise\"\n";
    for (drive_number, (age, unit)) in [
        ("fresh", ""),
        ("steady_state", ""),
        ("overwritten", "mapping_unit = \"1 KiB\"\n"),
        ("steady_state", COPIES),
        ("fresh", "mapping_unit = \"16 KiB\"\n"),
        ("steady_state", "mapping_unit = \"16 KiB\"\n"),
        ("overwritten", "mapping_unit = \"8 KiB\"\n"),
        ("fresh", "mapping = \"dftl\"\ncached_entries = 256\n"),
        (
            "overwritten",
            "mapping = \"dftl\"\ncached_entries = 3000\ncache_unit = \"page\"\n",
        ),
        (
            "overwritten",
            "mapping = \"dftl\"\nmapping_unit = \"1 KiB\"\ncached_entries = 700\n",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        for (mode_number, mode) in ["foreground", "background", "preemptible", "partial"]
            .into_iter()
            .enumerate()
        {
            let when_full = ["direct", "fold"][(drive_number + mode_number) % 2];
            // pages are copied only where they are folded
            if unit == COPIES && when_full == "direct" {
                continue;
            }
            let is_large = unit.contains("16 KiB") || unit.contains("8 KiB");
            let (mapping, folding) = if unit == COPIES { ("", COPIES) } else { (unit, "") };
            let copy_back = if unit == COPIES {
                "copyback = \"wise\"\ncopyback_max_hops = 2\n"
            } else {
                ""
            };
            let allocation = if is_large { "static" } else { "dynamic" };
            let config = drive(&format!(
                "{array}{copy_back}[allocation]\nmode = \"{allocation}\"\n[ftl]\nover_provisioning = 0.8\n{mapping}[ftl.gc]\nmode = \"{mode}\"\nhard = 2\nlow = 3\nhigh = 4\n\
                     [ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 3\ndynamic_blocks = 4\nwhen_full = \"{when_full}\"\n{folding}\
                     [age]\nmethod = \"{age}\"\n"
            ));
            // a map on flash takes blocks of its own
            let user = if unit.contains("dftl") {
                2_000
            } else {
                8 * 24 * 24 * 10 / 18
            };
            let commands = (0..6_000).map(|number| {
                let page = Seed(9).draw("page", number) % user;
                let op = if number % 4 == 0 {
                    HostOp::Read
                } else {
                    HostOp::Write
                };
                let at = number / 1_000 * 200 * MS;
                command(at, op, page * SECTORS, SECTORS as u32)
            });
            let output = run(
                &config,
                commands.collect(),
                Admission::OpenLoop { limit: Some(16) },
            );
            let case = format!("{age} {unit:?} {when_full} {mode}");
            let copied = number(&output, "ftl.copy_backs.fold");
            assert_eq!(copied > 0.0, unit == COPIES, "{case}");
            assert!(number(&output, "ftl.slc_cache.pages_folded") > 0.0, "{case}");
            assert!(number(&output, "ftl.slc_cache.share") > 0.0, "{case}");
        }
    }
}

/// A map on flash whose cache holds all of it changes nothing: the worked times of the mapping of pages, with the blocks of the map beside them.
#[test]
fn a_drive_with_its_map_on_flash_has_the_same_cache() {
    let of = |when_full: &str, entries: u32| {
        let map = format!("mapping = \"dftl\"\ncached_entries = {entries}\n");
        plane_with(
            &map,
            &format!("static_blocks = 8\nwhen_full = \"{when_full}\""),
            "",
        )
    };
    let cached = 8 * SLC_PAGES;
    let (_, per_page) = fill(&of("direct", 1_000_000), cached);
    close(per_page, TRANSFER + T_PROG_SLC, 0.01);
    let (output, per_page) = fill(&of("fold", 1_000_000), cached + 1_000);
    let write = TRANSFER + T_PROG_SLC;
    let fold = T_R_SLC + 2.0 * TRANSFER + T_PROG + T_BERS / SLC_PAGES as f64;
    close(
        per_page,
        (cached as f64 * write + 1_000.0 * (write + fold)) / (cached + 1_000) as f64,
        0.02,
    );
    assert_eq!(number(&output, "ftl.slc_cache.share"), 1.0);
    // with few entries in the cache, what is folded changes entries on flash
    let (output, slower) = fill(&of("fold", 64), cached + 1_000);
    assert!(slower > per_page);
    assert!(number(&output, "ftl.table.pages_fetched") > 0.0);
    assert!(number(&output, "ftl.slc_cache.pages_folded") > 0.0);
}

#[test]
fn what_does_not_go_with_a_cache_is_refused() {
    let refused = |more: &str| {
        let text = format!(
            "[geometry]\ncell_type = \"tlc\"\n[[modes]]\nname = \"slc\"\nt_prog = \"100 us\"\n{more}"
        );
        let found = resolve(DriveSource::Text(&text), None, &[]);
        found.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let with = |more: &str| {
        refused(&format!(
            "[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 2\n{more}"
        ))
    };
    assert_eq!(with(""), "");
    for more in [
        "[ftl.wear]\nstatic = \"hot_cold_swap\"",
        "[ftl.placement]\ndirective = \"fdp\"",
        "[ftl.failures]\nprogram = 0.001\n[ftl.gc]\nreserve_blocks = 2",
        "[ftl.recovery]\nkind = \"oob_scan\"",
        "[ecc]\nkind = \"bch\"",
    ] {
        assert_eq!(with(more), "", "{more}");
    }
    for (more, key) in [
        ("[ftl.refresh]\npolicy = \"last_moment\"", "ftl.refresh.policy"),
        ("[ftl.failures]\nprogram = 0.1", "ftl.failures"),
        ("[ftl]\nmapping = \"striped\"", "ftl.mapping"),
        ("[ftl]\nmapping = \"delta\"", "ftl.mapping"),
        ("[age]\nmethod = \"invalidated\"", "age.method"),
    ] {
        let found = with(more);
        assert!(found.contains(key), "{more}: {found}");
    }
    // copies need copy-back, which word lines as wholes do not have
    let found = with("folding = \"copy_back\"");
    assert!(
        found.contains("ftl.slc_cache.folding") && found.contains("commands.copyback"),
        "{found}"
    );
    assert_eq!(
        with("folding = \"copy_back\"\n[commands]\ncopyback = \"wise\""),
        ""
    );
    assert_eq!(with("[commands]\ncopyback = \"blind\""), "");
    let found =
        with("folding = \"copy_back\"\n[commands]\ncopyback = \"wise\"\n[nand]\nprogram = \"one_shot\"");
    assert!(
        found.contains("nand.program") || found.contains("buffer.policy"),
        "{found}"
    );
    // sixteen pages of four bits of a cell make 64
    let large = |pages: u32| {
        let text = format!(
            "[geometry]\ncell_type = \"qlc\"\npage_size = \"4 KiB\"\npages_per_block = {pages}\n[[modes]]\nname = \"slc\"\nt_prog = \"100 us\"\n\
             [ftl]\nmapping_unit = \"64 KiB\"\n[allocation]\nmode = \"static\"\n[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 2\n"
        );
        let found = resolve(DriveSource::Text(&text), None, &[]);
        found.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(large(64), "");
    let found = large(48);
    assert!(
        found.contains("ftl.mapping_unit") && found.contains("SLC cache"),
        "{found}"
    );
    for (cache, key) in [
        ("mode = \"fast\"\nstatic_blocks = 2", "ftl.slc_cache.mode"),
        ("mode = \"slc\"", "ftl.slc_cache.static_blocks"),
        (
            "mode = \"slc\"\ndynamic_blocks = 1000000",
            "ftl.slc_cache.dynamic_blocks",
        ),
        ("static_blocks = 2", "ftl.slc_cache.static_blocks"),
    ] {
        let found = refused(&format!("[ftl.slc_cache]\n{cache}"));
        assert!(found.contains(key), "{cache}: {found}");
    }
}

/// A write of half a page whose other half is outside the cache is no copy-back into the cache: cells of three bits cannot be copied into cells of one.
/// The audit looks at the modes.
#[test]
fn a_page_outside_the_cache_is_not_copied_into_it() {
    let config = plane_with(
        "[commands]\ncopyback = \"blind\"\n[allocation]\nmode = \"static\"\n[ftl.gc]\nfrontier = \"separate\"\n",
        "static_blocks = 2\nwhen_full = \"fold\"",
        "",
    );
    let whole = writes(0..4 * SLC_PAGES);
    let halves = (0..4 * SLC_PAGES).map(|page| command(0, HostOp::Write, page * SECTORS, SECTORS as u32 / 2));
    let output = run(
        &config,
        whole.into_iter().chain(halves).collect(),
        Admission::ClosedLoop { depth: 4 },
    );
    assert_eq!(number(&output, "ftl.copy_backs.host"), 0.0);
    assert!(number(&output, "ftl.slc_cache.pages_folded") > 0.0);
}
