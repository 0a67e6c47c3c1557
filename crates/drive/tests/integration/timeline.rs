//! The timeline: what stood in front of a slow request, and the file of trace events.

use std::io::Read;
use std::path::Path;
use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run_clients};

use crate::common::{Commands, command, drive};
use serde_json::Value;
use wordline_metrics::Activity;
use wordline_workload::{Admission, Client, HostOp};

const US: u64 = 1_000;

/// One die; a program of 200 us, a read of another page that comes 10 us after it, and one that comes later.
fn a_read_behind_a_program(config: &Config, file: Option<&Path>) -> RunOutput {
    let commands = vec![
        command(0, HostOp::Write, 0, 8),
        command(500 * US, HostOp::Write, 0, 4),
        command(510 * US, HostOp::Read, 4, 4),
        command(2_000 * US, HostOp::Read, 4, 4),
    ];
    let client = Client::alone(
        Box::new(Commands::new(commands)),
        Admission::OpenLoop { limit: None },
    );
    let options = RunOptions {
        audit: true,
        timeline: file.map(Path::to_owned),
        ..RunOptions::default()
    };
    run_clients(config, vec![client], options).unwrap()
}

fn one_die(output: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n[output]\n{output}"
    ))
}

#[test]
fn a_story_names_what_stood_in_front() {
    let output = a_read_behind_a_program(&one_die(""), None);
    let table = &output.timeline.slowest;
    let row = table.number.iter().position(|number| *number == 2).unwrap();
    assert_eq!((table.die[row], table.channel[row]), (0, 0));
    assert_eq!(Activity::NAMES[table.operation[row] as usize], "read");
    let front: Vec<(&str, i64)> = (0..table.front_row.len())
        .filter(|span| table.front_row[*span] as usize == row && table.front.track[*span] == 0)
        .map(|span| {
            let activity = Activity::NAMES[usize::from(table.front.activity[span])];
            (activity, table.front.request[span])
        })
        .collect();
    assert_eq!(front, [("program", 1)]);
    // the last read found an idle drive
    let row = table.number.iter().position(|number| *number == 3).unwrap();
    assert!(!table.front_row.contains(&(row as u32)));
}

fn events(text: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).unwrap();
    value["traceEvents"].as_array().unwrap().clone()
}

#[test]
fn the_file_holds_every_step_in_microseconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("timeline.json");
    a_read_behind_a_program(&one_die(""), Some(&path));
    let events = events(&std::fs::read_to_string(&path).unwrap());
    let named = |name: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| event["name"] == name && event["pid"] == 1)
            .collect()
    };
    let programs = named("host program");
    assert_eq!(programs.len(), 3);
    assert!((programs[0]["dur"].as_f64().unwrap() - 200.0).abs() < 1e-9);
    assert_eq!(programs[2]["args"]["request"], 1);
    assert_eq!(named("host read").len(), 2);
    let requests = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((requests("b"), requests("e")), (4, 4));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_file_is_bounded_by_time_and_by_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("late.json.gz");
    let config = one_die("timeline_from = \"1 ms\"");
    let output = a_read_behind_a_program(&config, Some(&path));
    let mut text = String::new();
    let file = std::fs::File::open(&path).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let late = events(&text);
    assert!(
        late.iter()
            .all(|event| event["ph"] == "M" || event["ts"].as_f64().unwrap() >= 1_000.0)
    );
    assert_eq!(
        late.iter()
            .filter(|event| event["name"] == "host read" && event["pid"] == 1)
            .count(),
        1
    );
    assert_eq!(output.timeline.window_ns.0, 1_000 * US);
    assert!(
        output
            .timeline
            .window
            .from_ns
            .iter()
            .all(|from| *from >= 1_000 * US)
    );

    let path = folder.path().join("few.json");
    let output = a_read_behind_a_program(&one_die("timeline_events = 3"), Some(&path));
    let few = events(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(few.iter().filter(|event| event["ph"] == "X").count(), 3);
    assert!(output.timeline.events_left_out > 0);
    assert!(output.notes.iter().any(|note| note.key == "timeline"));
}

#[test]
fn a_file_that_cannot_be_made_is_told_before_the_run() {
    let client = Client::alone(
        Box::new(Commands::new(Vec::new())),
        Admission::OpenLoop { limit: None },
    );
    let options = RunOptions {
        timeline: Some("/no/such/folder/timeline.json".into()),
        ..RunOptions::default()
    };
    let error = run_clients(&one_die(""), vec![client], options).unwrap_err();
    assert!(error.is_input());
    assert!(
        error.to_string().contains("/no/such/folder/timeline.json"),
        "{error}"
    );
}
