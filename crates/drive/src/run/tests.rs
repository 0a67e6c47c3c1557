//! What ends a run early, and what a run says of totals that do not add up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use wordline_ftl::{Cause, JobId, Lpn, PlanError, Route, Step, Work};
use wordline_metrics::{IssuedCommand, Probe, RunCost, Value};
use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::aged_drive::{build, bytes_of_page, map_entries, memory_of_maps};
use super::*;
use crate::kernel::Drive;
use crate::operation::{Level, NONE, Owner};
use crate::summarize::summarize;

/// A thousand reads of a page each from a small drive.
fn reads() -> Drive {
    small(&config("read_fraction = 1.0", ""))
}

fn small(config: &Config) -> Drive {
    let aged = age(config, Path::new("."), &Ahead::of(1_000), &mut |_| true).unwrap();
    let sectors = aged.ftl.user_pages() * u64::from(aged.geometry.sectors_per_page());
    let tenants = tenants::open(config, sectors, Path::new("."), &mut |_| true).unwrap();
    build(config, aged, tenants).unwrap()
}

fn config(workload: &str, more: &str) -> Config {
    let text = format!(
        "[geometry]
        channels = 1
        chips_per_channel = 1
        dies_per_chip = 1
        blocks_per_plane = 16
        pages_per_block = 8
        [ftl]
        over_provisioning = 0.5
        [age]
        method = \"overwritten\"
        random_factor = 0.0
        [workload]
        kind = \"random\"
        request_size = \"2 KiB\"
        requests = 1000
        {workload}
        {more}"
    );
    toml::from_str(&text).unwrap()
}

/// Finds fault with the third flash command.
struct ThirdCommand {
    issued: Arc<AtomicU64>,
    found: Option<String>,
}

impl Probe for ThirdCommand {
    fn issued(&mut self, _command: &IssuedCommand<'_>) {
        if self.issued.fetch_add(1, Ordering::Relaxed) == 2 {
            self.found = Some("the third command".to_owned());
        }
    }

    fn violation(&self) -> Option<&str> {
        self.found.as_deref()
    }
}

#[test]
fn a_violation_stops_the_run() {
    let issued = Arc::new(AtomicU64::new(0));
    let mut drive = reads();
    drive.add_probe(Box::new(ThirdCommand {
        issued: Arc::clone(&issued),
        found: None,
    }));
    let error = drive.run(&mut |_| true).unwrap_err();
    assert!(
        matches!(&error, RunError::Audit(found) if found == "the third command"),
        "{error}"
    );
    assert!(!error.is_input());
    // of the thousand: one die reads a page at a time
    assert_eq!(issued.load(Ordering::Relaxed), 3);
}

#[test]
fn totals_that_do_not_add_up_are_named() {
    let summed_up = |mut drive: Drive, sent: u64| {
        drive.run(&mut |_| true).unwrap();
        drive.host_mut().counts_mut().sent += sent;
        let cost = RunCost {
            wall_s: 0.0,
            cpu_s: None,
            peak_rss_bytes: None,
        };
        summarize(
            &config("read_fraction = 1.0", ""),
            drive,
            Vec::new(),
            None,
            &cost,
            false,
        )
        .0
    };
    let said = |output: &RunOutput| {
        let notes = output.notes.iter().filter(|note| note.key == "inconsistent");
        notes.map(|note| note.text.clone()).collect::<Vec<_>>()
    };
    let sound = summed_up(reads(), 0);
    assert_eq!(sound.summary.get("check.conservation"), Some(&Value::Flag(true)));
    assert!(said(&sound).is_empty());
    let unsound = summed_up(reads(), 1);
    assert_eq!(
        unsound.summary.get("check.conservation"),
        Some(&Value::Flag(false))
    );
    let said = said(&unsound);
    assert!(
        said.len() == 1 && said[0].contains("(requests sent and completed)"),
        "{said:?}"
    );
}

