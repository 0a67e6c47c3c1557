//! The way of work inside packages with controllers: what these controllers compute, and pages that they move without the channel.

use wordline_ftl::{Outcome, Work};
use wordline_nand::ChipId;

use super::Drive;
use crate::clock::Event;
use crate::features::Features;
use crate::operation::{NONE, OpId};

impl<F: Features> Drive<F> {
    /// A step of the controller of a package is ready.
    #[inline(never)]
    pub(super) fn begin_local_work(&mut self, op: OpId, chip: ChipId, cycles: u32) {
        let level = self.array.ops()[op].level;
        let Some(local) = self.control.local_mut() else {
            return self.refuse_step(op);
        };
        if let Some(work) = local.give(chip, op, level, cycles) {
            self.clock.schedule(self.clock.now() + work, Event::LocalDone(op));
        }
    }

    /// A core of the controller of a package has done its work for a step.
    pub(super) fn local_work_done(&mut self, op: OpId) {
        let now = self.clock.now();
        let Work::Local { chip, cycles } = self.array.ops()[op].step.work else {
            return;
        };
        if let Some(local) = self.control.local_mut() {
            if let Some((next, work)) = local.end(chip) {
                self.clock.schedule(now + work, Event::LocalDone(next));
            }
            let work = local.time_of(cycles);
            self.observe
                .charge_firmware(self.array.ops()[op].account, work, now);
        }
        self.op_done(op, Outcome::Good);
    }

    /// A read whose data stay in their package is ready. Where the codec of the package cannot correct the page, it goes over the channel and the controller, and
    /// so does what follows it: the program of a page that is moved.
    #[inline(never)]
    pub(super) fn read_in_package(&mut self, op: OpId) {
        if self.array.packages().is_none() {
            return self.refuse_step(op);
        }
        if !self.array.escalate(op) {
            return self.enqueue(op);
        }
        let (record, index) = (self.array.ops()[op].plan, self.array.ops()[op].index);
        if record != NONE {
            for follower in self.control.plans_mut().followers(record, index) {
                self.array.leave_package(follower);
            }
        }
        self.prepare(op);
    }

    /// The data of an array read stay in their package: its bus takes them to its controller.
    #[inline(never)]
    pub(super) fn move_in_package(&mut self, op: OpId) {
        let now = self.clock.now();
        if let Some(used) = self.array.move_in_package(op, now) {
            self.observe.package_bus_used(now, &used);
            self.clock.schedule(used.to, Event::MovedInPackage(op));
        }
    }

    /// The data of a read have left their die for the controller of the package, whose codec corrects them.
    pub(super) fn moved_in_package(&mut self, op: OpId) {
        let now = self.clock.now();
        let done = self.array.correct_in_package(op, now);
        self.observe.corrects_in_package(now, &self.array.ops()[op], done);
        let die = self.array.ops()[op].die;
        self.leave_die(op, die);
        self.clock.schedule(done, Event::ComputeDone(op));
    }

    /// Starts what stays inside the packages of a channel whose bus is busy: it does not need that bus. Collection that is not pressing leaves the dies to the host.
    #[inline(never)]
    pub(super) fn dispatch_in_packages(&mut self, channel: usize) {
        for unit in self.array.flash().units_of_channel(channel) {
            let mut tried = 0;
            while let Some(class) = self
                .array
                .next_in_package(unit, tried, |class| self.schedule.rank(class))
            {
                if self.failure.is_some() || self.start_from_unit(unit, class) {
                    break;
                }
                tried |= 1 << class;
            }
        }
    }
}
