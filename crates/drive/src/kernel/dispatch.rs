//! The way of a choice: channels where something changed are looked at, and what the schedule picks is started.

use wordline_ftl::Subjects;
use wordline_nand::Operation;

use super::{Drive, precedence};
use crate::array::Choice;
use crate::array::classes::{CLASSES, LEVELS, LOOK_AHEAD};
use crate::clock::Event;
use crate::features::{Features, Presence};
use crate::operation::{Kind, OpId};
use crate::scheduler::pick::ChannelView;

impl<F: Features> Drive<F> {
    /// Looks at every channel where something changed.
    pub(super) fn dispatch_marked(&mut self) {
        let start = self.schedule.first_channel();
        let mut next = self.schedule.begin_look(self.array.marked(), start);
        while let Some(channel) = next {
            // what is marked from here on is looked at next time
            self.array.marked().remove(channel);
            self.dispatch(channel);
            next = self.schedule.next_channel(start);
        }
    }

    /// Starts the best thing that can start on a channel, if its bus is free.
    fn dispatch(&mut self, channel: usize) {
        if self.array.suspends() {
            self.tend_suspended(channel, false);
        }
        if self.array.packages().is_some() && !self.array.is_bus_free(channel, self.clock.now()) {
            self.dispatch_in_packages(channel);
        }
        if self.array.is_bus_free(channel, self.clock.now()) {
            self.schedule.begin_channel();
            loop {
                let view = ChannelView {
                    channel,
                    now: self.clock.now(),
                    flash: self.array.flash(),
                    ops: self.array.ops(),
                    reload: self.array.reload_on(channel),
                };
                let picked = if F::Options::IS_POSSIBLE && self.schedule.has_view() {
                    self.schedule.ask(view, &|op| self.host.arrival_of(op.owner))
                } else {
                    self.schedule.pick(&view)
                };
                let Some(choice) = picked else {
                    if self.array.suspends() {
                        self.tend_suspended(channel, true);
                    }
                    return;
                };
                let started = match choice {
                    Choice::Out => self.start_out(channel),
                    Choice::Read { op } => self.start_reads(op, 1),
                    Choice::Unit { unit, class } => self.start_from_unit(unit as usize, class as usize),
                    Choice::Wide { .. } if self.lacks_power() => false,
                    Choice::Wide { queue } => self.start_wide(channel, queue as usize),
                    Choice::Reload { unit } => self.start_reload(unit as usize),
                };
                if started {
                    if !self.array.is_bus_free(channel, self.clock.now()) {
                        break;
                    }
                    continue; // the command took no time on the bus
                }
                if self.failure.is_some() {
                    return;
                }
                self.schedule.mark_declined(choice);
            }
        }
        self.wake_later(channel);
    }

    /// Schedules a look at a channel for when its bus is free, if there will be something to do
    /// and nothing else brings us there.
    fn wake_later(&mut self, channel: usize) {
        if let Some(at) = self.array.wake_later(channel) {
            self.clock.schedule(at, Event::Wake(channel as u32));
        }
    }

    pub(super) fn start_from_unit(&mut self, unit: usize, class: usize) -> bool {
        let queue = unit * CLASSES + class;
        match class / LEVELS {
            0 => self.start_reads(self.array.flash().queues[queue].head, LOOK_AHEAD),
            _ if self.lacks_power() => false,
            1 => self.start_programs(queue),
            _ => self.start_erases(queue),
        }
    }

    /// Starts a read, with what can join it of those behind it in its queue. Where planes read on their own it is the first of so many in its queue
    /// whose plane is free; a die that reads already takes none while a program that goes before it waits for a die to be free.
    fn start_reads(&mut self, first: OpId, looks: usize) -> bool {
        let gives_way = self.array.reads_by_plane() && self.schedule.program_waits();
        let is_startable = self.array.gather_reads(first, looks, gives_way);
        if is_startable {
            self.launch(Operation::Read, Kind::Read);
        }
        is_startable
    }

    /// Starts the first erase of a queue whose block nobody uses any more, with what can join it.
    #[inline(never)]
    fn start_erases(&mut self, queue: usize) -> bool {
        let is_startable = self.array.gather_erases(queue);
        if is_startable {
            self.launch(Operation::Erase, Kind::Erase);
        }
        is_startable
    }

    /// Issues the command in the making.
    pub(super) fn launch(&mut self, operation: Operation, kind: Kind) {
        for member in 0..self.array.members().len() {
            let id = self.array.members()[member];
            if self.observe.attributes() {
                self.array.note_queue(id);
            }
            self.dequeue(id);
            if self.host.notes_service() {
                self.serve_request_of(id);
            }
            if self.has_modes() {
                let (op, ftl) = (&self.array.ops()[id], self.control.ftl());
                let mode = ftl.mode_of(op.page);
                let read_mode = op.source().map_or(mode, |source| ftl.mode_of(source));
                self.array.set_modes(id, mode, read_mode);
            }
        }
        if kind == Kind::Program {
            let programs = self.array.members().len() as u32;
            self.schedule
                .programs_issued(programs, self.array.geometry().channels);
        }
        if self.has_modes() {
            self.tell_idle_intervals();
        }
        if matches!(kind, Kind::Program | Kind::CopyBack) && self.observe.has_probes() {
            self.tell_written();
        }
        if kind != Kind::Read && self.limit.is_some() {
            self.charge_power(kind);
        }
        if self.idle.is_some() {
            self.count_sleep();
        }
        let lifetime = self.control.lifetime(self.clock.now());
        let issued = self
            .array
            .issue(operation, kind, lifetime, &mut self.clock, &mut self.observe);
        if let Err(violation) = issued {
            self.refuse_command(violation);
        }
    }

    /// Tells those that watch what the programs of the command in the making write beside the data.
    #[inline(never)]
    fn tell_written(&mut self) {
        for member in 0..self.array.members().len() {
            let op = &self.array.ops()[self.array.members()[member]];
            let recoverable = self.control.ftl().recoverable();
            if let Some(written) = recoverable.and_then(|ftl| ftl.written(&op.step, op.page)) {
                self.observe.page_written(op.page, &written);
            }
        }
    }

    /// Moves the data of the first waiting die.
    fn start_out(&mut self, channel: usize) -> bool {
        let precedence = precedence(self.buffer.as_ref(), &self.control);
        self.array
            .start_out(channel, &precedence, &mut self.clock, &mut self.observe)
    }

    /// Sends the data of a suspended program again.
    fn start_reload(&mut self, unit: usize) -> bool {
        self.array.start_reload(unit, &mut self.clock, &mut self.observe)
    }

    /// Looks after what is suspended on a channel; `tried` says that all has been started that could.
    fn tend_suspended(&mut self, channel: usize, tried: bool) {
        let tried = if tried { self.schedule.tried() } else { &[] };
        let precedence = precedence(self.buffer.as_ref(), &self.control);
        self.array
            .tend_suspended(channel, tried, &precedence, &mut self.clock, &mut self.observe);
    }
}
