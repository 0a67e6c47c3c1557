//! Programs and erases of zones that fail (NVM Express, zoned namespace command set: zones that become read-only or offline by themselves).
//!
//! A program that fails ends its command with a write fault, and its zone can be read only from then on: what was written stays where it is, and the host copies it elsewhere.
//! A block that cannot be erased is not used any more, and neither is one with a failed program when its zone was reset in time. While a plane has other blocks for its zones nobody notices; then
//! a zone without blocks goes offline.

use wordline_nand::{BlockId, Ppn};

use super::ZonedFtl;
use crate::zone::ZoneState;

impl ZonedFtl {
    /// The program of a page has failed.
    pub(super) fn fail_program(&mut self, page: Ppn) {
        self.has_fault = true;
        if let Some(zone) = self.blocks.fail(page) {
            self.table.lose(zone, ZoneState::ReadOnly);
        }
    }

    /// A block was not erased, or is not to be used again: where its plane has too few others, zones without blocks go offline, first the one that it belonged to.
    pub(super) fn retire(&mut self, block: BlockId) {
        self.counters.retired_blocks += 1;
        let before = self.blocks.retire(block);
        let plane = self.geometry.plane_of(block).0;
        while self.blocks.is_short(plane, |zone| !self.table.is_lost(zone)) {
            let Some(zone) = self.next_lost(plane, before) else {
                return;
            };
            self.table.lose(zone, ZoneState::Offline);
            self.has_fault |= Some(zone) == before;
        }
    }

    /// The zone that goes offline next for want of a block in a plane: the one that has lost its block, else one that is empty, else one whose writes wait for a block; of these the last one.
    fn next_lost(&self, plane: u32, before: Option<u32>) -> Option<u32> {
        let is_without = |zone: &u32| {
            let mut members = 0..self.blocks.per_zone();
            !self.table.is_lost(*zone)
                && !self.blocks.owns(*zone)
                && members.any(|member| self.blocks.plane(*zone, member) == plane)
        };
        let is_empty = |zone: &u32| self.table.zones[*zone as usize].state == ZoneState::Empty;
        let last = || (0..self.layout.zones).rev().filter(is_without);
        let empty = || last().find(is_empty);
        before.filter(is_without).or_else(empty).or_else(|| last().next())
    }
}
