//! Where an operation waits: in a queue of its unit, or in one that several units take from.

use wordline_ftl::{Scope, Target};
use wordline_nand::DieId;
use wordline_units::SimTime;

use super::FlashArray;
use super::classes::{CLASSES, class};
use super::flash::Flash;
use crate::channels::ChannelSet;
use crate::features::Features;
use crate::operation::{Kind, Level, NONE, Op, OpId};

/// A die of the unit in whose queue an operation waits; the scope of a program that may go to several units.
#[inline(always)]
pub(crate) fn die_of_unit(flash: &Flash, op: &Op, kind: Kind) -> Result<DieId, Scope> {
    if kind != Kind::Program {
        return Ok(op.die);
    }
    let geometry = &flash.geometry;
    match op.target() {
        Some(Target::Frontier { scope, .. }) => match scope {
            Scope::Die(die) => Ok(die),
            Scope::Plane(plane) => Ok(geometry.die_of(plane)),
            Scope::Chip(chip) if flash.dies_per_unit == geometry.dies_per_chip => {
                Ok(DieId(chip.0 * geometry.dies_per_chip))
            }
            Scope::Drive | Scope::Channel(_) | Scope::Chip(_) => Err(scope),
        },
        _ => Ok(op.die),
    }
}

impl<F: Features> FlashArray<F> {
    /// An operation is ready: it gets its place in the order of the whole drive.
    #[inline]
    pub(crate) fn make_ready(&mut self, id: OpId, now: SimTime) {
        let op = &mut self.ops[id];
        // a further attempt of a read keeps its place
        if !op.sensing.is_retry() {
            self.flash.sequence += 1;
            op.sequence = self.flash.sequence;
        }
        op.ready = now;
    }

    /// Puts an operation that has its place in the order into its queue.
    #[inline(always)]
    pub(crate) fn queue_up(&mut self, id: OpId, now: SimTime) {
        let op = &self.ops[id];
        let Some(kind) = op.kind() else { return };
        let level = op.level;
        let die = match die_of_unit(&self.flash, op, kind) {
            Ok(die) => die,
            Err(scope) => return self.queue_up_wide(id, scope, level, now),
        };
        let unit = self.flash.unit_of(die);
        let class = class(kind, level);
        let queue = unit * CLASSES + class;
        let is_alone = self.flash.queues[queue].is_empty();
        let of_host = (level == Level::Host).then_some(now);
        self.flash.work_came(unit, class, is_alone, of_host);
        if self.loads.is_some() {
            let op = self.ops[id];
            self.count_waiting(&op, Some(unit), !op.sensing.is_retry(), now);
        }
        self.push(queue, id);
    }

    /// Puts a program that may go to several units into their queue.
    #[inline(never)]
    fn queue_up_wide(&mut self, id: OpId, scope: Scope, level: Level, now: SimTime) {
        let first = match scope {
            Scope::Channel(channel) => self.flash.channel_queue(channel),
            Scope::Chip(chip) => self.flash.chip_queue(chip.0),
            Scope::Drive | Scope::Die(_) | Scope::Plane(_) => self.flash.drive_queue(),
        };
        self.flash.wide_ops += 1;
        self.flash.wide_job_ops += u32::from(level != Level::Host);
        if first >= self.flash.chip_queue(0) {
            self.flash.chip_ops += 1;
        }
        let queue = first + level as usize;
        if self.loads.is_some() {
            let op = self.ops[id];
            self.count_waiting(&op, None, true, now);
        }
        if self.flash.queues[queue].is_empty() {
            self.flash.set_wide(queue, true);
            // behind others, which were offered to every channel already, it can only wait
            self.mark_open_channels();
        }
        self.push(queue, id);
    }

    #[inline]
    fn push(&mut self, queue: usize, id: OpId) {
        self.ops[id].queue = queue as u32;
        self.flash.queues[queue].push(&mut self.ops, id);
    }

    fn mark_open_channels(&mut self) {
        for channel in 0..self.flash.channels.len() {
            if self.flash.any_open(channel) {
                self.flash.mark(channel);
            }
        }
    }

    /// Takes a waiting operation out of its queue. Tells whether by that no program waits any more that may go to several units.
    #[inline]
    pub(crate) fn dequeue(&mut self, id: OpId) -> bool {
        let index = std::mem::replace(&mut self.ops[id].queue, NONE) as usize;
        let queue = &mut self.flash.queues[index];
        queue.remove(&mut self.ops, id);
        let is_empty = queue.is_empty();
        if let Some(loads) = self.loads.as_mut()
            && let op = &self.ops[id]
            && let (Some(kind), Level::Host) = (op.kind(), op.level)
        {
            let unit = (index < self.flash.drive_queue()).then_some(index / CLASSES);
            loads.wait(unit, kind, -1);
        }
        if index < self.flash.drive_queue() {
            if is_empty {
                self.flash.work_gone(index / CLASSES, index % CLASSES);
            }
            return false;
        }
        if is_empty {
            self.flash.set_wide(index, false);
        }
        self.flash.wide_ops -= 1;
        self.flash.wide_job_ops -= u32::from(self.ops[id].level != Level::Host);
        if index >= self.flash.chip_queue(0) {
            self.flash.chip_ops -= 1;
        }
        self.flash.wide_ops == 0
    }

    /// Operations that wait in queues.
    pub(crate) fn waiting(&self) -> u32 {
        self.flash.queues.iter().map(|queue| queue.len).sum()
    }

    /// The unit in whose queue an operation waits; none where several units take from its queue.
    #[inline]
    pub(crate) fn unit_waited_for(&self, id: OpId) -> Option<usize> {
        let queue = self.ops[id].queue as usize;
        (queue < self.flash.drive_queue()).then_some(queue / CLASSES)
    }

    /// Whether the bus of a channel is free.
    #[inline]
    pub(crate) fn is_bus_free(&self, channel: usize, now: SimTime) -> bool {
        self.flash.channels[channel].free_at <= now
    }

    /// When a channel is to be looked at because its bus is free then: where there will be something to do, and nothing else brings a
    /// look. It is told once.
    #[inline]
    pub(crate) fn wake_later(&mut self, channel: usize) -> Option<SimTime> {
        let entry = &self.flash.channels[channel];
        if entry.on_bus != NONE || entry.wake_at == entry.free_at {
            return None;
        }
        let waiting = !entry.out.is_empty()
            || self.flash.any_startable(channel)
            || self.flash.wide_startable(channel)
            || self.reload_on(channel).is_some();
        if !waiting {
            return None;
        }
        let entry = &mut self.flash.channels[channel];
        entry.wake_at = entry.free_at;
        Some(entry.wake_at)
    }

    /// The oldest program of a channel that waits for its data to be sent again.
    #[inline]
    pub(crate) fn reload_on(&self, channel: usize) -> Option<(u64, usize)> {
        if self.suspension.is_some() {
            self.best_reload(channel)
        } else {
            None
        }
    }

    /// Asks for a look at a channel before time goes on.
    #[inline]
    pub(crate) fn mark(&mut self, channel: usize) {
        self.flash.mark(channel);
    }

    /// Channels to be looked at before time goes on.
    #[inline]
    pub(crate) fn marked(&mut self) -> &mut ChannelSet {
        &mut self.flash.marked
    }
}
