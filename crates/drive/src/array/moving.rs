//! Moving data over the buses: out of a read, into the second half of a copy-back, and again into a suspended program.

use wordline_metrics::{Array, BusUse};
use wordline_nand::{ChannelId, DieId, Operation, Select};
use wordline_units::{Duration, SimTime};

use super::FlashArray;
use super::flash::DieState;
use super::suspension::Precedence;
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, NONE, OpId};

impl<F: Features> FlashArray<F> {
    /// Moves the data of the first waiting die of a channel: out of a read, or into the second half of a copy-back.
    #[inline]
    pub(crate) fn start_out(
        &mut self,
        channel: usize,
        precedence: &Precedence<'_>,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) -> bool {
        let Some(id) = self.flash.channels[channel].out.pop_front() else {
            return false;
        };
        let now = clock.now();
        let op = &self.ops[id];
        let (die, page) = (op.die, op.page);
        let (bus, array) = if op.kind() == Some(Kind::CopyBack) {
            let (bus, array) = self.program_copy(id, clock);
            if self.suspension.is_some() {
                self.copy_back_programs(id, &array, precedence, clock);
            }
            (bus, Some(array))
        } else {
            self.flash.channels[channel].on_bus = id;
            let select = self.select(die, id);
            // a bus that is free again at once would take the next data before these have left it
            let bus = self.data_out_time(id, select, now).max(Duration(1));
            clock.schedule(now + bus, Event::BusDone(channel as u32));
            (bus, None)
        };
        let to = now + bus;
        self.flash.channels[channel].free_at = to;
        observe.data_on_bus(now, &self.ops[id], to);
        let used = BusUse {
            channel: ChannelId(channel as u32),
            die,
            page,
            from: now,
            to,
            array,
        };
        observe.bus_used(&used, &self.ops[id]);
        true
    }

    /// The second half of a copy-back: how long it holds the bus, and its array step.
    #[inline(never)]
    fn program_copy(&mut self, id: OpId, clock: &mut Clock) -> (Duration, Array) {
        let op = &self.ops[id];
        let die = op.die;
        let part = self.chips.part(&self.flash.geometry, op, op.mode, true);
        let (bus, step) = self.chips.timing.issue_one(Operation::CopyBackProgram, &part);
        self.flash.dies[die.index()].state = DieState::DataOut;
        let unit = self.flash.unit_of(die);
        self.flash.units[unit].arrays_left += 1;
        let from = clock.now() + step.from;
        let array = Array {
            die,
            from,
            to: from + step.length,
        };
        clock.schedule(array.to, Event::ArrayDone(die.0));
        (bus, array)
    }

    /// How the controller has to select the die and plane before data-out.
    fn select(&self, die: DieId, op: OpId) -> Select {
        let multi_plane = self.ops[op].next != NONE || self.flash.dies[die.index()].out != op;
        let several_dies = self.flash.geometry.dies_per_chip > 1 && self.commands.interleave;
        Select {
            plane: multi_plane,
            die: several_dies,
        }
    }

    /// Sends the data of a program that is suspended in a unit again, and puts it back into the arrays.
    #[inline(never)]
    pub(crate) fn start_reload(&mut self, unit: usize, clock: &mut Clock, observe: &mut Observer<F>) -> bool {
        let Some((first, parts)) = self.parts_to_reload(unit) else {
            return false;
        };
        let now = clock.now();
        let mut loads = Vec::with_capacity(parts.len());
        let bus = self.chips.timing.issue(Operation::Program, &parts, &mut loads);
        let to: SimTime = now + bus;
        let channel = self.flash.channel_of_unit(unit);
        self.flash.channels[channel].free_at = to;
        let op = &self.ops[first];
        observe.take_channel(now, op, Kind::Program, to);
        let used = BusUse {
            channel: ChannelId(channel as u32),
            die: op.die,
            page: op.page,
            from: now,
            to,
            array: None,
        };
        observe.bus_used(&used, op);
        self.resume(unit, &loads, clock, observe);
        true
    }
}
