//! Requests that move no data, told apart: trims, zeroes, flushes, zone management.

use wordline_units::{Duration, SimTime};

use crate::latency::Latency;
use crate::probe::{FinishedRequest, Other};
use crate::summary::Summary;

/// Latencies of requests that move no data, by what they are; nothing in a run without any.
#[derive(Clone, Debug, Default)]
pub struct Others(Option<Box<[Latency; 4]>>);

impl Others {
    /// Records an acknowledged request, if it is one of them.
    #[inline]
    pub fn record(&mut self, request: &FinishedRequest) {
        if let Some(other) = request.other {
            let latencies = self
                .0
                .get_or_insert_with(|| Box::new(std::array::from_fn(|_| Latency::new())));
            latencies[other as usize].record(request.latency());
        }
    }

    /// Adds those of another record.
    pub fn merge(&mut self, others: &Self) {
        if let Some(more) = &others.0 {
            let own = self
                .0
                .get_or_insert_with(|| Box::new(std::array::from_fn(|_| Latency::new())));
            for (own, more) in own.iter_mut().zip(more.iter()) {
                own.merge(more);
            }
        }
    }

    /// How many there were.
    #[must_use]
    pub fn count(&self, other: Other) -> u64 {
        self.0
            .as_ref()
            .map_or(0, |latencies| latencies[other as usize].count())
    }

    /// How many do not count as requests for sectors: flushes and zone management.
    #[must_use]
    pub fn without_sectors(&self) -> u64 {
        let all = Other::ALL.into_iter().filter(|other| !other.asks_for_sectors());
        all.map(|other| self.count(other)).sum()
    }

    /// Sets `<prefix>.<other>.count`, `.iops` and latencies of those that there were, over a window.
    pub(crate) fn summarize(&self, summary: &mut Summary, prefix: &str, window: Duration) {
        for (other, name) in Other::ALL.into_iter().zip(Other::NAMES) {
            let count = self.count(other);
            if let Some(latencies) = self.0.as_ref().filter(|_| count > 0) {
                let prefix = format!("{prefix}.{name}");
                summary.add_latency(&prefix, &latencies[other as usize]);
                let rate = (window > Duration::ZERO).then(|| count as f64 / window.as_secs());
                summary.set(&format!("{prefix}.iops"), rate);
            }
        }
    }
}

/// The time from one moment to another, as far as there is any.
pub(crate) fn between(from: SimTime, to: SimTime) -> Duration {
    if from < to { to.since(from) } else { Duration::ZERO }
}
