//! A run from `age.method = "steady_state"` begins where it stays: the first part of a run is like the last. `make trust`
//! compares more of it (`examples/steady.rs`).

use std::path::Path;
use wordline_drive::{RunOptions, RunOutput, run};

use crate::common::drive;
use wordline_metrics::Value;

/// Write amplification and requests a second of the first and the last fifth of a run.
fn ends(output: &RunOutput) -> [(f64, f64); 2] {
    let series = &output.time_series;
    let requests: Vec<f64> = (0..series.start_ns.len())
        .map(|window| (series.reads[window] + series.writes[window]) as f64)
        .collect();
    let all: f64 = requests.iter().sum();
    let mut sums = [[0.0; 4]; 5];
    let mut before = 0.0;
    for (window, requests) in requests.iter().enumerate() {
        let sum = &mut sums[((before / all * 5.0) as usize).min(4)];
        before += requests;
        let host = series.pages_programmed_host[window] as f64;
        let moved = series.pages_programmed_gc[window] as f64;
        let seconds = series.width_ns[window] as f64 / 1e9;
        for (sum, more) in sum.iter_mut().zip([*requests, seconds, host, host + moved]) {
            *sum += more;
        }
    }
    [sums[0], sums[4]].map(|[requests, seconds, host, all]| (all / host, requests / seconds))
}

/// 32 planes of 64 blocks of 32 pages; a fifth of the run is less than two cycles of a pool.
fn run_of(seed: u64, depth: u32, policy: &str, more: &str) -> RunOutput {
    let mut config = drive(&format!(
        "seed = {seed}\n[geometry]\nchannels = 4\nchips_per_channel = 4\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 64\npages_per_block = 32\npage_size = \"4 KiB\"\n[ftl]\nover_provisioning = 0.28\n\
         [age]\nmethod = \"steady_state\"\n[scheduler]\npolicy = \"{policy}\"\n[workload]\nread_fraction = 0.3\n\
         request_size = \"4 KiB\"\nqueue_depth = {depth}\nrequests = 8000\nseed = {seed}\n{more}"
    ));
    config.output.timeline = Some(false);
    let output = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
    assert_eq!(output.summary.get("check.conservation"), Some(&Value::Flag(true)));
    output
}

/// The mean over twelve seeds of what changes from the first fifth to the last.
#[test]
fn the_first_part_is_like_the_last() {
    let buffer = "[buffer]\npolicy = \"lru\"\nsize = \"2 MiB\"\n";
    for (depth, policy, more) in [
        (1, "reads_first", ""),
        (16, "out_of_order", ""),
        (64, "fcfs", ""),
        (16, "out_of_order", buffer),
    ] {
        let seeds = 12;
        let mut change = [0.0; 2];
        for seed in 1..=seeds {
            let [first, last] = ends(&run_of(seed, depth, policy, more));
            change[0] += (last.0 / first.0 - 1.0) / seeds as f64;
            change[1] += (last.1 / first.1 - 1.0) / seeds as f64;
        }
        assert!(
            change.iter().all(|change| change.abs() < 0.05),
            "depth {depth}, {policy}, {more}: {change:?}"
        );
    }
}

/// Pools of few blocks in the middle of a collection that has a frontier of its own: it ends what ageing began.
#[test]
fn collections_that_are_under_way_come_to_their_end() {
    let preset = include_str!("../../../../presets/mqsim-default.toml");
    for seed in 1..=20 {
        let mut config = drive(&format!("seed = {seed}\n{preset}"));
        config.geometry = drive(
            "[geometry]\nchannels = 3\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
             blocks_per_plane = 24\npages_per_block = 12\npage_size = \"4 KiB\"\n",
        )
        .geometry;
        config.ftl.over_provisioning = 0.333;
        config.workload.requests = Some(2);
        let output = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        assert_eq!(
            output.summary.get("check.conservation"),
            Some(&Value::Flag(true)),
            "seed {seed}"
        );
    }
}
