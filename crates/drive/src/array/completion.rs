//! The ends of array steps and bus transfers: what a die does next, and which operations are done.

use wordline_nand::DieId;

use super::FlashArray;
use super::flash::DieState;
use crate::clock::Clock;
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, Level, NONE, OpId};

/// What the end of an array step is the end of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// Of nothing else.
    Nothing,
    /// Of the last read of a unit's command: the data of its dies can go out.
    Reads { unit: u32 },
    /// Of operations, the first of which leads to the others by [`FlashArray::next_of`]; a unit may have come free by that.
    Operations { first: OpId, freed: Option<u32> },
}

/// What follows in a die when the data of a read are out of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Follows {
    Nothing,
    /// The data of the read that was in the array meanwhile go out.
    DataOut,
    /// The die is free, and its unit perhaps.
    Free(Option<u32>),
}

impl<F: Features> FlashArray<F> {
    /// The operation behind one in the command of a die.
    #[inline]
    pub(crate) fn next_of(&self, id: OpId) -> OpId {
        self.ops[id].next
    }

    /// The read before one among those whose data stay in their die.
    pub(crate) fn previous_of(&self, id: OpId) -> OpId {
        self.ops[id].previous
    }

    /// What a die executes goes on to its next step or ends: whether its unit makes space may have changed, where it does. When the unit comes free it has
    /// changed in any case.
    #[inline(always)]
    pub(super) fn note_step(&mut self, die: DieId) {
        if self.flash.follows_changes() {
            self.note_step_of(die);
        }
    }

    #[inline(never)]
    fn note_step_of(&mut self, die: DieId) {
        let unit = self.flash.unit_of(die);
        if self.suspends() || self.executes_urgent(unit) {
            self.flash.note_change(unit);
        }
    }

    /// The array step of a die is over.
    #[inline]
    pub(crate) fn array_done(&mut self, die: DieId, clock: &Clock, observe: &mut Observer<F>) -> Ended {
        if let Some(suspension) = self.suspension.as_mut()
            && suspension.was_put_off(die, clock.now())
        {
            return Ended::Nothing;
        }
        let entry = self.flash.dies[die.index()];
        let unit = self.flash.unit_of(die);
        self.note_step(die);
        self.flash.units[unit].arrays_left -= 1;
        match (entry.kind, entry.state) {
            (Kind::Read, _) if self.flash.units[unit].arrays_left == 0 => Ended::Reads { unit: unit as u32 },
            (Kind::Read, _) => Ended::Nothing,
            (Kind::CopyBack, DieState::Array) => {
                self.flash.dies[die.index()].state = DieState::Turn;
                self.wait_for_bus(die, entry.running, clock, observe);
                Ended::Nothing
            }
            _ => {
                if self.suspension.is_some() {
                    self.array_ended(unit, die, clock.now(), observe);
                }
                let freed = if entry.staged == NONE {
                    self.free_die(die, clock, observe)
                } else {
                    self.flash.dies[die.index()].running = entry.staged;
                    self.flash.dies[die.index()].staged = NONE;
                    None
                };
                let first = entry.running;
                Ended::Operations { first, freed }
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

    /// Whether a die of a unit whose reads are over has data that can go out: with cached registers they wait until those of
    /// the read before are out.
    #[inline]
    pub(crate) fn has_data(&self, die: DieId) -> bool {
        let entry = &self.flash.dies[die.index()];
        entry.running != NONE && entry.out_left == 0
    }

    /// The data of a finished array read are where the bus can fetch them. Tells the last of the reads that bring no data to the
    /// controller, from which [`Self::previous_of`] leads to the others.
    #[inline]
    pub(crate) fn data_out(&mut self, die: DieId, clock: &Clock, observe: &mut Observer<F>) -> OpId {
        let entry = &mut self.flash.dies[die.index()];
        let mut op = std::mem::replace(&mut entry.running, NONE);
        entry.out = op;
        entry.out_is_urgent = self.ops[op].level == Level::Urgent;
        entry.state = DieState::DataOut;
        let mut left = 0;
        let mut without_data = NONE;
        while op != NONE {
            let next = self.ops[op].next;
            left += 1;
            if self.ops[op].brings_data() {
                self.wait_for_bus(die, op, clock, observe);
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
        without_data
    }

    /// Whether commands of a kind use the cache register: where the whole chip is one unit the
    /// controller could not tell when a register is free.
    pub(super) fn caches(&self, kind: Kind) -> bool {
        let on = match kind {
            Kind::Read => self.commands.cache_read,
            Kind::Program => self.commands.cache_program,
            Kind::CopyBack | Kind::Erase => false,
        };
        on && self.flash.dies_per_unit == 1
    }

    pub(super) fn wait_for_bus(&mut self, die: DieId, op: OpId, clock: &Clock, observe: &mut Observer<F>) {
        observe.begin_wait_for_bus(clock.now(), &self.ops[op]);
        let channel = self.flash.geometry.channel_of(die).index();
        self.flash.channels[channel].out.push_back(op);
        self.flash.mark(channel);
    }

    /// The data of a read are where they were wanted.
    #[inline]
    pub(crate) fn read_done(
        &mut self,
        (id, die): (OpId, DieId),
        clock: &Clock,
        observe: &mut Observer<F>,
    ) -> Follows {
        self.note_step(die);
        if self.reads_by_plane() {
            return if self.leave_plane(id) {
                Follows::Free(self.free_die(die, clock, observe))
            } else {
                Follows::Nothing
            };
        }
        let entry = &mut self.flash.dies[die.index()];
        entry.out_left -= 1;
        if entry.out_left > 0 {
            return Follows::Nothing;
        }
        entry.out = NONE;
        entry.out_is_urgent = false;
        if entry.running == NONE {
            Follows::Free(self.free_die(die, clock, observe))
        } else if entry.array_end <= clock.now() {
            Follows::DataOut
        } else {
            Follows::Nothing
        }
    }

    /// The data on a channel's bus have been moved: those of this operation.
    #[inline]
    pub(crate) fn bus_done(&mut self, channel: usize) -> OpId {
        let op = std::mem::replace(&mut self.flash.channels[channel].on_bus, NONE);
        self.flash.mark(channel);
        op
    }

    /// A die has come free, and its unit perhaps, of which the number is told. A unit in which something is suspended is kept for
    /// that.
    #[inline]
    pub(super) fn free_die(&mut self, die: DieId, clock: &Clock, observe: &mut Observer<F>) -> Option<u32> {
        self.flash.release(die);
        let unit = self.flash.unit_of(die);
        if self.flash.units[unit].busy_dies > 0 {
            return None;
        }
        observe.unit_released(clock.now(), die);
        if self.suspension.is_some() {
            self.hold_for_suspended(unit);
        }
        Some(unit as u32)
    }
}
