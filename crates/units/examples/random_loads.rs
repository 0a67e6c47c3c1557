//! How long a load from a random place of a table takes when it needs the one before: part of `make bench`.
//!
//! `random_loads BYTES` prints `{"ns_per_load": ...}`.

use std::io::Write;
use std::time::Instant;

/// Loads that are timed, and how often; the fastest counts.
const LOADS: u32 = 4_000_000;
const REPEATS: u32 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes: usize = std::env::args().nth(1).ok_or("how many bytes?")?.parse()?;
    let table = cycle((bytes / size_of::<u32>()).max(2));
    let mut at = 0_u32;
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        for _ in 0..LOADS {
            at = table[at as usize];
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    std::hint::black_box(at);
    let ns = best / f64::from(LOADS) * 1e9;
    writeln!(std::io::stdout(), "{{\"ns_per_load\": {ns:.2}}}")?;
    Ok(())
}

/// One random cycle through all entries (Sattolo's algorithm).
fn cycle(entries: usize) -> Vec<u32> {
    let mut table: Vec<u32> = (0..entries as u32).collect();
    let mut state = 1_u64;
    for index in (1..entries).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = ((u128::from(state >> 11) * index as u128) >> 53) as usize;
        table.swap(index, other);
    }
    table
}
