//! The way of data out of the dies, and of the ends of commands.

use wordline_ftl::Outcome;
use wordline_nand::DieId;

use super::Drive;
use crate::array::{Decoding, Ended, Follows};
use crate::clock::Event;
use crate::error::RunError;
use crate::features::Features;
use crate::operation::{NONE, OpId};

impl<F: Features> Drive<F> {
    /// The array step of a die is over.
    pub(super) fn array_done(&mut self, die: DieId) {
        match self.array.array_done(die, &self.clock, &mut self.observe) {
            Ended::Nothing => {}
            Ended::Reads { unit } => {
                for die in self.array.flash().dies_of_unit(unit) {
                    if self.array.has_data(die) {
                        self.data_out(die);
                    }
                }
            }
            Ended::Operations { first, freed } => {
                self.unit_freed(freed);
                let mut op = first;
                while op != NONE {
                    let next = self.array.next_of(op);
                    self.op_done(op, Outcome::Good);
                    op = next;
                }
            }
        }
    }

    /// The data of a finished array read wait for the bus; reads that bring none to the controller are done.
    fn data_out(&mut self, die: DieId) {
        let mut op = self.array.data_out(die, &self.clock, &mut self.observe);
        while op != NONE {
            let previous = self.array.previous_of(op);
            if self.array.is_in_package(op) {
                self.move_in_package(op);
            } else {
                self.read_done(op, die);
            }
            op = previous;
        }
    }

    /// The array step of a plane that reads on its own is over.
    pub(super) fn plane_done(&mut self, op: OpId) {
        if !self.array.plane_done(op, &self.clock, &mut self.observe) {
            let die = self.array.ops()[op].die;
            self.read_done(op, die);
        }
    }

    /// The data on a channel's bus have been moved.
    pub(super) fn bus_done(&mut self, channel: usize) {
        let op = self.array.bus_done(channel);
        let die = self.array.ops()[op].die;
        self.read_done(op, die);
    }

    /// The data of a read are where they were wanted.
    #[inline]
    fn read_done(&mut self, op: OpId, die: DieId) {
        self.leave_die(op, die);
        match self.array.decode(op, &mut self.clock, &mut self.observe) {
            Decoding::NotNeeded => self.op_done(op, Outcome::Good),
            Decoding::Takes => {}
            Decoding::Over => self.decoded(op),
        }
    }

    /// The data of a read have left their die: what follows in it.
    #[inline]
    pub(super) fn leave_die(&mut self, op: OpId, die: DieId) {
        match self.array.read_done((op, die), &self.clock, &mut self.observe) {
            Follows::Nothing => {}
            Follows::DataOut => self.data_out(die),
            Follows::Free(unit) => self.unit_freed(unit),
        }
    }

    /// The decoder is done with the data of a read: it has succeeded, asks for finer sensing, or gives up.
    pub(super) fn decoded(&mut self, id: OpId) {
        let (now, ftl) = (self.clock.now(), self.control.ftl());
        let times = (now, self.control.lifetime(now));
        match self.array.decoded(id, times, ftl, &mut self.observe) {
            Some(outcome) => self.op_done(id, outcome),
            None => self.read_again(id),
        }
    }

    /// A further attempt is a flash command of its own; it keeps the place of the first one in the order.
    fn read_again(&mut self, id: OpId) {
        let now = self.clock.now();
        self.array.sense_finer(id, now, &mut self.observe);
        if self.has_firmware() {
            let cycles = self.control.firmware().cost.flash_command;
            let done = self.control.firmware_mut().charge(now, cycles);
            let work = self.control.firmware().time_of(cycles);
            let account = self.array.ops()[id].account;
            self.observe.charge_firmware(account, work, done);
            self.clock.schedule(done, Event::OpReady(id));
        } else {
            self.enqueue(id);
        }
    }

    /// What a unit was asked to suspend has left its arrays.
    pub(super) fn suspended(&mut self, unit: u32) {
        let suspended = self
            .array
            .suspended(unit as usize, &self.clock, &mut self.observe);
        match suspended {
            Ok(is_free) => self.unit_freed(is_free.then_some(unit)),
            Err(violation) => self.refuse_command(violation),
        }
    }

    /// A unit has come free, if any has: jobs may have waited for that.
    #[inline]
    fn unit_freed(&mut self, unit: Option<u32>) {
        if let Some(unit) = unit {
            self.control.jobs_mut().unit_freed(unit as usize);
        }
    }

    /// The run ends: the medium refuses a command.
    #[cold]
    pub(super) fn refuse_command(&mut self, violation: String) {
        self.failure = Some(RunError::Medium {
            at: self.clock.now(),
            violation,
        });
    }
}
