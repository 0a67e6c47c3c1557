//! How long a command costs: `cargo run --release --example workload_speed`.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use wordline_workload::{Fold, WorkloadConfig, WorkloadKind, ZeroLength, open};

const REQUESTS: u64 = 4_000_000;

/// Writes the row of a number.
type Row = fn(u64) -> String;

fn measure(
    name: &str,
    config: &WorkloadConfig,
    out: &mut impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut source = open(config, 1 << 28, Path::new("."))?;
    let opened = start.elapsed();
    let start = Instant::now();
    let mut count = 0_u64;
    while let Some(command) = source.next_command()? {
        black_box(command);
        count += 1;
    }
    let ns = start.elapsed().as_nanos() as f64 / count as f64;
    writeln!(
        out,
        "{name:12} {ns:6.1} ns per command ({:.1} M/s), opened in {opened:.2?}",
        1e3 / ns
    )?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let requests = Some(REQUESTS);
    for (name, kind) in [
        ("random", WorkloadKind::Random),
        ("sequential", WorkloadKind::Sequential),
        ("zipf", WorkloadKind::Zipf),
        ("hot_cold", WorkloadKind::HotCold),
    ] {
        measure(
            name,
            &WorkloadConfig {
                kind,
                requests,
                ..WorkloadConfig::default()
            },
            &mut out,
        )?;
    }
    let rows: [(&str, Row); 3] = [
        ("spc", |i| {
            format!(
                "{},{},4096,w,{}.{:06}\n",
                i % 24,
                i * 7919 % 1_000_000,
                i / 1000,
                i % 1000 * 1000
            )
        }),
        ("msr", |i| {
            format!(
                "{},hm,0,Write,{},2048,2833\n",
                128_166_385_295_514_663 + i * 100,
                i * 4096
            )
        }),
        ("ssdsim", |i| {
            format!("{} 0 {} 8 1\n", i * 30_000, i * 7919 % 10_000_000)
        }),
    ];
    for (format, row) in rows {
        let path = std::env::temp_dir().join(format!("wordline-speed-{}.{format}", std::process::id()));
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
        for index in 0..REQUESTS {
            file.write_all(row(index).as_bytes())?;
        }
        file.into_inner()?;
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(path.clone()),
            fold: Fold::Modulo,
            zero_length: ZeroLength::Skip,
            ..WorkloadConfig::default()
        };
        let result = measure(format, &config, &mut out);
        std::fs::remove_file(&path)?;
        result?;
    }
    Ok(())
}