/// A small drive without options, of any kind that the loop tells apart.
fn plain_config() -> impl Strategy<Value = Config> {
    let pick = prop::sample::select::<&str>;
    let array = (
        pick(vec!["fcfs", "reads_first", "out_of_order", "pes"]),
        pick(vec!["policy", "data_first", "commands_first"]),
        pick(vec!["die", "chip"]),
        pick(vec!["off", "wise"]),
        any::<[bool; 3]>(),
    );
    let load = (
        pick(vec!["0.0", "0.5", "1.0"]),
        pick(vec!["512 B", "4 KiB", "20 KiB"]),
        1_u32..40,
        pick(vec!["", "mapping = \"block\"", "mapping = \"fast\""]),
        pick(vec!["static", "dynamic"]),
        any::<u16>(),
    );
    (array, load).prop_map(|(array, load)| {
        let (policy, channel_order, grain, planes, [cache, collection_first, limited]) = array;
        let (reads, size, depth, mapping, mode, seed) = load;
        let limits = if limited { "max_wait = \"1 ms\"" } else { "" };
        let text = format!(
            "seed = {seed}
            [geometry]
            channels = 2
            chips_per_channel = 2
            dies_per_chip = 2
            blocks_per_plane = 16
            pages_per_block = 8
            [commands]
            cache_read = {cache}
            cache_program = {cache}
            multi_plane_write = \"{planes}\"
            multi_plane_read = {collection_first}
            [allocation]
            mode = \"{mode}\"
            [ftl]
            over_provisioning = 0.5
            {mapping}
            [age]
            method = \"overwritten\"
            random_factor = 0.5
            [scheduler]
            policy = \"{policy}\"
            channel_order = \"{channel_order}\"
            collection_first = {collection_first}
            busy_grain = \"{grain}\"
            {limits}
            [scheduler.suspension]
            program_suspend = \"none\"
            erase_suspend = false
            [workload]
            kind = \"random\"
            request_size = \"{size}\"
            read_fraction = {reads}
            queue_depth = {depth}
            requests = 400"
        );
        toml::from_str(&text).unwrap()
    })
}

