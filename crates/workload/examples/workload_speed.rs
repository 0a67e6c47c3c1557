//! What a command costs, by where it comes from, and what a long trace takes: `make bench`.
//!
//! Times are those of the CPU, of one thread. A text trace is read twice, first for its totals:
//! "reading" is the second pass alone, "in all" both with the opening.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;

use wordline_metrics::{cpu_time, peak_rss_bytes};
use wordline_units::SimTime;
use wordline_workload::{
    Fold, HostCommand, HostOp, TraceOptions, TraceWriter, WorkloadConfig, WorkloadKind, ZeroLength, convert,
    open,
};

/// Requests of each kind.
const REQUESTS: u64 = 2_000_000;
/// Requests of the long trace.
const LONG: u64 = 100_000_000;
/// Runs; the fastest counts, since other processes can only slow a run down.
const REPEATS: usize = 3;

type Failure = Box<dyn std::error::Error>;
/// Writes the row of a number.
type Row = fn(u64) -> String;

/// Texts that are read: format, requests per CPU second that are wanted, rows.
const TEXTS: [(&str, &str, Row); 4] = [
    ("msr", "5 M", |i| {
        let ticks = 128_166_385_295_514_663 + i * 100;
        format!("{ticks},hm,0,Write,{},2048,2833\n", i * 7919 % 10_000_000 * 4096)
    }),
    ("spc", "", |i| {
        let (seconds, us) = (i / 1000, i % 1000 * 1000);
        format!("{},{},4096,w,{seconds}.{us:06}\n", i % 24, i * 7919 % 1_000_000)
    }),
    ("blkparse", "", |i| {
        let (seconds, ns) = (i / 1000, i % 1000 * 1_000_000);
        let sector = i * 7919 % 10_000_000 * 8;
        format!("  8,0    3 {i:8} {seconds:5}.{ns:09}  697  D   W {sector} + 8 [kjournald]\n")
    }),
    ("ssdsim", "", |i| {
        format!("{} 0 {} 8 1\n", i * 30_000, i * 7919 % 10_000_000 * 8)
    }),
];

fn main() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let folder = tempfile::tempdir()?;
    writeln!(
        out,
        "{:28}{:>12}{:>12}{:>12}",
        "requests / CPU s", "reading", "in all", "target"
    )?;
    for (name, kind) in [
        ("random", WorkloadKind::Random),
        ("sequential", WorkloadKind::Sequential),
        ("zipf", WorkloadKind::Zipf),
        ("hot_cold", WorkloadKind::HotCold),
    ] {
        let config = WorkloadConfig {
            kind,
            requests: Some(REQUESTS),
            ..WorkloadConfig::default()
        };
        measure(name, &config, "", &mut out)?;
    }
    for (format, target, row) in TEXTS {
        let text = folder.path().join(format!("trace.{format}"));
        let mut file = BufWriter::new(File::create(&text)?);
        for index in 0..REQUESTS {
            file.write_all(row(index).as_bytes())?;
        }
        file.into_inner()?;
        let config = trace(&text, Some(format));
        measure(format, &config, target, &mut out)?;
        if format == "msr" {
            let binary = folder.path().join("trace.wlt");
            convert(&text, &binary, &TraceOptions::of(&config), &mut |_, _| true)?;
            measure("wordline", &trace(&binary, None), "10 M", &mut out)?;
        }
    }
    long_trace(&folder.path().join("long.wlt"), &mut out)
}

fn trace(path: &Path, format: Option<&str>) -> WorkloadConfig {
    WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path.to_owned()),
        format: format.map(str::to_owned),
        fold: Fold::Modulo,
        zero_length: ZeroLength::Skip,
        ..WorkloadConfig::default()
    }
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> Result<f64, Failure> {
    cpu_time().ok_or_else(|| "this system does not tell CPU time".into())
}

/// Opens and reads a workload: CPU seconds before the first command and after it, commands.
fn drain(config: &WorkloadConfig) -> Result<(f64, f64, u64), Failure> {
    let before = cpu_seconds()?;
    let mut source = open(config, 1 << 28, Path::new("."))?;
    let opened = cpu_seconds()?;
    let mut commands = 0;
    while let Some(command) = source.next_command()? {
        black_box(command);
        commands += 1;
    }
    let read = cpu_seconds()?;
    Ok((opened - before, read - opened, commands))
}

fn measure(name: &str, config: &WorkloadConfig, target: &str, out: &mut impl Write) -> Result<(), Failure> {
    let (mut reading, mut in_all) = (0.0_f64, 0.0_f64);
    for _ in 0..REPEATS {
        let (opening, read, commands) = drain(config)?;
        let per_second = |seconds: f64| commands as f64 / 1e6 / seconds;
        reading = reading.max(per_second(read));
        in_all = in_all.max(per_second(opening + read));
    }
    writeln!(out, "{name:28}{reading:>10.1} M{in_all:>10.1} M{target:>12}")?;
    Ok(())
}

/// Writes and reads a long trace, in memory that does not depend on its length.
fn long_trace(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let before = cpu_seconds()?;
    let mut writer = TraceWriter::create(path)?;
    for index in 0..LONG {
        writer.write(&HostCommand {
            arrival: SimTime(index * 10_000 + index % 7 * 1_000),
            op: if index % 3 == 0 {
                HostOp::Read
            } else {
                HostOp::Write
            },
            fua: false,
            sector: index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 << 3,
            sectors: 8,
            queue: 0,
            placement: 0,
        })?;
    }
    writer.finish()?;
    let written = cpu_seconds()? - before;
    let bytes = path.metadata()?.len();
    let (opening, reading, commands) = drain(&trace(path, None))?;
    writeln!(
        out,
        "{commands} requests in {:.1} bytes each: written in {:.1} CPU s, read in {:.1} CPU s ({:.1} M/s){}",
        bytes as f64 / commands as f64,
        written,
        opening + reading,
        commands as f64 / 1e6 / (opening + reading),
        peak_rss_bytes().map_or_else(String::new, |peak| format!(
            ", {:.0} MB of memory at most",
            peak as f64 / 1e6
        )),
    )?;
    Ok(())
}
