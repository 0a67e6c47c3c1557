//! Drives whose commands are injected while they run.

use std::path::Path;

use proptest::prelude::*;
use wordline_config::{Config, LATEST};
use wordline_drive::{Completion, LiveDrive, RunError, RunOptions};
use wordline_metrics::Status;
use wordline_units::SimTime;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, number, replay, run};
use crate::random_runs::case;

fn live(config: &Config) -> LiveDrive {
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    LiveDrive::new(config, Path::new("."), options).unwrap()
}

/// One die whose pages are 2 KiB, fresh.
fn one_die(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\nover_provisioning = 0.5\n[age]\nmethod = \"fresh\"\n{more}"
    ))
}

#[test]
fn commands_are_answered_with_their_tokens() {
    let mut drive = live(&one_die(""));
    let sectors_of_a_page = 4;
    drive
        .inject(command(1_000, HostOp::Write, 0, sectors_of_a_page), 70)
        .unwrap();
    drive
        .inject(command(1_000, HostOp::Read, 1 << 40, 1), 71)
        .unwrap();
    // no time has passed
    assert_eq!((drive.completions(), drive.now()), (Vec::new(), SimTime::ZERO));
    drive.advance_until(SimTime(999)).unwrap();
    assert_eq!((drive.completions(), drive.now()), (Vec::new(), SimTime(999)));
    drive.advance_until(SimTime(1_000)).unwrap();
    let refused = Completion {
        token: 71,
        status: Status::Refused,
        sector: 1 << 40,
        arrival: SimTime(1_000),
        completed: SimTime(1_000),
    };
    assert_eq!(drive.completions(), [refused]);
    // a program ends after its array step at the earliest
    while drive.step().unwrap() {}
    let written = drive.completions();
    assert!(
        matches!(written[..], [Completion { token: 70, status: Status::Good, completed, .. }] if completed > SimTime(200_000)),
        "{written:?}"
    );
    // a command of the past arrives now, and one that nothing was written to is read from nowhere
    let now = drive.now();
    drive.inject(command(5, HostOp::Read, 400, 1), 70).unwrap();
    while drive.step().unwrap() {}
    let read = drive.completions();
    assert_eq!((read[0].token, read[0].arrival), (70, now));
    let output = drive.finish().unwrap();
    assert_eq!(number(&output, "host.requests"), 3.0);
    assert_eq!(number(&output, "host.refused"), 1.0);
    assert_eq!(number(&output, "host.unmapped_reads"), 1.0);
}

/// Commands that are sent when the one before is answered: a closed loop, by hand.
#[test]
fn answering_commands_with_commands_is_a_closed_loop() {
    let config = one_die("[ftl.gc]\nvictim = \"greedy\"\n");
    let op = |index: u64| {
        if index % 3 == 2 {
            HostOp::Read
        } else {
            HostOp::Write
        }
    };
    let commands: Vec<HostCommand> = (0..1500)
        .map(|index| command(0, op(index), index * 37 % 300 * 4, 4))
        .collect();
    let closed = run(&config, commands.clone(), Admission::ClosedLoop { depth: 1 });
    let mut drive = live(&config);
    let mut latencies = Vec::new();
    for (token, next) in commands.into_iter().enumerate() {
        drive.inject(next, token as u64).unwrap();
        let done = loop {
            assert!(drive.step().unwrap(), "nothing answers {token}");
            if let [done] = drive.completions()[..] {
                break done;
            }
        };
        assert_eq!(done.token, token as u64);
        latencies.push(done.completed.since(done.arrival).ns());
    }
    assert!(number(&closed, "ftl.gc.victims") > 10.0);
    assert_eq!(
        latencies,
        closed
            .requests
            .completed_ns
            .iter()
            .zip(&closed.requests.arrival_ns)
            .map(|(end, start)| end - start)
            .collect::<Vec<_>>()
    );
    let output = drive.finish().unwrap();
    for key in [
        "ftl.gc.victims",
        "nand.commands",
        "host.write.latency.p99_us",
        "sim.window_s",
    ] {
        assert_eq!(number(&output, key), number(&closed, key), "{key}");
    }
}

/// Nothing comes, and the drive has nothing to do.
#[test]
fn a_drive_without_commands_rests() {
    let mut drive = live(&one_die(""));
    drive.advance_until(SimTime(5_000_000)).unwrap();
    assert!(!drive.step().unwrap());
    assert_eq!(drive.now(), SimTime(5_000_000));
    assert_eq!(number(&drive.finish().unwrap(), "host.requests"), 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Commands that are injected piece by piece, and time that goes on in steps, give what a run of the same commands gives.
    #[test]
    fn a_live_drive_gives_the_same_bytes_as_a_run(
        (config, text, commands, _, _) in case(),
        steps in prop::collection::vec(1_u64..3_000_000, 1..20),
    ) {
        let mut drive = live(&config);
        let mut left = commands.iter().enumerate().peekable();
        let mut answered = 0;
        let mut horizon = SimTime::ZERO;
        let mut steps = steps.iter().cycle();
        let outcome = loop {
            while let Some((token, next)) = left.next_if(|(_, command)| command.arrival <= horizon) {
                drive.inject(*next, token as u64).unwrap();
            }
            if left.peek().is_none() {
                break drive.finish();
            }
            if let Err(error) = drive.advance_until(horizon) {
                break Err(error);
            }
            answered += drive.completions().len();
            horizon = SimTime(horizon.0 + steps.next().unwrap());
        };
        let live = match outcome {
            Err(RunError::Stalled { .. }) if text.contains("victim = \"random\"") => {
                return Err(TestCaseError::reject("stalled by random victims"));
            }
            other => other.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?,
        };
        prop_assert!(answered <= commands.len());
        let whole = replay(&config, commands);
        prop_assert_eq!(live.summary.reproducible().to_json(), whole.summary.reproducible().to_json(), "{}", text);
        prop_assert_eq!(format!("{:?}", live.requests), format!("{:?}", whole.requests));
    }
}

/// A stream that the host releases begins anew in a block of its own; the block of the page written before is closed.
#[test]
fn a_released_stream_begins_anew() {
    let mut drive = live(&one_die("[ftl.placement]\ndirective = \"streams\"\n"));
    let write = |page: u64| HostCommand {
        placement: 5,
        ..command(0, HostOp::Write, page * 4, 4)
    };
    drive.inject(write(0), 0).unwrap();
    drive.advance_until(SimTime(100_000_000)).unwrap();
    drive.release_handle(6);
    drive.release_handle(5);
    drive.inject(write(1), 1).unwrap();
    let output = drive.finish().unwrap();
    let figures = [
        "opened",
        "released",
        "blocks_opened",
        "blocks_closed",
        "handle.5.host_pages",
    ];
    let found = figures.map(|key| number(&output, &format!("ftl.placement.{key}")));
    assert_eq!(found, [2.0, 1.0, 2.0, 1.0, 2.0]);
}

/// A command may come at the latest moment of a run; what it takes lies beyond.
#[test]
fn a_run_ends_at_the_latest_moment() {
    let mut drive = live(&one_die(""));
    drive
        .inject(command(LATEST.ns(), HostOp::Write, 0, 4), 0)
        .unwrap();
    let error = drive.finish().err().unwrap();
    assert!(
        matches!(error, RunError::Endless { at } if at == LATEST),
        "{error}"
    );
}
