//! Runs by systematic sampling: what passes from one mode to the other is all that the FTL knows.

use std::path::Path;

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::{AgedFtl, RunError, RunOptions, Sample, SamplePlan, run, sample};
use wordline_ftl::{AgeMethod, Inspect, Lpn};
use wordline_nand::BlockId;
use wordline_units::Duration;

use crate::common::{drive, number};

fn here() -> &'static Path {
    Path::new(".")
}

fn sampled(config: &Config, plan: &SamplePlan) -> Sample {
    sample(config, here(), plan, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn plan(windows: u32, [warm_up, measured, cool_down]: [u32; 3], seed: u64) -> SamplePlan {
    SamplePlan {
        windows,
        fewer: false,
        measured,
        warm_up,
        cool_down,
        paced: !seed.is_multiple_of(3),
        seed,
        audit: true,
    }
}

/// The FTL after a run with a clock from end to end.
fn clocked(config: &Config) -> AgedFtl {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let options = RunOptions {
        save_state: Some(file.clone()),
        ..RunOptions::default()
    };
    run(config, here(), options, &mut |_| true).unwrap();
    let mut saved = config.clone();
    saved.age.method = AgeMethod::Snapshot;
    saved.age.snapshot = Some(file.to_string_lossy().into_owned());
    AgedFtl::new(&saved, here(), &mut |_| true).unwrap()
}

/// What is where, and how often every block was erased.
fn state(ftl: &dyn Inspect) -> (Vec<Option<u64>>, Vec<u32>) {
    let place = |lpn| ftl.lookup(Lpn(lpn)).map(|page| page.0);
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    (
        (0..ftl.user_pages()).map(place).collect(),
        blocks.map(|block| ftl.block(block).erase_count).collect(),
    )
}

/// What every logical page holds, wherever it is.
fn content(ftl: &dyn Inspect) -> Vec<u64> {
    (0..ftl.user_pages())
        .map(|lpn| ftl.valid_sectors(Lpn(lpn)))
        .collect()
}

fn pick(options: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(options)
}

/// A small drive in use, whose requests come a second apart, so that each is over before the next, and which has room for all
/// that is written: collection, which with a clock chooses its victim while a program is under way, would choose another one.
fn one_by_one() -> impl Strategy<Value = Config> {
    let dimensions = (1_u32..3, 1_u32..3, 1_u32..3, 70_u32..90);
    let rules = (
        pick(&["CWDP", "PDWC"]),
        pick(&["greedy", "fifo", "windowed_greedy"]),
        pick(&["shared", "separate"]),
        any::<u16>(),
    );
    (dimensions, rules).prop_map(|((channels, chips, planes, blocks), (order, victim, frontier, seed))| {
        drive(&format!(
            "seed = {seed}\n\
             [geometry]\nchannels = {channels}\nchips_per_channel = {chips}\ndies_per_chip = 1\nplanes_per_die = {planes}\n\
             blocks_per_plane = {blocks}\npages_per_block = 8\npage_size = \"4 KiB\"\n\
             [allocation]\nmode = \"static\"\norder = \"{order}\"\n\
             [age]\nmethod = \"overwritten\"\nrandom_factor = 0.0\n\
             [ftl]\nover_provisioning = 1.0\n\
             [ftl.gc]\nvictim = \"{victim}\"\npool = \"plane\"\nfrontier = \"{frontier}\"\n\
             [workload]\nkind = \"random\"\nread_fraction = 0.2\nrequest_size = \"4 KiB\"\nseed = {seed}\nrequests = {}\n\
             interarrival = \"1 s\"\narrival = \"fixed\"\ngap_fraction = 1.0",
            150 * channels * chips * planes
        ))
    })
}

/// Drives on which requests overlap.
fn any_drive() -> impl Strategy<Value = Config> {
    let dimensions = (1_u32..3, 1_u32..3, 1_u32..3, 24_u32..32);
    let rules = (
        pick(&["static", "dynamic"]),
        pick(&["greedy", "fifo", "random"]),
        pick(&["foreground", "preemptible", "partial"]),
        pick(&["page", "block", "bast", "fast", "dftl", "superblock"]),
        pick(&[
            "",
            "[ecc]\nkind = \"bch\"",
            "[firmware]\nenabled = true",
            "[firmware]\nread_latency = \"15 us\"\nwrite_latency = \"6 us\"",
            "[host]\ninterface = \"nvme\"",
        ]),
    );
    let load = (
        pick(&["0.0", "0.4"]),
        pick(&["512 B", "4 KiB", "12 KiB"]),
        1_u32..20,
        any::<u16>(),
    );
    (dimensions, rules, load).prop_map(
        |((channels, dies, planes, blocks), (allocation, victim, mode, mapping, more), load)| {
            let (reads, size, depth, seed) = load;
            let collection = match mapping {
                "page" | "dftl" => format!("victim = \"{victim}\"\nmode = \"{mode}\""),
                _ => String::new(),
            };
            let (allocation, planes) = match mapping {
                "page" | "dftl" => (allocation, planes),
                _ => ("static", 1),
            };
            drive(&format!(
                "seed = {seed}\n\
                 [geometry]\nchannels = {channels}\nchips_per_channel = 1\ndies_per_chip = {dies}\nplanes_per_die = {planes}\n\
                 blocks_per_plane = {blocks}\npages_per_block = 8\npage_size = \"4 KiB\"\n\
                 [allocation]\nmode = \"{allocation}\"\n\
                 [age]\nmethod = \"overwritten\"\nrandom_factor = 0.3\n\
                 [ftl]\nmapping = \"{mapping}\"\nover_provisioning = 1.0\n\
                 [ftl.gc]\n{collection}\n\
                 [workload]\nkind = \"random\"\nread_fraction = {reads}\nrequest_size = \"{size}\"\nseed = {seed}\n\
                 requests = 1500\nqueue_depth = {depth}\n{more}"
            ))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Where requests do not overlap, it makes no difference which of them have a clock: every page is where it is after the
    /// full run, and every block was erased as often.
    #[test]
    fn requests_one_by_one_leave_the_state_of_the_full_run(
        config in one_by_one(),
        windows in 0_u32..9,
        seed in any::<u64>(),
    ) {
        let found = sampled(&config, &plan(windows, [4, 10, 2], seed));
        let full = clocked(&config);
        prop_assert_eq!(state(found.ftl()), state(&*full.ftl), "{:?}", config.ftl.gc);
    }

    /// Whatever overlaps, what the host wrote is what it reads, and the counts of both modes add up.
    #[test]
    fn nothing_is_lost_between_the_modes(config in any_drive(), windows in 1_u32..9, seed in any::<u64>()) {
        let found = sampled(&config, &plan(windows, [30, 60, 20], seed));
        let full = clocked(&config);
        prop_assert_eq!(content(found.ftl()), content(&*full.ftl));
        let census = found.ftl().census();
        let pages = found.ftl().unit_geometry().pages();
        prop_assert_eq!(census.valid + census.invalid + census.free + census.skipped, pages);
        prop_assert_eq!(census.mapped + census.own, census.valid);
        let by_host = |written: &[wordline_drive::Written]| written.iter().map(|part| part.by_host).sum::<u64>();
        let functional = sampled(&config, &plan(0, [0, 1, 0], seed));
        prop_assert_eq!(by_host(&found.written), by_host(&functional.written));
        prop_assert_eq!(found.windows.len(), windows as usize);
        prop_assert_eq!(found.requests, 1500);
        for window in &found.windows {
            prop_assert_eq!(window.requests.len(), 60);
        }
    }
}

/// A small drive that overwrites pages at random, with keys that may replace its own.
fn busy(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\nblocks_per_plane = 64\n\
         pages_per_block = 16\npage_size = \"4 KiB\"\n\
         [age]\nmethod = \"overwritten\"\nrandom_factor = 2.0\n\
         [workload]\nkind = \"random\"\nread_fraction = 0.3\nrequest_size = \"4 KiB\"\nrequests = 40000\nqueue_depth = 4\n{more}"
    ))
}

/// Each period has a window, at a place of its own, and the same seed gives the same.
#[test]
fn every_period_has_a_window() {
    let config = busy("");
    let plan = plan(10, [200, 500, 100], 3);
    let first = |found: &Sample| {
        found
            .windows
            .iter()
            .map(|window| window.first)
            .collect::<Vec<_>>()
    };
    let found = sampled(&config, &plan);
    let places = first(&found);
    let within: Vec<u64> = (0..)
        .zip(&places)
        .map(|(period, place)| place - period * 4000)
        .collect();
    assert!(
        within.iter().all(|place| (200..=3400).contains(place)),
        "{places:?}"
    );
    assert!(within.windows(2).all(|pair| pair[0] != pair[1]), "{places:?}");
    assert_eq!(first(&sampled(&config, &plan)), places);
    let other = SamplePlan { seed: 4, ..plan };
    assert_ne!(first(&sampled(&config, &other)), places);
    for window in &found.windows {
        let numbers: Vec<u64> = window.requests.iter().map(|request| request.number).collect();
        assert_eq!(numbers, (200..700).collect::<Vec<_>>());
        assert!(window.span.ns() > 0);
    }
}

/// Windows and what is between them take their turns from each other: nowhere do they begin with the first plane again, which would be written more often than others.
#[test]
fn planes_are_written_as_often_whatever_is_sampled() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 64\n\
         pages_per_block = 16\npage_size = \"4 KiB\"\n\
         [allocation]\nmode = \"dynamic\"\n\
         [workload]\nkind = \"random\"\nread_fraction = 0.0\nrequest_size = \"4 KiB\"\nrequests = 4500\nqueue_depth = 1",
    );
    let asked = SamplePlan {
        paced: true,
        ..plan(100, [3, 10, 2], 1)
    };
    let found = sampled(&config, &asked);
    let ftl = found.ftl();
    let blocks_per_plane = ftl.geometry().blocks_per_plane;
    let written: Vec<u32> = (0..ftl.geometry().planes())
        .map(|plane| {
            let blocks = (plane * blocks_per_plane..(plane + 1) * blocks_per_plane).map(BlockId);
            blocks
                .map(|block| ftl.block(block))
                .map(|facts| facts.valid + facts.invalid)
                .sum()
        })
        .collect();
    assert_eq!(written.iter().sum::<u32>(), 4500);
    let (least, most) = (written.iter().min().unwrap(), written.iter().max().unwrap());
    assert!(most - least <= 2, "{written:?}");
}

