//! Profiles derived from traces: of known truth, and real ones.

use std::cell::Cell;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::common;
use wordline_workload::{
    Fit, Profile, TraceOptions, TraceStats, WorkloadConfig, WorkloadError, WorkloadKind, fit, fit_watched,
    open, trace_stats, trace_stats_watched,
};

/// What the traces written here are read as.
const SSDSIM: TraceOptions<'_> = TraceOptions {
    format: Some("ssdsim"),
    unit: None,
    action: None,
    seed: None,
    logical_block: None,
    csv: None,
};

fn config(requests: u64) -> WorkloadConfig {
    WorkloadConfig {
        kind: WorkloadKind::Profile,
        requests: Some(requests),
        ..WorkloadConfig::default()
    }
}

/// The figure called `name`: of the trace and of the surrogate.
fn figure(fit: &Fit, name: &str) -> (f64, f64) {
    let row = fit.comparison.iter().find(|row| row.figure == name);
    let row = row.unwrap_or_else(|| panic!("no figure {name}"));
    (row.trace.unwrap_or(f64::NAN), row.surrogate.unwrap_or(f64::NAN))
}

/// That a figure of the surrogate is within `tolerance` of the trace's: in points where the figure is a
/// percentage, else as a share.
fn near(what: &str, fit: &Fit, name: &str, tolerance: f64) {
    let row = fit.comparison.iter().find(|row| row.figure == name);
    let Some(difference) = row.and_then(|row| row.difference) else {
        panic!("{what}: {name} cannot be compared: {row:?}");
    };
    assert!(
        difference.abs() <= tolerance,
        "{what}: {name} differs by {difference}, more than {tolerance}: {row:?}"
    );
}

