//! Takes snapshots when they are due, and tells the watcher of the study.

use wordline_units::{Duration, SimTime};

use super::Engine;
use crate::error::LifetimeError;
use crate::fleet::tenths;
use crate::options::{LifetimeEvent, LifetimeProgress};
use crate::report::{self, BlockColumns, BlockSnapshot};

impl Engine<'_> {
    /// When the next snapshot is due, in nanoseconds since the start of the study; one is taken at the horizon.
    pub(crate) fn next_snapshot_time(&self) -> u64 {
        let every = self.options.every.ns();
        every
            .saturating_mul(self.snapshots.next_number())
            .min(self.options.horizon.ns())
    }

    /// Takes the snapshot that is due at a time.
    pub(crate) fn take_snapshot(&mut self, time: u64) -> Result<(), LifetimeError> {
        self.add_snapshot(time);
        let number = self.snapshots.next_number();
        let every = self.options.keep.blocks_every;
        let has_blocks = every.is_some_and(|every| number.is_multiple_of(every));
        let blocks = has_blocks.then(|| BlockSnapshot {
            number,
            time: Duration(time).as_secs(),
            identity: self.identity.clone(),
            seed: self.seed.0,
            passes: self.simulation.workload_passes(),
            error: self.control.error,
            blocks: self.block_columns(),
        });
        self.snapshots.end_regular(blocks);
        if !self.is_uncertain() {
            self.report_blocks()?;
        }
        self.report_progress()
    }

    fn add_snapshot(&mut self, time: u64) {
        let wear = self.simulation.wear();
        let states = &wear.states;
        let factor = self.temperature.retention_factor();
        let retentions = (wear.retentions(factor), self.left());
        let mut snapshot = report::snapshot(
            Duration(time).as_secs(),
            states,
            retentions,
            self.options.required,
        );
        if let Some(fleet) = &wear.fleet {
            snapshot.fleet = tenths(fleet, states)
                .into_iter()
                .map(|tenth| tenth * factor)
                .collect();
        }
        self.snapshots.push(snapshot);
    }

    /// Takes the snapshots that are due up to `time`, and one before and one after each change of temperature. Returns whether
    /// the horizon is reached.
    pub(crate) fn take_snapshots_until(&mut self, time: u64) -> Result<bool, LifetimeError> {
        let horizon = self.options.horizon;
        loop {
            let (due, change) = (self.next_snapshot_time(), self.temperature.next_change());
            if due.min(change) > time {
                return Ok(false);
            }
            if due <= change {
                self.take_snapshot(due)?;
            }
            if due >= horizon.ns() && due <= change {
                return Ok(true);
            }
            if change <= due {
                if change < due {
                    self.add_snapshot(change);
                }
                self.change_temperature(change);
                self.add_snapshot(change);
            }
        }
    }

    /// The table of blocks now.
    pub(crate) fn block_columns(&self) -> BlockColumns {
        let (epoch, skipped) = (self.simulation.epoch(), self.skipped);
        let since = |time: SimTime| (time.ns() as f64 - epoch.ns() as f64 + skipped as f64) / 1e9;
        let retentions = self
            .simulation
            .wear()
            .retentions(self.temperature.retention_factor());
        let mut columns = report::block_columns(
            self.simulation.ftl(),
            self.states(),
            &self.lookup,
            retentions,
            self.left(),
            since,
        );
        // data of refreshed drives grow older in skips
        if let Some(health) = &self.simulation.wear().health {
            for (programmed, skipped) in columns.last_program.iter_mut().zip(health.skipped()) {
                *programmed -= Duration(*skipped).as_secs();
            }
        }
        columns
    }

    /// Tells the watcher of the snapshots of all blocks that were held back; they will not be undone.
    pub(crate) fn report_blocks(&mut self) -> Result<(), LifetimeError> {
        for snapshot in self.snapshots.take_held() {
            if !(self.watch)(LifetimeEvent::Blocks(&snapshot)) {
                return Err(LifetimeError::Interrupted);
            }
        }
        Ok(())
    }

    /// How far the study has come.
    pub(crate) fn progress(&self) -> LifetimeProgress {
        LifetimeProgress {
            share: self.now() as f64 / self.options.horizon.ns() as f64,
            programmed: self.simulation.programmed(),
        }
    }

    pub(crate) fn report_progress(&mut self) -> Result<(), LifetimeError> {
        let progress = self.progress();
        if (self.watch)(LifetimeEvent::Progress(progress)) {
            Ok(())
        } else {
            Err(LifetimeError::Interrupted)
        }
    }
}
