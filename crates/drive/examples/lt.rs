use std::path::Path;
use wordline_drive::config::{DriveSource, resolve};
use wordline_drive::lifetime::{Fidelity, LifetimeOptions, lifetime};
use wordline_units::Duration;
const DAY: Duration = Duration(86_400_000_000_000);
fn main() {
    let blocks: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let a: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let text = std::fs::read_to_string("presets/bench.toml").unwrap();
    let kind = std::env::args().nth(3).unwrap_or("random".into());
    let over: Vec<(String, String)> = [("geometry.blocks_per_plane", blocks.to_string()), ("age.method", "\"steady_state\"".into()), ("ftl.wear.static", "\"swap\"".into()),
        ("workload.read_fraction", "0.0".into()), ("workload.kind", format!("\"{kind}\""))].map(|(a,b)| (a.to_string(), b)).to_vec();
    let config = resolve(DriveSource::Text(&text), None, &over).unwrap().config;
    let opts = LifetimeOptions { horizon: DAY * a, every: DAY * a.min(15), writes_per_day: Some(1.0), fidelity: if kind=="random" {Fidelity::Exact} else {Fidelity::Skip{tolerance:0.02}}, ..LifetimeOptions::default() };
    let mut mark = None;
    let t = std::time::Instant::now();
    let f = lifetime(&config, Path::new("."), &opts, &mut |p| { if mark.is_none() { mark = Some((std::time::Instant::now(), p.programmed)); } true }).unwrap();
    let (m, p0) = mark.unwrap();
    let n = f.programmed - p0;
    println!("{} programs in {:.2}s: {:.2} M/s; WA {:.3} total {:.1}s simulated {:.4} skips {:?} life {:?} err {:?}", n, m.elapsed().as_secs_f64(), n as f64 / m.elapsed().as_secs_f64() / 1e6, f.write_amplification, t.elapsed().as_secs_f64(), f.simulated, f.skips, f.life, f.life_error);
}
