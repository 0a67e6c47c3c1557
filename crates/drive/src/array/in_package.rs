//! Operations inside packages with controllers: their data, and when they start.

use wordline_ftl::{Route, Work};
use wordline_metrics::PackageBusUse;
use wordline_nand::Select;
use wordline_units::SimTime;

use super::FlashArray;
use super::classes::{CLASSES, LEVELS};
use super::packages::Packages;
use super::queueing::die_of_unit;
use crate::features::Features;
use crate::operation::{Level, Op, OpId};

impl Op {
    /// Its data go over the channel and the controller, though they were to stay in the package.
    fn leave_package(&mut self) {
        if let Work::Read { route, .. } | Work::Program { route, .. } = &mut self.step.work {
            *route = Route::Controller;
        }
        self.in_package = false;
    }
}

impl<F: Features> FlashArray<F> {
    /// The inside of packages, where these have controllers.
    #[inline(always)]
    pub(crate) fn packages(&self) -> Option<&Packages> {
        self.packages.as_ref().map(|packages| &**packages)
    }

    /// Counts afresh what was done inside packages.
    pub(super) fn restart_packages(&mut self) {
        if let Some(packages) = self.packages.as_mut() {
            packages.restart_counts();
        }
    }

    /// Whether the page of a read inside a package turns out to be one that the codec of the package cannot correct. It goes over the channel then.
    pub(crate) fn escalate(&mut self, id: OpId) -> bool {
        let escalates = self
            .packages
            .as_mut()
            .is_some_and(|packages| packages.escalates());
        if escalates {
            self.ops[id].leave_package();
        }
        escalates
    }

    /// What an idle unit starts next of what stays in its package, by class, beside the classes that were tried in vain (a bit each): collection that is not pressing
    /// waits for the host. The one with the lowest rank goes first, then the oldest.
    pub(crate) fn next_in_package(
        &self,
        unit: usize,
        tried: u16,
        rank: impl Fn(usize) -> u8,
    ) -> Option<usize> {
        let flash = &self.flash;
        if !flash.is_idle(unit) {
            return None;
        }
        let waiting = flash.units[unit].startable_classes();
        let of_host = |class: usize| class % LEVELS == Level::Host as usize;
        let host_waits = (flash.wide_ops > 0 && flash.is_roomy(unit))
            || (0..CLASSES).any(|class| of_host(class) && waiting >> class & 1 == 1);
        let startable = (0..CLASSES).filter(|class| {
            let level = class % LEVELS;
            let goes_first = level <= Level::Host as usize;
            (waiting & !tried) >> class & 1 == 1
                && (goes_first || !host_waits)
                && self.ops[flash.queues[unit * CLASSES + class].head].in_package
        });
        startable.min_by_key(|class| {
            let first = flash.queues[unit * CLASSES + class].head_sequence;
            (rank(*class), first)
        })
    }

    /// Whether an operation needs the channel, in a drive whose packages do without, while another one has it.
    #[inline(always)]
    pub(crate) fn needs_busy_channel(&self, id: OpId, now: SimTime) -> bool {
        if !self.packages.is_some() || self.ops[id].in_package {
            return false;
        }
        let op = &self.ops[id];
        let Some(Ok(die)) = op.kind().map(|kind| die_of_unit(&self.flash, op, kind)) else {
            return false;
        };
        !self.is_bus_free(self.flash.geometry.channel_of(die).index(), now)
    }

    /// The data of an operation come over the channel, as those that it follows did.
    pub(crate) fn leave_package(&mut self, id: OpId) {
        self.ops[id].leave_package();
    }

    /// The data of a read that stay in their package go over its bus.
    pub(crate) fn move_in_package(&mut self, id: OpId, now: SimTime) -> Option<PackageBusUse> {
        let packages = self.packages.as_mut()?;
        let op = &self.ops[id];
        let bytes = packages.timing.bytes(op.sectors());
        let length = packages.timing.data_out(bytes, Select::default());
        let chip = self.flash.geometry.chip_of(op.die);
        let (from, to) = packages.take_bus(chip, now, length);
        Some(PackageBusUse {
            chip,
            die: op.die,
            page: Some(op.page),
            from,
            to,
        })
    }

    /// The codec of the package corrects the data of a read: when it is done.
    pub(crate) fn correct_in_package(&mut self, id: OpId, now: SimTime) -> SimTime {
        let Some(packages) = self.packages.as_mut() else {
            return now;
        };
        let op = &self.ops[id];
        let bytes = packages.timing.bytes(op.sectors());
        packages.correct(self.flash.geometry.chip_of(op.die), now, bytes)
    }
}
