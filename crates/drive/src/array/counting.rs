//! The work of the host is counted as its operations come, start and end.

use wordline_ftl::{HostLoad, IdleInterval};
use wordline_metrics::Latency;
use wordline_nand::PlaneId;
use wordline_units::{Duration, SimTime};

use super::{FlashArray, die_of_unit};
use crate::features::Features;
use crate::operation::{Level, Op};

impl<F: Features> FlashArray<F> {
    /// What the host wants of the drive and of the unit of a plane.
    pub(crate) fn load_of(&self, plane: PlaneId) -> Option<HostLoad> {
        let loads = self.loads.as_ref()?;
        let unit = self.flash.unit_of_plane(plane);
        Some(HostLoad {
            unit: unit as u32,
            units: self.flash.units.len() as u32,
            of_unit: loads.of_unit(unit),
            of_drive: loads.of_drive(),
            free_at: self.flash.free_at(unit),
        })
    }

    /// Lengths of the times without operations of the host that have ended in units.
    pub(crate) fn idle_lengths(&self) -> Option<&Latency> {
        self.loads.as_ref().map(|loads| loads.lengths())
    }

    /// Lengths of the times without operations of the host that have ended in the drive as a whole.
    pub(crate) fn idle_lengths_of_drive(&self) -> Option<&Latency> {
        self.loads.as_ref().map(|loads| loads.lengths_of_drive())
    }

    /// Time up to `now` in which there was any flash operation in the drive, of the host or not, waiting or in execution.
    pub(crate) fn busy_time(&self, now: SimTime) -> Option<Duration> {
        self.loads.as_ref().map(|loads| loads.busy(now))
    }

    /// What is counted of them is counted afresh.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        if let Some(loads) = self.loads.as_mut() {
            loads.restart_counts(now);
        }
        self.restart_packages();
    }

    /// A time without operations of the host that has ended, the first that was not told.
    pub(crate) fn take_idle_interval(&mut self) -> Option<IdleInterval> {
        self.loads.as_mut()?.take_ended()
    }

    /// An operation has entered a queue, of a unit or of several; `is_new` says that it was in none before.
    #[inline]
    pub(super) fn count_waiting(&mut self, op: &Op, unit: Option<usize>, is_new: bool, now: SimTime) {
        let (Some(loads), Some(kind)) = (self.loads.as_mut(), op.kind()) else {
            return;
        };
        if is_new {
            loads.enter_flash(now);
        }
        if op.level != Level::Host {
            return;
        }
        loads.wait(unit, kind, 1);
        if is_new {
            loads.enter_drive(now);
            if let Some(unit) = unit {
                loads.enter_unit(unit, now);
            }
        }
    }

    /// An operation that has ended counts no longer; `started` says whether it did anything.
    #[inline]
    pub(super) fn count_ended(&mut self, op: &Op, started: bool, now: SimTime) {
        let (Some(loads), Some(kind)) = (self.loads.as_mut(), op.kind()) else {
            return;
        };
        loads.leave_flash(now);
        if op.level != Level::Host {
            return;
        }
        let die = match die_of_unit(&self.flash, op, kind) {
            Ok(die) => Some(die),
            Err(_) => started.then_some(op.die),
        };
        loads.leave(die.map(|die| self.flash.unit_of(die)), now);
    }
}
