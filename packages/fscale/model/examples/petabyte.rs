//! How fast a petabyte is simulated, and in how much memory: `cargo run --release -p wordline-fscale --example petabyte`.

use std::error::Error;
use std::io::Write;

use wordline_fscale::{Backend, HitRate, RunSettings, named};
use wordline_metrics::cpu_time;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "drive, back end, hit rate: M operations per CPU s, CPU s until the first, MB of tables and queues"
    )?;
    for name in ["fscale-1pb", "conventional-1pb", "hybrid-1pb"] {
        for (backend, hit) in [
            (Backend::Statistical, HitRate::Uniform),
            (Backend::Permuted, HitRate::Uniform),
            (Backend::Permuted, HitRate::Lru),
        ] {
            let mut drive = named(name)?;
            drive.workload.write_fraction = 0.5;
            drive.table.hit = hit;
            let timed = |operations| {
                let settings = RunSettings {
                    backend,
                    operations,
                    ..RunSettings::default()
                };
                let start = cpu_time().unwrap_or_default();
                drive
                    .simulate(&settings)
                    .map(|found| (cpu_time().unwrap_or_default() - start, found))
            };
            let (start_up, _) = timed(100)?;
            let (all, found) = timed(500_000)?;
            writeln!(
                out,
                "{name}, {backend:?}, {hit:?}: {:.2}, {start_up:.3}, {:.1}",
                found.simulated as f64 / 1e6 / (all - start_up).max(1e-9),
                found.resident_bytes as f64 / 1e6
            )?;
        }
    }
    Ok(())
}