/// Windows that may be fewer are as many as the workload has room for, and never fewer than can be judged.
#[test]
fn there_may_be_fewer_windows() {
    let config = busy("");
    let asked = SamplePlan {
        fewer: true,
        ..plan(400, [200, 500, 100], 3)
    };
    assert_eq!(sampled(&config, &asked).windows.len(), 50);
    let few = SamplePlan { windows: 12, ..asked };
    assert_eq!(sampled(&config, &few).windows.len(), 12);
    let long = SamplePlan {
        measured: 4_000,
        ..asked
    };
    let error = sample(&config, here(), &long, &mut |_| true)
        .map(|_| ())
        .unwrap_err();
    assert!(
        error.to_string().contains("10 windows of 4300 requests"),
        "{error}"
    );
}

/// A window that is the whole run is the run.
#[test]
fn one_window_of_all_requests_is_the_full_run() {
    let config = busy("");
    let found = sampled(&config, &plan(1, [0, 40_000, 0], 1));
    let full = run(&config, here(), RunOptions::default(), &mut |_| true).unwrap();
    let [written] = found.written[..] else { panic!() };
    let amplification = written.programmed as f64 / written.by_host as f64;
    assert_eq!(amplification, number(&full, "ftl.write_amplification"));
    let responses = found.windows[0].requests.iter();
    let sum: u64 = responses
        .map(|request| request.completed.since(request.arrival).ns())
        .sum();
    let mean = sum as f64 / 40_000.0 / 1e3;
    let expected = number(&full, "host.all.latency.mean_us");
    assert!((mean / expected - 1.0).abs() < 1e-9, "{mean} {expected}");
}

