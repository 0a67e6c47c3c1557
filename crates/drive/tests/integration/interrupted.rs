//! A run that the user stops: shorter, but whole.

use std::path::Path;
use wordline_config::Config;
use wordline_drive::{Phase, RunError, RunOptions, RunOutput};

use crate::common::{drive, number};
use wordline_metrics::Value;

const DRIVE: &str = include_str!("../../../../presets/tiny.toml");

/// The `tiny` preset under another workload.
fn tiny(workload: &str) -> Config {
    let (hardware, _) = DRIVE.split_once("[workload]").unwrap();
    drive(&format!("{hardware}{workload}"))
}

/// Runs an audited drive and stops it at the first look at its workload after a thousand requests.
fn stopped(config: &Config, options: RunOptions) -> RunOutput {
    let mut looks = 0;
    let output = wordline_drive::run(config, Path::new("."), options, &mut |at| {
        looks += u32::from(at.phase == Phase::Simulating && at.requests > 1_000);
        looks != 1
    });
    assert!(looks > 0, "the run ended before anyone looked");
    output.unwrap_or_else(|error| panic!("{error}"))
}

/// All that must hold of a run, after fewer requests than this.
fn is_whole(output: &RunOutput, below: f64) {
    assert!(output.interrupted);
    assert_eq!(output.summary.get("run.interrupted"), Some(&Value::Flag(true)));
    assert_eq!(output.summary.get("check.conservation"), Some(&Value::Flag(true)));
    assert!(number(output, "check.little_residual") < 1e-12);
    let requests = number(output, "host.requests");
    assert!(requests > 1_000.0 && requests < below, "{requests}");
    assert_eq!(number(output, "host.all.count"), requests);
    assert!(output.notes.iter().any(|note| note.key == "interrupted"));
}

const AUDITED: RunOptions = RunOptions {
    audit: true,
    timeline: None,
    save_state: None,
};

#[test]
fn requests_under_way_are_completed_and_no_more_are_sent() {
    let closed = "[workload]\nrequests = 60_000\nqueue_depth = 32\nread_fraction = 0.5\n";
    let open = "[workload]\nrequests = 60_000\nread_fraction = 0.5\ninterarrival = \"200 us\"\narrival = \"poisson\"\n";
    for workload in [closed, open] {
        let config = tiny(workload);
        is_whole(&stopped(&config, AUDITED), 59_000.0);
        let whole =
            wordline_drive::run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        assert!(!whole.interrupted);
        assert_eq!(whole.summary.get("run.interrupted"), Some(&Value::Flag(false)));
    }
}

#[test]
fn several_clients_stop_and_those_that_did_not_start_never_do() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("load.fio");
    std::fs::write(
        &job,
        "[global]\nsize=8m\nbs=4k\niodepth=8\nloops=20\n[first]\nrw=randrw\n[second]\nrw=randwrite\nthinktime=1ms\n\
         thinktime_blocks=16\n[later]\nstonewall\nrw=randread\n",
    )
    .unwrap();
    let config = tiny(&format!(
        "[workload]\nkind = \"fio\"\npath = '{}'\n",
        job.display()
    ));
    let output = stopped(&config, AUDITED);
    is_whole(&output, 120_000.0);
    assert_eq!(number(&output, "tenants.later.all.count"), 0.0);
}

#[test]
fn the_state_of_an_interrupted_run_is_that_of_a_drive() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let options = RunOptions {
        save_state: Some(state.clone()),
        ..RunOptions::default()
    };
    let load = "[workload]\nrequests = 60_000\nread_fraction = 0.3\n";
    stopped(&tiny(load), options);
    let mut config = tiny(load);
    config.age.method = wordline_ftl::AgeMethod::Snapshot;
    config.age.snapshot = Some(state.display().to_string());
    wordline_drive::run(&config, Path::new("."), AUDITED, &mut |_| true).unwrap();
}

#[test]
fn who_stops_it_twice_or_too_early_gets_nothing() {
    let config = tiny("[workload]\nrequests = 60_000\nqueue_depth = 8\n");
    let stop_in = |config: &Config, phase: Phase| {
        let output = wordline_drive::run(config, Path::new("."), RunOptions::default(), &mut |at| {
            at.phase != phase
        });
        output.map(|output| number(&output, "host.requests"))
    };
    assert!(matches!(
        stop_in(&config, Phase::Ageing),
        Err(RunError::Interrupted)
    ));
    let mut overwritten = tiny("[workload]\nrequests = 10\n");
    overwritten.age.method = wordline_ftl::AgeMethod::Overwritten;
    assert!(matches!(
        stop_in(&overwritten, Phase::Ageing),
        Err(RunError::Interrupted)
    ));

    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("long.csv");
    let rows: String = (0..70_000)
        .map(|i| format!("0,{},4096,r,{i}.0\n", i % 1_000))
        .collect();
    std::fs::write(&trace, rows).unwrap();
    let replayed = tiny(&format!(
        "[workload]\nkind = \"trace\"\nformat = \"spc\"\npath = '{}'\n",
        trace.display()
    ));
    assert!(matches!(
        stop_in(&replayed, Phase::ReadingTrace),
        Err(RunError::Interrupted)
    ));
}

/// 262,144 pages that ageing fills by rule: the auditor looks at them before the first request, and behind the last one.
#[test]
fn an_audit_can_be_given_up() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 256\n\
         pages_per_block = 256\n[age]\nmethod = \"steady_state\"\n[workload]\nrequests = 200\nread_fraction = 0.5\n",
    );
    let run = |goes_on: &mut dyn FnMut(wordline_drive::Progress) -> bool| {
        wordline_drive::run(&config, Path::new("."), AUDITED, goes_on)
    };
    let mut before = 0;
    let output = run(&mut |at| {
        before += u32::from(at.phase == Phase::Auditing && at.requests == 0);
        true
    });
    assert!(before > 0 && !output.unwrap().interrupted);
    for behind in [false, true] {
        let ended = run(&mut |at| at.phase != Phase::Auditing || (at.requests > 0) != behind);
        assert!(matches!(ended, Err(RunError::Interrupted)), "{behind}");
    }
}

#[test]
fn what_takes_long_to_end_can_be_given_up() {
    // one request of many pages keeps the drive at work for longer than it takes to look again
    let config = tiny(
        "[workload]\nrequests = 400\nrequest_size = \"16 MiB\"\nread_fraction = 0.0\nqueue_depth = 64\n",
    );
    let mut looks = 0;
    let output = wordline_drive::run(&config, Path::new("."), RunOptions::default(), &mut |at| {
        looks += u32::from(at.phase == Phase::Simulating);
        looks == 0
    });
    assert!(matches!(output, Err(RunError::Interrupted)), "{looks} looks");
    assert_eq!(looks, 2);
}
