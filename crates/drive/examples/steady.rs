//! `make trust`: whether a run from the steady state begins where it stays.
//!
//! Throughput and write amplification of the first tenth of a million requests beside those of the last tenth, on the
//! preset `bench`: means over ten seeds, for victim policies, queue depths and shares of reads. Exit status 1 where they
//! differ by more than 3 % beyond the 95 % interval of the difference.
//!
//! With arguments it shows the ten tenths of one run: `steady onfi5-tlc workload.requests=200000 ...`.
#![allow(clippy::print_stdout, reason = "a table on standard output is what it is for")]

use std::path::Path;
use std::process::ExitCode;

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, RunOutput, run};

const REQUESTS: u64 = 1_000_000;
const SEEDS: u64 = 10;
const TOLERANCE: f64 = 0.03;
/// 97.5 % quantile of Student's distribution with nine degrees of freedom.
const STUDENT: f64 = 2.262;

type Anything = Box<dyn std::error::Error>;

/// A tenth of the requests of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Tenth {
    requests: f64,
    seconds: f64,
    host_pages: f64,
    all_pages: f64,
}

impl Tenth {
    fn throughput(&self) -> f64 {
        self.requests / self.seconds
    }

    fn amplification(&self) -> f64 {
        self.all_pages / self.host_pages
    }
}

/// The run in ten parts of about as many requests; a part ends with a window of the time series.
fn tenths(output: &RunOutput) -> [Tenth; 10] {
    let series = &output.time_series;
    let requests = |window: usize| (series.reads[window] + series.writes[window]) as f64;
    let windows = 0..series.start_ns.len();
    let all: f64 = windows.clone().map(requests).sum();
    let mut tenths = [Tenth::default(); 10];
    let mut before = 0.0;
    for window in windows {
        let tenth = &mut tenths[((before / all * 10.0) as usize).min(9)];
        before += requests(window);
        tenth.requests += requests(window);
        tenth.seconds += series.width_ns[window] as f64 / 1e9;
        tenth.host_pages += series.pages_programmed_host[window] as f64;
        tenth.all_pages += (series.pages_programmed_host[window] + series.pages_programmed_gc[window]) as f64;
    }
    tenths
}

fn config(drive: &str, keys: &[(String, String)]) -> Result<Config, Anything> {
    Ok(resolve(DriveSource::Named(drive), None, keys)?.config)
}

fn measure(config: &Config) -> Result<RunOutput, Anything> {
    Ok(run(config, Path::new("."), RunOptions::default(), &mut |_| true)?)
}

fn show_one(drive: &str, keys: &[String]) -> Result<(), Anything> {
    let keys: Vec<(String, String)> = keys
        .iter()
        .filter_map(|key| key.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let output = measure(&config(drive, &keys)?)?;
    for note in &output.notes {
        println!("{note}");
    }
    for tenth in tenths(&output) {
        println!(
            "{:>10.0} requests {:>10.4} s {:>10.0} requests/s  WA {:.4}",
            tenth.requests,
            tenth.seconds,
            tenth.throughput(),
            tenth.amplification()
        );
    }
    for key in [
        "host.bandwidth_mb_s",
        "ftl.write_amplification",
        "ftl.gc.free_blocks.mean",
        "ftl.gc.victims",
        "ftl.gc.victim_valid_share.mean",
        "ftl.gc.pages_moved",
        "ftl.pages.free",
    ] {
        println!("{key} {:?}", output.summary.get(key));
    }
    Ok(())
}

/// Mean of `last / first - 1` over the seeds, and half of its 95 % interval.
fn change(pairs: &[(f64, f64)]) -> (f64, f64) {
    let count = pairs.len() as f64;
    let changes: Vec<f64> = pairs.iter().map(|(first, last)| last / first - 1.0).collect();
    let mean = changes.iter().sum::<f64>() / count;
    let variance = changes.iter().map(|change| (change - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, STUDENT * (variance / count).sqrt())
}

fn compare_all() -> Result<u32, Anything> {
    println!(
        "First tenth of {REQUESTS} requests and last tenth, preset bench, means over {SEEDS} seeds.\n\n\
         {:10} {:>5} {:>5}  {:>22}  {:>22}",
        "victim", "depth", "reads", "throughput", "write amplification"
    );
    let mut outside = 0;
    for victim in ["greedy", "d_choices", "fifo"] {
        for depth in [1, 32, 256] {
            for reads in [0.0, 0.7] {
                let mut throughput = Vec::new();
                let mut amplification = Vec::new();
                for seed in 1..=SEEDS {
                    let keys = [
                        ("ftl.gc.victim", victim.to_owned()),
                        ("workload.queue_depth", depth.to_string()),
                        ("workload.read_fraction", reads.to_string()),
                        ("workload.requests", REQUESTS.to_string()),
                        ("workload.seed", seed.to_string()),
                        ("seed", seed.to_string()),
                    ]
                    .map(|(key, value)| (key.to_owned(), value));
                    let tenths = tenths(&measure(&config("bench", &keys)?)?);
                    let [first, .., last] = tenths;
                    throughput.push((first.throughput(), last.throughput()));
                    amplification.push((first.amplification(), last.amplification()));
                }
                let verdicts = [change(&throughput), change(&amplification)];
                let wrong = verdicts.iter().any(|(mean, half)| mean.abs() > TOLERANCE + half);
                outside += u32::from(wrong);
                let text =
                    verdicts.map(|(mean, half)| format!("{:+.2} % +- {:.2} %", mean * 1e2, half * 1e2));
                println!(
                    "{victim:10} {depth:>5} {reads:>5}  {:>22}  {:>22}{}",
                    text[0],
                    text[1],
                    if wrong { "  outside" } else { "" }
                );
            }
        }
    }
    println!("\n{outside} rows outside {:.0} %", TOLERANCE * 1e2);
    Ok(outside)
}

fn main() -> Result<ExitCode, Anything> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [drive, keys @ ..] = &arguments[..] {
        show_one(drive, keys)?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if compare_all()? == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