/// All that a run gives, but for what it cost.
fn outcome<F: Features>(config: &Config) -> String {
    let (aged, tenants) = prepare(config, Path::new("."), &mut |_| true).unwrap();
    let (options, stopwatch) = (RunOptions::default(), Stopwatch::start());
    let output = simulate::<F>(
        (config, Path::new(".")),
        aged,
        tenants,
        None,
        options,
        &mut |_| true,
        stopwatch,
    );
    let output = match output {
        Ok(output) => output,
        Err(error) => return error.to_string(),
    };
    format!(
        "{} {:?} {:?} {:?} {:?} {:?}",
        output.summary.reproducible().to_json(),
        output.notes,
        output.requests,
        output.time_series,
        output.blocks,
        output.latency
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// What the loop is compiled for changes nothing of what comes out.
    #[test]
    fn every_set_of_features_gives_the_same_bytes(config in plain_config()) {
        prop_assert!(!has_options(&config));
        let full = outcome::<Full>(&config);
        prop_assert_eq!(&outcome::<Watched>(&config), &full);
        let (aged, _) = prepare(&config, Path::new("."), &mut |_| true).unwrap();
        if is_plain(&*aged.ftl) {
            prop_assert_eq!(&outcome::<Plain>(&config), &full);
        }
    }
}

/// The loop of a drive without options is compiled for page-level mapping; every other mapping runs through one that takes any.
#[test]
fn page_level_mapping_is_known_to_the_compiler() {
    for (mapping, is_known) in [("page", true), ("block", false), ("fast", false)] {
        let mut config = config("", "");
        config.ftl.mapping = mapping.into();
        let (aged, _) = prepare(&config, Path::new("."), &mut |_| true).unwrap();
        assert_eq!(is_plain(&*aged.ftl), is_known, "{mapping}");
    }
}

/// Every option by itself calls for code that knows it.
#[test]
fn an_option_is_noticed() {
    assert!(!has_options(&config("", "")));
    for option in [
        "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"",
        "[host]\ninterface = \"nvme\"",
        "[firmware]\nenabled = true",
        "[firmware]\nread_latency = \"1 us\"",
        "[firmware]\nwrite_latency = \"1 us\"",
        "[ecc]\nkind = \"bch\"",
        "[host]\nwrite_acknowledge = \"transferred\"",
        "[scheduler]\npolicy = \"pes\"",
        "[scheduler]\nmax_writes = 3",
        "[ftl.refresh]\npolicy = \"last_moment\"",
    ] {
        assert!(has_options(&config("", option)), "{option}");
    }
}

/// Background collection with a pause of 1 ns: a job looks at the drive when something in it has ended, and not at every
/// nanosecond of the 200 us that a program lasts. `run` is asked whether it goes on at every 65,536 events.
#[test]
fn a_job_waits_for_events_and_not_for_time() {
    for idle in ["0 ns", "1 ns", "10 ns"] {
        let config = config(
            "read_fraction = 0.0",
            &format!("[ftl.gc]\nmode = \"background\"\nidle = \"{idle}\""),
        );
        let mut drive = small(&config);
        let mut asked = 0;
        drive
            .run(&mut |_| {
                asked += 1;
                true
            })
            .unwrap();
        assert_eq!(asked, 0, "{idle}");
        assert!(
            drive.control().counters().gc_victims > 20,
            "{idle}: nothing was collected"
        );
        assert!(
            drive.now() > SimTime(200_000_000),
            "a thousand programs of one die take 0.2 s"
        );
    }
}

/// Looks at a drive whose requests have arrived and that is given no event to go on: 16 looks of 65,536 events find it as it was. A few events
/// between two looks are a sign of life.
#[test]
fn a_run_in_which_nothing_moves_is_given_up() {
    let mut drive = small(&config("read_fraction = 0.0", ""));
    drive.start().unwrap();
    drive.advance_until(SimTime(1)).unwrap();
    let looks = |drive: &mut Drive, moves: bool| {
        let mut watch = drive.watch();
        (0..40).find_map(|look| {
            if moves {
                (0..8).for_each(|_| assert!(drive.step().unwrap()));
            }
            drive
                .look(&mut watch, &mut |_| true)
                .err()
                .map(|error| (look, error))
        })
    };
    let (look, error) = looks(&mut drive, false).unwrap();
    assert_eq!(look, 16, "the first look has nothing to compare with");
    assert!(
        matches!(
            error,
            RunError::NothingMoves {
                events: 0x10_0000,
                ..
            }
        ),
        "{error}"
    );
    let told = error.to_string();
    for part in ["requests for their completion", "flash operations in queues"] {
        assert!(told.contains(part), "{told}");
    }
    let found = looks(&mut drive, true);
    assert!(found.is_none(), "{found:?} at {}", drive.now());
}

/// A request a year: the hundredth and some are beyond what the clock is made for.
#[test]
fn time_that_would_overflow_ends_the_run() {
    let config = config("read_fraction = 1.0\ninterarrival = \"1 y\"", "");
    let mut drive = small(&config);
    let error = drive.run(&mut |_| true).unwrap_err();
    let RunError::Endless { at } = &error else {
        panic!("{error}")
    };
    assert!(
        (99.0..=100.0).contains(&(at.ns() as f64 / (365.0 * 86_400e9))),
        "{at}"
    );
    assert!(error.is_input());
    assert!(error.to_string().contains("has passed 100 y"), "{error}");
}

/// A year for each of the pages that are written to fill the drive.
#[test]
fn a_past_beyond_the_clock_is_refused() {
    let mut config = config("read_fraction = 1.0", "");
    config.age.time_per_write = wordline_units::Duration(365 * 86_400 * 1_000_000_000);
    let aged = age(&config, Path::new("."), &Ahead::of(1_000), &mut |_| true).map(|_| ());
    let error = aged.unwrap_err();
    assert!(
        matches!(error, RunError::TooOld { .. }) && error.is_input(),
        "{error}"
    );
    assert!(error.to_string().contains("age.time_per_write"), "{error}");
}

/// A plan of one step and plans of several are refused in the same way as by executors without a clock.
#[test]
fn a_plan_that_contradicts_itself_stops_the_run() {
    let read = |after| Step {
        work: Work::Read {
            page: Ppn(0),
            bitmap: 1,
            route: Route::Controller,
        },
        cause: Cause::Host,
        acknowledges: true,
        after,
        lpn: Lpn(0),
        token: 0,
    };
    for (plan, problem) in [
        (vec![read(1)], PlanError::WaitsForLater(0)),
        (vec![read(0), read(0b100), read(0)], PlanError::WaitsForLater(1)),
        (vec![read(0); 65], PlanError::TooLong(65)),
    ] {
        let mut drive = reads();
        plan.into_iter()
            .for_each(|step| drive.control_mut().plan_step(step));
        assert_eq!(drive.start_plan(Owner::Job(JobId(0)), Level::Normal, NONE), 0);
        let error = drive.run(&mut |_| true).unwrap_err();
        assert!(
            matches!(&error, RunError::Plan { problem: found, .. } if *found == problem),
            "{error}"
        );
        assert!(!error.is_input());
    }
}

/// A client that may still send something leaves the run unfinished; nothing has failed.
#[test]
fn a_client_that_stays_open_stalls_the_run() {
    let mut drive = reads();
    drive.host_mut().open_client(0);
    let error = drive.run(&mut |_| true).unwrap_err();
    assert!(matches!(error, RunError::Stalled { .. }), "{error}");
}

/// An unloaded read takes as long as it was expected to, where its first attempt succeeds: three sensings and bits of three kinds of each cell.
#[test]
fn a_read_takes_as_long_as_it_was_expected_to() {
    let text = "[cell.process_variation]\nsd = 0.0\n[cell.rber]\nmodel = \"fixed\"\nrate = 0.0095\n[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = 3\n";
    let mut drive = small(&config("read_fraction = 1.0\nqueue_depth = 1", text));
    let lived = SimTime::ZERO;
    let page = drive.control().ftl().lookup(Lpn(0)).unwrap();
    let expected = drive.array().estimated_read(page, lived);
    drive.run(&mut |_| true).unwrap();
    let cost = RunCost {
        wall_s: 0.0,
        cpu_s: None,
        peak_rss_bytes: None,
    };
    let (output, _) = summarize(&config("", ""), drive, Vec::new(), None, &cost, false);
    assert_eq!(
        output.summary.number("host.read.latency.min_us"),
        Some(expected.ns() as f64 / 1e3)
    );
}

/// 30.72 TB: 512 Mi units of four pages with two entries of four bytes each, and 32 bytes for each of a million blocks; without units 2 Gi pages, whose entries
/// take five bytes, and a byte each for modes that are kept by page.
#[test]
fn the_memory_of_large_maps() {
    let text = "[geometry]\nchannels = 16\nchips_per_channel = 16\ndies_per_chip = 1\nplanes_per_die = 4\nblocks_per_plane = 1024\n\
                pages_per_block = 2048\npage_size = \"16 KiB\"\n";
    let memory = |unit: &str, has_modes: bool| {
        let config: Config = toml::from_str(&format!("{text}[ftl]\n{unit}")).unwrap();
        let geometry = config.array_geometry().unwrap();
        let entries = map_entries(&config, &geometry);
        memory_of_maps(&geometry, entries, bytes_of_page(&config, has_modes))
    };
    let blocks = 32 << 20;
    assert_eq!(memory("mapping_unit = \"64 KiB\"", false), (8 << 29) + blocks);
    assert_eq!(memory("", true), (11 << 31) + blocks);
    // the time of the program, errors that were carried over, and three counts of programs
    let disturbed = "[ecc]\nkind = \"bch\"\n[commands]\ncopyback = \"blind\"\n[cell.rber]\nmodel = \"power_law\"\n\
                     program_disturb = { inhibited = 1e-9, adjacent = 1e-9, pass = 1e-9, g = 0.5, h = 1.0 }\n";
    assert_eq!(memory(disturbed, false), (26 << 31) + blocks);
}
