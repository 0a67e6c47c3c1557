//! The ends of array steps and bus transfers: what a die does next, and which operations are done.

use wordline_ftl::Outcome;
use wordline_nand::DieId;

use crate::drive::Drive;
use crate::flash::DieState;
use crate::operation::{Kind, NONE, OpId};

impl Drive {
    /// The array step of a die is over.
    pub(crate) fn array_done(&mut self, die: DieId) {
        if let Some(suspension) = &mut self.suspension
            && suspension.was_put_off(die, self.now)
        {
            return;
        }
        let entry = self.flash.dies[die.index()];
        let unit = self.flash.unit_of(die);
        self.flash.units[unit].arrays_left -= 1;
        match (entry.kind, entry.state) {
            (Kind::Read, _) => {
                if self.flash.units[unit].arrays_left == 0 {
                    self.data_ready(unit);
                }
            }
            (Kind::CopyBack, DieState::Array) => {
                self.flash.dies[die.index()].state = DieState::Turn;
                self.wait_for_bus(die, entry.running);
            }
            _ => {
                if self.suspension.is_some() {
                    self.array_ended(unit, die);
                }
                if entry.staged == NONE {
                    self.free_die(die);
                } else {
                    self.flash.dies[die.index()].running = entry.staged;
                    self.flash.dies[die.index()].staged = NONE;
                }
                let mut op = entry.running;
                while op != NONE {
                    let next = self.ops[op].next;
                    self.op_done(op, Outcome::Good);
                    op = next;
                }
            }
        }
    }

    /// A die that works on a cached program can take the data of the next one.
    pub(crate) fn register_free(&mut self, die: DieId) {
        let entry = self.flash.dies[die.index()];
        if entry.state == DieState::Array && entry.kind == Kind::Program && entry.staged == NONE {
            self.flash
                .set_cacheable(self.flash.unit_of(die), Some(Kind::Program));
        }
    }

    /// Every array read of a unit's command is over: its data queue up for the bus.
    fn data_ready(&mut self, unit: usize) {
        let first = unit as u32 * self.flash.dies_per_unit;
        for die in (first..first + self.flash.dies_per_unit).map(DieId) {
            let entry = &self.flash.dies[die.index()];
            // with cached registers the data wait until those of the read before are out
            if entry.running != NONE && entry.out_left == 0 {
                self.data_out(die);
            }
        }
    }

    /// The data of a finished array read are where the bus can fetch them.
    fn data_out(&mut self, die: DieId) {
        let entry = &mut self.flash.dies[die.index()];
        let mut op = std::mem::replace(&mut entry.running, NONE);
        entry.out = op;
        entry.state = DieState::DataOut;
        let mut left = 0;
        let mut without_data = NONE;
        while op != NONE {
            let next = self.ops[op].next;
            left += 1;
            if self.moves_data(op) {
                self.wait_for_bus(die, op);
            } else {
                self.ops[op].previous = without_data;
                without_data = op;
            }
            op = next;
        }
        self.flash.dies[die.index()].out_left = left;
        if self.caches(Kind::Read) {
            self.flash
                .set_cacheable(self.flash.unit_of(die), Some(Kind::Read));
        }
        while without_data != NONE {
            let previous = self.ops[without_data].previous;
            self.read_done(without_data, die);
            without_data = previous;
        }
    }

    /// Whether commands of a kind use the cache register: where the whole chip is one unit the
    /// controller could not tell when a register is free.
    pub(crate) fn caches(&self, kind: Kind) -> bool {
        let on = match kind {
            Kind::Read => self.commands.cache_read,
            Kind::Program => self.commands.cache_program,
            Kind::CopyBack | Kind::Erase => false,
        };
        on && self.flash.dies_per_unit == 1
    }

    fn wait_for_bus(&mut self, die: DieId, op: OpId) {
        self.begin_wait_for_bus(op);
        let channel = self.flash.geometry.channel_of(die).index();
        self.flash.channels[channel].out.push_back(op);
        self.flash.mark(channel);
    }

    /// The data of a read are where they were wanted.
    fn read_done(&mut self, op: OpId, die: DieId) {
        let entry = &mut self.flash.dies[die.index()];
        entry.out_left -= 1;
        if entry.out_left == 0 {
            entry.out = NONE;
            let waiting = entry.running != NONE && entry.array_end <= self.now;
            if waiting {
                self.data_out(die);
            } else if entry.running == NONE {
                self.free_die(die);
            }
        }
        self.decode(op);
    }

    /// The data on a channel's bus have been moved.
    pub(crate) fn bus_done(&mut self, channel: usize) {
        let op = std::mem::replace(&mut self.flash.channels[channel].on_bus, NONE);
        self.flash.mark(channel);
        let die = self.ops[op].die;
        self.read_done(op, die);
    }
}
