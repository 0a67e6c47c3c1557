//! Where an operation waits: in a queue of its unit, or in one that several units take from.

use wordline_ftl::{Scope, Target};
use wordline_nand::DieId;

use super::{CLASSES, class};
use crate::drive::Drive;
use crate::operation::{Kind, Level, NONE, OpId};

impl Drive {
    /// Puts an operation into the queue that it belongs to.
    pub(crate) fn enqueue(&mut self, id: OpId) {
        let op = &mut self.ops[id];
        // a further attempt of a read keeps its place
        if !op.sensing.is_retry() {
            self.sequence += 1;
            op.sequence = self.sequence;
        }
        op.ready = self.now;
        self.queue_up(id);
        self.begin_wait(id);
    }

    /// Puts an operation that has its place in the order into its queue.
    pub(crate) fn queue_up(&mut self, id: OpId) {
        let op = &self.ops[id];
        let Some(kind) = op.kind() else { return };
        let (level, target) = (op.level, op.target());
        let geometry = &self.flash.geometry;
        let die = match target {
            Some(Target::Frontier { scope, .. }) if kind == Kind::Program => match scope {
                Scope::Die(die) => die,
                Scope::Plane(plane) => geometry.die_of(plane),
                Scope::Chip(chip) if self.flash.dies_per_unit == geometry.dies_per_chip => {
                    DieId(chip.0 * geometry.dies_per_chip)
                }
                Scope::Drive | Scope::Channel(_) | Scope::Chip(_) => {
                    return self.queue_up_wide(id, scope, level);
                }
            },
            _ => op.die,
        };
        let unit = self.flash.unit_of(die);
        let class = class(kind, level);
        let queue = unit * CLASSES + class;
        if level == Level::Host {
            self.flash.units[unit].last_host = self.now;
        }
        if self.flash.queues[queue].is_empty() {
            self.flash.set_work(unit, class, true);
        }
        if self.flash.is_idle(unit) || self.flash.units[unit].cacheable.is_some() {
            self.flash.mark(self.flash.channel_of_unit(unit));
        } else if self.suspension.is_some() {
            self.ask_to_leave(unit, id);
        }
        self.push(queue, id);
    }

    /// Puts a program that may go to several units into their queue.
    fn queue_up_wide(&mut self, id: OpId, scope: Scope, level: Level) {
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
        if self.suspension.is_some() && level == Level::Host {
            self.ask_one_to_leave(self.flash.units_of(scope));
        }
        if self.flash.queues[queue].is_empty() {
            self.flash.set_wide(queue, true);
            // behind others, which were offered to every channel already, it can only wait
            self.mark_open_channels();
        }
        self.push(queue, id);
    }

    fn push(&mut self, queue: usize, id: OpId) {
        self.ops[id].queue = queue as u32;
        self.flash.queues[queue].push(&mut self.ops, id);
        if self.write_limit.is_some() {
            self.limit_writes(id, 1);
        }
    }

    fn mark_open_channels(&mut self) {
        for channel in 0..self.flash.channels.len() {
            if self.flash.any_open(channel) {
                self.flash.mark(channel);
            }
        }
    }

    /// Takes a waiting operation out of its queue.
    pub(crate) fn dequeue(&mut self, id: OpId) {
        let index = std::mem::replace(&mut self.ops[id].queue, NONE) as usize;
        let queue = &mut self.flash.queues[index];
        queue.remove(&mut self.ops, id);
        let is_empty = queue.is_empty();
        if self.write_limit.is_some() {
            self.limit_writes(id, -1);
        }
        if index < self.flash.drive_queue() {
            if is_empty {
                self.flash.set_work(index / CLASSES, index % CLASSES, false);
            }
        } else {
            if is_empty {
                self.flash.set_wide(index, false);
            }
            self.flash.wide_ops -= 1;
            if self.flash.wide_ops == 0 {
                self.jobs.wide_queues_emptied();
            }
            self.flash.wide_job_ops -= u32::from(self.ops[id].level != Level::Host);
            if index >= self.flash.chip_queue(0) {
                self.flash.chip_ops -= 1;
            }
        }
    }
}