/// Requests of a built-in profile as a trace, and the fit to it.
fn fit_to(profile: &str, requests: u64, keys: WorkloadConfig) -> Fit {
    let config = WorkloadConfig {
        profile: Some(profile.to_owned()),
        ..keys
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known.ssdsim");
    as_trace(&config, &file);
    let found = fit(&file, &SSDSIM, 7).unwrap();
    assert_eq!(found.trace.requests, requests);
    found
}

/// Writes the requests of a workload as a trace.
fn as_trace(config: &WorkloadConfig, file: &Path) {
    let mut source = open(config, 1 << 31, Path::new("")).unwrap();
    let mut rows = String::new();
    while let Some(command) = source.next_command().unwrap() {
        let read = u32::from(command.op == wordline_workload::HostOp::Read);
        writeln!(
            rows,
            "{} 0 {} {} {read}",
            command.arrival.ns(),
            command.sector,
            command.sectors
        )
        .unwrap();
    }
    std::fs::write(file, rows).unwrap();
}

/// The profile says how bursty the trace is. Without the gaps and the pace of the trace, the surrogate has as many bursts as that says.
#[test]
fn a_profile_has_the_burstiness_of_its_trace() {
    let bursty = WorkloadConfig {
        burst_bias: Some(0.7),
        ..config(65_536)
    };
    let found = fit_to("msn", 65_536, bursty);
    let bias = found.profile.arrivals.burst_bias.unwrap();
    assert_eq!(found.trace.interarrival.burst_bias, Some(bias));
    assert!((bias - 0.7).abs() < 0.03, "{bias}");

    let mut law = found.profile.clone();
    law.arrivals.gaps.clear();
    law.arrivals.pace.clear();
    law.arrivals.cycle = None;
    let again = drawn_from(&law, 65_536);
    let second = again.interarrival.burst_bias.unwrap();
    assert!((second - bias).abs() < 0.03, "{second} for {bias}");
    law.arrivals.burst_bias = None;
    let even = drawn_from(&law, 65_536).interarrival.burst_bias.unwrap();
    assert!(even < 0.53, "{even}");
}

/// The statistics of requests that are drawn from a profile in a file.
fn drawn_from(profile: &Profile, requests: u64) -> TraceStats {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("law.toml");
    std::fs::write(&file, profile.to_toml().unwrap()).unwrap();
    let config = WorkloadConfig {
        profile_file: Some(file),
        ..config(requests)
    };
    let trace = folder.path().join("drawn.ssdsim");
    as_trace(&config, &trace);
    trace_stats(&trace, &SSDSIM).unwrap()
}

/// What is drawn from a profile gives the profile back.
#[test]
fn the_law_of_a_surrogate_is_found_again() {
    let found = fit_to("msn", 60_000, config(60_000));
    let profile = &found.profile;
    assert!((profile.read_fraction - 0.672).abs() < 0.01);
    assert!(
        (profile.reads.sequential - 0.3).abs() < 0.02,
        "{}",
        profile.reads.sequential
    );
    assert!((profile.writes.sequential - 0.3).abs() < 0.02);
    assert!((profile.arrivals.mean_gap.ns() as f64 / 513_000.0 - 1.0).abs() < 0.02);
    for (name, tolerance) in [
        ("reads", 0.5),
        ("mean read", 2.0),
        ("mean write", 2.0),
        ("mean gap", 0.5),
        ("variation of the gaps", 3.0),
        ("sequential reads", 1.0),
        ("sequential writes", 1.0),
        ("pages touched", 10.0),
        ("reads: on the top 10 % of pages", 4.0),
        ("writes: on the top 10 % of pages", 4.0),
    ] {
        near("msn", &found, name, tolerance);
    }
    let (trace, surrogate) = figure(&found, "dispersion in 1 s");
    assert!(
        (0.8..1.2).contains(&trace) && surrogate < 1.5,
        "{trace}, {surrogate}"
    );
}

/// One hot page in turn with pages that are written twice.
#[test]
fn popularity_and_reuse_are_told_apart() {
    let mut rows = String::new();
    for index in 0..20_000_u64 {
        // every second write goes to one page, the others to pages that are written twice, 4 writes
        // apart
        let page = if index % 2 == 0 {
            0
        } else {
            10 + index / 8 * 4 + index / 2 % 2 * 2
        };
        writeln!(rows, "{} 0 {} 8 0", index * 1_000, page * 8).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known.ssdsim");
    std::fs::write(&file, rows).unwrap();
    let found = fit(&file, &SSDSIM, 3).unwrap();
    let writes = &found.profile.writes;
    assert_eq!(writes.places, Some(5_001));
    let [hot, cold] = &writes.popularity[..] else {
        panic!("{:?}", writes.popularity);
    };
    assert_eq!((hot.places * 5_001.0).round() as u64, 1);
    // the second of the two writes to a cold page is a repetition of the first
    assert!((cold.repeats - 1.0).abs() < 1e-9, "{cold:?}");
    assert_eq!(cold.repeat_after, [0.0, 0.0, 5_000.0]);
    near("known", &found, "writes: on the hottest page", 2.0);
    near("known", &found, "pages written", 4.0);
    near("known", &found, "writes: hits in an LRU cache of 1 MiB", 3.0);
    assert!(figure(&found, "variation of the gaps").1 < 1e-3);
}

#[test]
fn a_fit_is_repeatable_and_reads_back() {
    let found = fit_to("financial1", 5_000, config(5_000));
    assert_eq!(found, fit_to("financial1", 5_000, config(5_000)));
    let folder = tempfile::tempdir().unwrap();
    let text = found.profile.to_toml().unwrap();
    std::fs::write(folder.path().join("law.toml"), &text).unwrap();
    assert_eq!(Profile::from_toml(&text).unwrap(), found.profile);
    let config = WorkloadConfig {
        profile_file: Some(PathBuf::from("law.toml")),
        ..config(1_000)
    };
    let mut source = open(&config, 1 << 31, folder.path()).unwrap();
    let mut requests = 0;
    while source.next_command().unwrap().is_some() {
        requests += 1;
    }
    assert_eq!(requests, 1_000);
    std::fs::write(folder.path().join("law.toml"), "align = 3").unwrap();
    let error = open(&config, 1 << 31, folder.path()).err().unwrap().to_string();
    assert!(error.contains("law.toml") && error.contains("align"), "{error}");
}

#[test]
fn the_smallest_traces_have_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.ssdsim");
    for rows in [
        "0 0 7 3 1\n",
        "0 0 0 8 0\n9 0 8 8 0\n9 0 16 8 0\n",
        "5 0 0 8 1\n5 0 0 8 1\n5 1 0 8 0\n",
    ] {
        std::fs::write(&file, rows).unwrap();
        let found = fit(&file, &SSDSIM, 1).unwrap();
        assert_eq!(found.surrogate.requests, rows.lines().count() as u64);
        near(rows, &found, "requests", 0.0);
    }
}

/// How near a fit comes to real traces of seven kinds: tolerances in percent of the trace's figure,
/// or in points where the figure is a percentage.
#[test]
#[ignore = "slow: several seconds"]
fn surrogates_of_real_traces_are_like_them() {
    let Some(folder) = common::traces() else { return };
    // pages touched: where large requests overlap each other in a small part of a large space, as
    // in iozone, the places of a surrogate lie too far apart
    for (file, pages_touched) in [
        ("spc/financial1-first10k.spc.gz", Some(30.0)),
        ("spc/websearch1-first24k.spc.gz", Some(2.0)),
        ("msr/hm_0-cut-rw20-80.replayer.gz", Some(25.0)),
        ("msprod/msnfs-first100k.disksim.gz", Some(15.0)),
        ("msprod/dtrs-first85k.ssdsim-us.gz", Some(10.0)),
        ("tpcc/tpcc-small.mqsim.gz", Some(2.0)),
        ("disksim/iozone-aligned-100k.disksim.gz", None),
    ] {
        let found = fit(&folder.join(file), &TraceOptions::default(), 1).unwrap();
        let near = |name: &str, tolerance: f64| near(file, &found, name, tolerance);
        near("requests", 0.0);
        near("reads", 1.5);
        near("mean gap", 2.0);
        near("gap, 99 %", 12.0);
        if let Some(tolerance) = pages_touched {
            near("pages touched", tolerance);
        }
        for (name, requests) in [("read", found.trace.reads), ("write", found.trace.writes)] {
            if requests >= 1_000 {
                near(&format!("mean {name}"), 5.0);
                near(&format!("sequential {name}s"), 1.5);
                near(&format!("{name}s: on the top 10 % of pages"), 12.0);
                near(&format!("{name}s: hits in an LRU cache of 1 MiB"), 12.0);
            }
        }
        if found
            .comparison
            .iter()
            .any(|row| row.figure == "dispersion in 10 s")
        {
            near("dispersion in 10 s", 12.0);
        }
    }
}

/// Whatever pass over the trace is under way.
#[test]
fn every_pass_over_a_trace_can_be_stopped() {
    let mut rows = String::new();
    for row in 0..140_000_u64 {
        writeln!(rows, "{} 0 {} 8 {}", row * 1_000, row % 5_000 * 8, row % 2).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.ssdsim");
    std::fs::write(&file, rows).unwrap();
    // two questions in each pass: of 140,000 rows one at every 65,536
    for (work, passes) in [("stats", 2), ("fit", 6)] {
        let stopped_at = |last: u32| {
            let asked = Cell::new(0);
            let goes_on = || {
                asked.set(asked.get() + 1);
                asked.get() < last
            };
            let outcome = match work {
                "stats" => trace_stats_watched(&file, &SSDSIM, &goes_on).map(drop),
                _ => fit_watched(&file, &SSDSIM, 1, &goes_on).map(drop),
            };
            (outcome, asked.get())
        };
        let (outcome, questions) = stopped_at(u32::MAX);
        assert_eq!((outcome, questions), (Ok(()), 2 * passes), "{work}");
        for last in 1..=questions {
            assert_eq!(
                stopped_at(last),
                (Err(WorkloadError::Interrupted), last),
                "{work}"
            );
        }
    }
}
