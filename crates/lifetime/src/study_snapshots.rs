//! The snapshots of a study: rows of its result (not the saved state of a drive), taken when they are due, and what the
//! watcher of the study is told of them.

use serde::{Deserialize, Serialize};

use crate::report::{BlockSnapshot, Snapshot};
use crate::timed::{TimedReport, TimedSample};

/// The snapshots taken so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StudySnapshots {
    snapshots: Vec<Snapshot>,
    /// Number of the next snapshot at a regular time, from 0.
    next: u64,
    /// Snapshots of all blocks that the watcher is not told of yet: they fall into a skip that may be undone, or follow it.
    held: Vec<BlockSnapshot>,
    timed: TimedSamples,
}

/// Samples with a clock so far.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TimedSamples {
    samples: Vec<TimedSample>,
    /// Number of the period in which the next one is due.
    next: u64,
    /// The one without weak blocks was taken, or cannot be.
    has_been_without_weak: bool,
}

impl StudySnapshots {
    /// How many were taken.
    pub(crate) fn count(&self) -> usize {
        self.snapshots.len()
    }

    /// All of them, in the order of time.
    pub(crate) fn as_slice(&self) -> &[Snapshot] {
        &self.snapshots
    }

    pub(crate) fn into_vec(self) -> Vec<Snapshot> {
        self.snapshots
    }

    /// Number of the next snapshot at a regular time, from 0.
    pub(crate) fn next_number(&self) -> u64 {
        self.next
    }

    /// Adds a snapshot.
    pub(crate) fn push(&mut self, snapshot: Snapshot) {
        self.snapshots.push(snapshot);
    }

    /// The next snapshot at a regular time is taken: counts it, and holds back that of all blocks, if there is one.
    pub(crate) fn end_regular(&mut self, blocks: Option<BlockSnapshot>) {
        self.next += 1;
        self.held.extend(blocks);
    }

    /// Takes the snapshots that are held back.
    pub(crate) fn take_held(&mut self) -> Vec<BlockSnapshot> {
        std::mem::take(&mut self.held)
    }

    /// When the next sample with a clock is due, in nanoseconds since the start of the study.
    pub(crate) fn timed_due(&self, period: u64) -> u64 {
        self.timed.next.saturating_mul(period)
    }

    /// Adds such a sample; the next one is due in the period `next`.
    pub(crate) fn push_timed(&mut self, sample: TimedSample, next: u64) {
        self.timed.samples.push(sample);
        self.timed.next = next;
    }

    /// Adds the one without weak blocks, where there can be one.
    pub(crate) fn push_timed_without_weak(&mut self, sample: Option<TimedSample>) {
        self.timed.samples.extend(sample);
        self.timed.has_been_without_weak = true;
    }

    /// Whether there was one.
    pub(crate) fn has_timed_without_weak(&self) -> bool {
        self.timed.has_been_without_weak
    }

    /// Keeps the samples up to a time in seconds, which a skip was undone to.
    pub(crate) fn truncate_timed(&mut self, now: f64, period: u64) {
        let timed = &mut self.timed;
        let before = timed.samples.len();
        timed.samples.retain(|sample| sample.time <= now);
        if timed.samples.len() < before {
            timed.has_been_without_weak = timed.samples.iter().any(|sample| sample.without_weak);
            timed.next = (now * 1e9) as u64 / period + 1;
        }
    }

    /// What is reported of them, where they were asked for.
    pub(crate) fn timed_report(&self, end_ratio: Option<f64>) -> Option<TimedReport> {
        end_ratio.map(|ratio| TimedReport::new(&self.timed.samples, ratio))
    }

    /// Keeps the first `count` snapshots; the next one at a regular time has the number `next`.
    pub(crate) fn truncate(&mut self, count: usize, next: u64) {
        self.snapshots.truncate(count);
        self.held.clear();
        self.next = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time: f64) -> TimedSample {
        TimedSample {
            time,
            without_weak: false,
            blocks: 3,
            requests: 1,
            mean: 1.0,
            p80: 1.0,
            p99: 1.0,
        }
    }

    #[test]
    fn samples_of_an_undone_skip_are_dropped() {
        let mut taken = StudySnapshots::default();
        taken.push_timed(sample(0.0), 1);
        taken.push_timed(sample(5.0), 6);
        taken.push_timed_without_weak(Some(TimedSample {
            without_weak: true,
            ..sample(5.0)
        }));
        taken.truncate_timed(5.0, 1_000_000_000);
        assert_eq!((taken.timed.samples.len(), taken.timed_due(10)), (3, 60));
        taken.truncate_timed(2.5, 1_000_000_000);
        assert_eq!((taken.timed.samples.len(), taken.timed_due(10)), (1, 30));
        assert!(!taken.has_timed_without_weak());
    }
}
