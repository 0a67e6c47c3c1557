//! The snapshots of a study: rows of its result (not the saved state of a drive), taken when they are due, and what the
//! watcher of the study is told of them.

use serde::{Deserialize, Serialize};
use wordline_ftl::archive::{ArchiveError, require};

use crate::checks::StudySizes;
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

    /// Checks what was loaded: the next one at a regular time has the number `next`, and some are held back only if
    /// `may_hold`.
    pub(crate) fn check(
        &self,
        sizes: StudySizes,
        next: u64,
        may_hold: bool,
        identity: &str,
    ) -> Result<(), ArchiveError> {
        require(self.next == next, "another snapshot to come than the time says")?;
        let taken = &self.snapshots;
        let in_order = taken.is_sorted_by(|one, other| one.time <= other.time);
        let begun = taken.first().is_some_and(|first| first.time == 0.0);
        require(begun && in_order, "snapshots that are not in the order of time")?;
        let of_fleet = taken.iter().all(|at| at.fleet.len() == sizes.drives());
        require(of_fleet, "snapshots of another number of drives")?;
        let samples = &self.timed.samples;
        let in_order = samples.is_sorted_by(|one, other| one.time <= other.time);
        let measured = samples
            .iter()
            .all(|sample| sample.requests > 0 && sample.p80 > 0.0);
        require(in_order && measured, "samples that no drive gives")?;
        require(
            may_hold || self.held.is_empty(),
            "snapshots held back, and no skip to be judged",
        )?;
        let whole = |at: &BlockSnapshot| at.identity == identity && at.blocks.is_of(sizes.blocks);
        require(
            self.held.iter().all(whole),
            "snapshots of the blocks of another drive",
        )
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
    use crate::report::BlockColumns;

    type Change = fn(&mut StudySnapshots);

    const SIZES: StudySizes = StudySizes {
        blocks: 3,
        groups: 1,
        cells: 6,
    };

    fn held(blocks: usize) -> BlockSnapshot {
        let numbers = || vec![1; blocks];
        let measures = || vec![1.0; blocks];
        BlockSnapshot {
            number: 1,
            time: 1.0,
            identity: "this".to_owned(),
            seed: 1,
            passes: 0,
            error: 0.0,
            blocks: BlockColumns {
                pool: numbers(),
                erase_count: numbers(),
                equivalent_events: measures(),
                vth_net: measures(),
                retention: measures(),
                rest_erased: measures(),
                rest_data: measures(),
                valid_pages: numbers(),
                last_program: measures(),
                role: vec![wordline_ftl::BlockRole::Free; blocks],
            },
        }
    }

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

    #[test]
    fn snapshots_that_do_not_fit_are_refused() {
        let at = |time: f64| Snapshot {
            time,
            retention: [1.0; 8],
            wear: [1.0; 8],
            erases: (1.0, 0.0, 1, 1),
            fleet: vec![1.0; 2],
        };
        let taken = || StudySnapshots {
            snapshots: vec![at(0.0), at(1.0)],
            next: 2,
            held: vec![held(3)],
            timed: TimedSamples {
                samples: vec![sample(0.0), sample(1.0)],
                next: 2,
                has_been_without_weak: false,
            },
        };
        let checked = |change: Change, may_hold: bool| {
            let mut changed = taken();
            change(&mut changed);
            changed.check(SIZES, 2, may_hold, "this")
        };
        checked(|_| {}, true).unwrap();
        let error = checked(|_| {}, false).unwrap_err().to_string();
        assert!(error.contains("held back"), "{error}");
        let changes: [(Change, &str); 12] = [
            (|of| of.next = 1, "to come"),
            (|of| of.next = u64::MAX, "to come"),
            (|of| of.snapshots.clear(), "order of time"),
            (|of| of.snapshots.swap(0, 1), "order of time"),
            (|of| of.snapshots[1].time = f64::NAN, "order of time"),
            (|of| of.snapshots[1].fleet.clear(), "number of drives"),
            (|of| of.timed.samples.swap(0, 1), "no drive gives"),
            (|of| of.timed.samples[0].p80 = f64::NAN, "no drive gives"),
            (|of| of.held[0] = held(4), "another drive"),
            (|of| of.held[0].blocks.vth_net.clear(), "another drive"),
            (|of| of.held[0].blocks.role.clear(), "another drive"),
            (|of| of.held[0].identity.clear(), "another drive"),
        ];
        for (change, told) in changes {
            let error = checked(change, true).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