/// The response times of windows and the write amplification are those of the full run.
#[test]
fn windows_stand_for_the_full_run() {
    for more in ["", "[ecc]\nkind = \"bch\"", "[host]\ninterface = \"nvme\""] {
        let config = busy(more);
        let full = run(&config, here(), RunOptions::default(), &mut |_| true).unwrap();
        let found = sampled(&config, &plan(20, [300, 700, 20], 1));
        let of_windows = found.windows.iter().flat_map(|window| &window.requests);
        let responses: Vec<f64> = of_windows
            .map(|request| request.completed.since(request.arrival).ns() as f64 / 1e3)
            .collect();
        let mean = responses.iter().sum::<f64>() / responses.len() as f64;
        let expected = number(&full, "host.all.latency.mean_us");
        assert!((mean / expected - 1.0).abs() < 0.1, "{more}: {mean} {expected}");
        let (by_host, programmed) = found.written.iter().fold((0, 0), |(host, all), part| {
            (host + part.by_host, all + part.programmed)
        });
        let amplification = programmed as f64 / by_host as f64;
        let expected = number(&full, "ftl.write_amplification");
        assert!(
            (amplification / expected - 1.0).abs() < 0.03,
            "{more}: {amplification} {expected}"
        );
    }
}

/// Where a closed loop keeps the dies busy, as many of them are collected at the start of a window as in the full run, and no more at a time: soon after it begins, mean and tail of response
/// times are those of the full run. Were commands as fast between windows as on average, collection would come together, and the tail would be a third longer.
#[test]
fn windows_of_a_closed_loop_begin_as_the_full_run_goes_on() {
    for seed in 1..3 {
        let config = drive(&format!(
            "seed = {seed}\n\
             [geometry]\nchannels = 4\nchips_per_channel = 4\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 64\n\
             pages_per_block = 32\npage_size = \"4 KiB\"\n\
             [timing]\nt_r = \"75 us\"\nt_prog = \"750 us\"\nt_bers = \"3.8 ms\"\ntransfer_rate = \"333 MT/s\"\n\
             [allocation]\nmode = \"dynamic\"\n\
             [ftl]\nover_provisioning = 0.25\n\
             [age]\nmethod = \"steady_state\"\n\
             [scheduler]\npolicy = \"out_of_order\"\n\
             [workload]\nkind = \"random\"\nread_fraction = 0.3\nrequest_size = \"4 KiB\"\nrequests = 150000\nqueue_depth = 8"
        ));
        let full = run(&config, here(), RunOptions::default(), &mut |_| true).unwrap();
        let found = sampled(
            &config,
            &SamplePlan {
                audit: false,
                paced: true,
                ..plan(60, [100, 300, 50], seed)
            },
        );
        let of_windows = found.windows.iter().flat_map(|window| &window.requests);
        let mut responses: Vec<f64> = of_windows
            .map(|request| request.completed.since(request.arrival).ns() as f64 / 1e3)
            .collect();
        responses.sort_unstable_by(f64::total_cmp);
        let mean = responses.iter().sum::<f64>() / responses.len() as f64;
        let tail = responses[responses.len() * 99 / 100];
        for (found, key, tolerance) in [(mean, "mean", 0.12), (tail, "p99", 0.3)] {
            let expected = number(&full, &format!("host.all.latency.{key}_us"));
            assert!(
                (found / expected - 1.0).abs() < tolerance,
                "{seed}: {key} {found} {expected}"
            );
        }
    }
}

