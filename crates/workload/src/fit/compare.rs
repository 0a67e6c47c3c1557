//! A trace and its surrogate side by side.

use serde::Serialize;

use crate::stats::{Bucket, Popularity, Reuse, TraceStats};

/// Sizes of an LRU cache whose hit ratio is compared, in MiB.
const CACHES: [u64; 4] = [1, 16, 256, 4096];
const PAGES_PER_MIB: u64 = 256;

/// The popularity of a side: name, and where it is.
type Skew = (&'static str, fn(&TraceStats) -> Option<&Popularity>);
/// The reuse of a side: name, and where it is.
type Distances = (&'static str, fn(&TraceStats) -> &Reuse);
/// A figure of a popularity: name, unit, and where it is.
type Skewness = (&'static str, &'static str, fn(&Popularity) -> Option<f64>);

/// A figure of a trace and of its surrogate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// What it is.
    pub figure: String,
    /// Its unit.
    pub unit: &'static str,
    /// Of the trace; `None` where it has no such figure.
    pub trace: Option<f64>,
    /// Of the surrogate.
    pub surrogate: Option<f64>,
    /// Surrogate less trace: in points where the unit is %, else in percent of the trace.
    pub difference: Option<f64>,
}

/// Every figure that is compared.
pub(crate) fn compare(trace: &TraceStats, surrogate: &TraceStats) -> Vec<Compared> {
    let mut rows = Vec::new();
    let mut row = |figure: &str, unit: &'static str, of: &dyn Fn(&TraceStats) -> Option<f64>| {
        let (trace, surrogate) = (of(trace), of(surrogate));
        let difference = trace.zip(surrogate).and_then(|(trace, surrogate)| match unit {
            "%" => Some(surrogate - trace),
            _ if trace == 0.0 => None,
            _ => Some(100.0 * (surrogate / trace - 1.0)),
        });
        if trace.is_some() || surrogate.is_some() {
            rows.push(Compared {
                figure: figure.to_owned(),
                unit,
                trace,
                surrogate,
                difference,
            });
        }
    };
    let some = |count: u64| Some(count as f64);
    row("requests", "", &|stats| some(stats.reads + stats.writes));
    row("reads", "%", &|stats| Some(stats.read_percent));
    row("mean read", "B", &|stats| stats.mean_read_bytes);
    row("mean write", "B", &|stats| stats.mean_write_bytes);
    row("starts at 4 KiB", "%", &|stats| Some(stats.aligned_start_percent));
    row("mean gap", "ms", &|stats| stats.mean_interarrival_ms);
    row("variation of the gaps", "", &|stats| stats.interarrival.cv);
    row("median gap", "µs", &|stats| stats.interarrival.p50_us);
    row("gap, 99 %", "µs", &|stats| stats.interarrival.p99_us);
    for scale in &trace.dispersion {
        let figure = format!("dispersion in {} s", scale.window_s);
        row(&figure, "", &|stats| {
            let same = |other: &&crate::Dispersion| other.window_s.to_bits() == scale.window_s.to_bits();
            stats.dispersion.iter().find(same).map(|scale| scale.index)
        });
    }
    row("sequential reads", "%", &|stats| stats.sequential.read_percent);
    row("sequential writes", "%", &|stats| stats.sequential.write_percent);
    row("sequential to one of 32", "%", &|stats| {
        Some(stats.sequential.streams_percent)
    });
    row("pages read", "", &|stats| some(stats.pages_read));
    row("pages written", "", &|stats| some(stats.pages_written));
    row("pages touched", "", &|stats| some(stats.pages_touched));
    let sides: [Skew; 2] = [
        ("reads", |stats| stats.read_popularity.as_ref()),
        ("writes", |stats| stats.write_popularity.as_ref()),
    ];
    for (side, skew) in sides {
        let figures: [Skewness; 6] = [
            ("on the hottest page", "%", |skew| Some(skew.hottest_percent)),
            ("on the top 1 % of pages", "%", |skew| Some(skew.top_1_percent)),
            ("on the top 10 % of pages", "%", |skew| Some(skew.top_10_percent)),
            ("on the top 20 % of pages", "%", |skew| Some(skew.top_20_percent)),
            ("pages used once", "%", |skew| Some(skew.once_percent)),
            ("Zipf exponent", "", |skew| skew.zipf_exponent),
        ];
        for (name, unit, of) in figures {
            row(&format!("{side}: {name}"), unit, &|stats| {
                skew(stats).and_then(of)
            });
        }
    }
    let sides: [Distances; 2] = [
        ("reads", |stats| &stats.read_reuse),
        ("writes", |stats| &stats.write_reuse),
    ];
    for (side, reuse) in sides {
        row(&format!("{side}: median reuse distance"), "pages", &|stats| {
            reuse(stats).median_pages
        });
        for mib in CACHES {
            let figure = format!("{side}: hits in an LRU cache of {mib} MiB");
            row(&figure, "%", &|stats| hits(reuse(stats), mib * PAGES_PER_MIB));
        }
    }
    rows
}

/// Share of the touches that an LRU cache of `pages` pages, a power of two, serves.
fn hits(reuse: &Reuse, pages: u64) -> Option<f64> {
    let sum = |buckets: &mut dyn Iterator<Item = &Bucket>| buckets.map(|bucket| bucket.count).sum::<u64>();
    let all = reuse.first_touches + sum(&mut reuse.histogram.iter());
    let served = sum(&mut reuse.histogram.iter().filter(|bucket| bucket.from < pages));
    (all > 0).then(|| 100.0 * served as f64 / all as f64)
}
