//! Ends of operations: what they kept from others is free.

use wordline_ftl::{Scope, Work};
use wordline_nand::{BlockId, DieId};
use wordline_units::SimTime;

use super::FlashArray;
use super::classes::{LEVELS, class};
use crate::features::Features;
use crate::operation::{Kind, Level, OpId};

/// Bits of the classes of erases.
const ERASES: u16 = ((1 << LEVELS) - 1) << class(Kind::Erase, Level::Urgent);

impl<F: Features> FlashArray<F> {
    /// An operation has ended, and is gone.
    #[inline]
    pub(crate) fn remove(&mut self, id: OpId) {
        let lpn = self.ops.remove(id).step.lpn;
        if let Some(shadow) = self.shadow() {
            shadow.ended(lpn, id);
        }
    }

    /// What an operation of a kind that has just gone used is free; `started` says whether it did anything.
    #[inline]
    pub(crate) fn release(&mut self, now: SimTime, id: OpId, kind: Option<Kind>, started: bool) {
        if self.loads.is_some() {
            let op = self.ops[id];
            self.count_ended(&op, started, now);
        }
        let op = &self.ops[id];
        let (block, die) = (op.block, op.die);
        let is_of_host = started && op.level == Level::Host && kind.is_some();
        match op.step.work {
            Work::Read { .. } => self.release_block(block, die),
            Work::CopyBack { source, .. } => {
                self.release_block(self.flash.geometry.block_of(source), die);
                if started {
                    self.release_block(block, die);
                }
            }
            Work::Program { .. } => {
                let follows_others = op.follows_others();
                if started || follows_others {
                    self.release_block(block, die);
                }
                if follows_others {
                    self.fixed.end(block);
                }
            }
            _ => {}
        }
        if is_of_host {
            let unit = self.flash.unit_of(die);
            self.flash.units[unit].last_host = now;
        }
    }

    /// A block of a part of the drive came free: programs that found no page there may find one now.
    pub(crate) fn space_freed(&mut self, scope: Scope) {
        self.flash.space_freed(self.flash.units_of(scope));
    }

    fn release_block(&mut self, block: BlockId, die: DieId) {
        if self.flash.erase_gate.remove(block) {
            // an erase of this block may have been waiting for this
            let unit = self.flash.unit_of(die);
            if self.flash.units[unit].work & ERASES != 0 && self.flash.is_idle(unit) {
                self.flash.mark(self.flash.channel_of_unit(unit));
            }
        }
    }
}