/// A window that follows another at once takes up what that one left outstanding: its first commands are sent when those end, not all at once.
#[test]
fn windows_without_a_request_between_them_take_up_what_is_outstanding() {
    let found = sampled(&busy(""), &plan(40, [0, 1_000, 0], 1));
    for window in &found.windows[1..] {
        let first = window.requests[0].arrival;
        let at_once = window.requests.iter().filter(|request| request.arrival == first);
        assert!(at_once.count() < 4, "{}", window.first);
    }
}

/// A lightly loaded drive answers reads of every window as fast as in the full run: nothing of a window before is left in its decoders.
#[test]
fn windows_begin_with_idle_decoders() {
    let mut config = busy("[ecc]\nkind = \"bch\"");
    config.workload.queue_depth = None;
    config.workload.read_fraction = 1.0;
    config.workload.interarrival = Some(Duration::from_us(5_000));
    let full = run(&config, here(), RunOptions::default(), &mut |_| true).unwrap();
    let found = sampled(&config, &plan(20, [0, 100, 0], 1));
    for window in &found.windows {
        let responses = window.requests.iter();
        let sum: u64 = responses
            .map(|request| request.completed.since(request.arrival).ns())
            .sum();
        let (mean, expected) = (sum as f64 / 1e5, number(&full, "host.all.latency.mean_us"));
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} {expected}");
    }
}

/// Features whose state is not in the FTL are refused by their keys.
#[test]
fn what_cannot_be_handed_over_is_refused() {
    for (more, key) in [
        (
            "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"",
            "buffer.policy = lru: ",
        ),
        ("[ftl.gc]\nmode = \"background\"", "ftl.gc.mode = background: "),
        (
            "[ftl.refresh]\npolicy = \"last_moment\"",
            "ftl.refresh.policy = last_moment: ",
        ),
        ("[ftl]\nmapping_unit = \"1 KiB\"", "ftl.mapping_unit = 1 KiB: "),
        (
            "[ftl]\nmapping = \"delta\"\nover_provisioning = 2.0\n[ftl.gc]\nreserve_blocks = 4\nhard = 4.0\nlow = 4.0\nhigh = 5.0\n\
             [ftl.delta]\nratio = 0.2\n[ftl.failures]\nprogram = 1e-9",
            "ftl.mapping = delta: ",
        ),
        ("[run]\nwarm_up = \"auto\"", "run.warm_up: "),
        ("[tenants.a.workload]\n[tenants.b.workload]", "tenants = 2: "),
    ] {
        let error = sample(&busy(more), here(), &plan(10, [1, 1, 1], 1), &mut |_| true);
        let error = error.map(|_| ()).unwrap_err();
        let told = error.to_string();
        assert!(error.is_input() && told.starts_with(key), "{key}: {told}");
        assert!(told.contains("accepted "), "{told}");
    }
    let error = sample(&busy(""), here(), &plan(50, [100, 1000, 1], 1), &mut |_| true);
    let told = error.map(|_| ()).unwrap_err().to_string();
    assert!(
        told.contains("50 windows of 1101 requests") && told.contains("has 40000"),
        "{told}"
    );
}

/// The user stops a run between two windows or in one.
#[test]
fn a_sampled_run_can_be_stopped() {
    let config = busy("");
    let mut looks = 0;
    let stopped = sample(&config, here(), &plan(10, [1, 1, 1], 1), &mut |progress| {
        looks += 1;
        progress.requests < 20_000
    });
    assert!(matches!(stopped, Err(RunError::Interrupted)) && looks > 1);
}
