//! Looking at the drive: snapshots when they are due, and what is told of them.

use serde::{Deserialize, Serialize};
use wordline_ftl::archive::{ArchiveError, require};
use wordline_units::{Duration, SimTime};

use super::consistent::Sizes;
use super::engine::Engine;
use super::options::{LifetimeEvent, LifetimeProgress};
use super::report::{self, BlockColumns, BlockSnapshot, Snapshot};
use crate::error::RunError;

/// The snapshots taken so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Looks {
    snapshots: Vec<Snapshot>,
    /// Number of the next one at a regular time.
    next: u64,
    /// Those of all blocks that are not told yet: they fall into a skip that may be taken back, or after it.
    held: Vec<BlockSnapshot>,
}

impl Looks {
    /// Snapshots taken.
    pub(super) fn taken(&self) -> usize {
        self.snapshots.len()
    }

    /// Checks what was loaded: the next one at a regular time has the number `next`, and some are held back only where that
    /// `may_hold`.
    pub(super) fn check(
        &self,
        sizes: Sizes,
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

    pub(super) fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    pub(super) fn into_snapshots(self) -> Vec<Snapshot> {
        self.snapshots
    }

    /// Leaves the first `taken` snapshots; the next one at a regular time has the number `next`.
    pub(super) fn take_back(&mut self, taken: usize, next: u64) {
        self.snapshots.truncate(taken);
        self.held.clear();
        self.next = next;
    }
}

impl Engine<'_> {
    /// When the next snapshot is due: the horizon is one.
    pub(super) fn next_look(&self) -> u64 {
        let every = self.options.every.ns();
        every
            .saturating_mul(self.looks.next)
            .min(self.options.horizon.ns())
    }

    /// Takes the snapshot of a time at which one is due.
    pub(super) fn look(&mut self, time: u64) -> Result<(), RunError> {
        self.add_snapshot(time);
        let number = self.looks.next;
        self.looks.next += 1;
        if self
            .options
            .keep
            .blocks_every
            .is_some_and(|every| number.is_multiple_of(every))
        {
            let snapshot = BlockSnapshot {
                number,
                time: Duration(time).as_secs(),
                identity: self.identity.clone(),
                seed: self.seed.0,
                passes: self.simulation.workload_passes(),
                error: self.control.error,
                blocks: self.block_columns(),
            };
            self.looks.held.push(snapshot);
        }
        if !self.is_uncertain() {
            self.tell_blocks()?;
        }
        self.tell_progress()
    }

    fn add_snapshot(&mut self, time: u64) {
        let states = &self.simulation.wear().states;
        let factor = self.climate.retention();
        let mut snapshot = report::snapshot(Duration(time).as_secs(), states, &self.lookup, factor);
        if let Some(fleet) = &self.simulation.wear().fleet {
            snapshot.fleet = fleet
                .tenths(states)
                .into_iter()
                .map(|tenth| tenth * factor)
                .collect();
        }
        self.looks.snapshots.push(snapshot);
    }

    /// Takes the snapshots that are due at `time`, and another before and after each change of temperature; whether the
    /// horizon is reached.
    pub(super) fn look_until(&mut self, time: u64) -> Result<bool, RunError> {
        let horizon = self.options.horizon;
        loop {
            let (look, change) = (self.next_look(), self.climate.change());
            if look.min(change) > time {
                return Ok(false);
            }
            if look <= change {
                self.look(look)?;
            }
            if look >= horizon.ns() && look <= change {
                return Ok(true);
            }
            if change <= look {
                if change < look {
                    self.add_snapshot(change);
                }
                self.change_temperature(change);
                self.add_snapshot(change);
            }
        }
    }

    /// Every block now.
    pub(super) fn block_columns(&self) -> BlockColumns {
        let (epoch, skipped) = (self.simulation.epoch(), self.skipped);
        let since = |time: SimTime| (time.ns() as f64 - epoch.ns() as f64 + skipped as f64) / 1e9;
        let factor = self.climate.retention();
        report::block_columns(self.simulation.ftl(), self.states(), &self.lookup, factor, since)
    }

    /// Tells of the snapshots of all blocks, which are certain now.
    pub(super) fn tell_blocks(&mut self) -> Result<(), RunError> {
        for snapshot in std::mem::take(&mut self.looks.held) {
            if !(self.watch)(LifetimeEvent::Blocks(&snapshot)) {
                return Err(RunError::Interrupted);
            }
        }
        Ok(())
    }

    /// How far the study has come.
    pub(super) fn progress(&self) -> LifetimeProgress {
        LifetimeProgress {
            share: self.now() as f64 / self.options.horizon.ns() as f64,
            programmed: self.simulation.programmed(),
        }
    }

    pub(super) fn tell_progress(&mut self) -> Result<(), RunError> {
        let progress = self.progress();
        if (self.watch)(LifetimeEvent::Progress(progress)) {
            Ok(())
        } else {
            Err(RunError::Interrupted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::BlockColumns;
    use super::*;

    type Change = fn(&mut Looks);

    const SIZES: Sizes = Sizes {
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

    #[test]
    fn snapshots_that_do_not_fit_are_refused() {
        let at = |time: f64| Snapshot {
            time,
            retention: [1.0; 8],
            wear: [1.0; 8],
            erases: (1.0, 0.0, 1, 1),
            fleet: vec![1.0; 2],
        };
        let looks = || Looks {
            snapshots: vec![at(0.0), at(1.0)],
            next: 2,
            held: vec![held(3)],
        };
        let checked = |change: Change, may_hold: bool| {
            let mut changed = looks();
            change(&mut changed);
            changed.check(SIZES, 2, may_hold, "this")
        };
        checked(|_| {}, true).unwrap();
        let error = checked(|_| {}, false).unwrap_err().to_string();
        assert!(error.contains("held back"), "{error}");
        let changes: [(Change, &str); 10] = [
            (|of| of.next = 1, "to come"),
            (|of| of.next = u64::MAX, "to come"),
            (|of| of.snapshots.clear(), "order of time"),
            (|of| of.snapshots.swap(0, 1), "order of time"),
            (|of| of.snapshots[1].time = f64::NAN, "order of time"),
            (|of| of.snapshots[1].fleet.clear(), "number of drives"),
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
