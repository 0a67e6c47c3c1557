//! After a power cut: the mapping is built anew, and so is what is kept on flash for the next cut.

use std::collections::BTreeSet;

use wordline_nand::{BlockId, Ppn};

use super::Recorded;
use super::journal::Journal;
use super::recovery_scan::RecoveryScan;
use super::substitutes::Substitutes;
use super::versions::Numbers;
use crate::recovery::{FoundFlash, OwnPage, Repair, SpareArea, Unsettled};

impl Recorded {
    /// A page that was found beside another of the same version which has fewer sub-pages gets a fresh version: what was trimmed before that one was made
    /// is back, and copies that are made from now on must not be taken for older than it.
    pub(super) fn renew_versions(&mut self, learned: &RecoveryScan) {
        let mut renewed = BTreeSet::new();
        // a copy that was superseded before it began holds nothing
        let of_user = |spare: &&SpareArea| spare.sectors != 0 && spare.lpn.0 < self.inner.user_pages();
        for spare in learned.spare.values().filter(of_user) {
            let own = self.inner.lookup(spare.lpn);
            let chosen = own.and_then(|own| learned.spare.get(&self.places.of_drive(own)));
            if chosen.is_some_and(|chosen| chosen.version == spare.version && chosen.sectors != spare.sectors)
            {
                renewed.extend(own);
            }
        }
        // all pages of a unit have one version
        let per_unit = u64::from(self.places.per_unit);
        let units: BTreeSet<u64> = renewed.into_iter().map(|place| place.0 / per_unit).collect();
        for unit in units {
            let version = self.versions.next();
            for place in (unit * per_unit..(unit + 1) * per_unit).map(Ppn) {
                let write = self.versions.of(place).write;
                self.versions.found(place, Numbers { version, write });
            }
        }
    }
}

/// A map that was built anew: where each of its pages is, which of them have data, and which block a place is in.
pub(super) struct Map<'a> {
    pub(super) entry: &'a dyn Fn(u64) -> Option<Ppn>,
    pub(super) holds_data: &'a dyn Fn(u64) -> bool,
    pub(super) block_of: &'a dyn Fn(Ppn) -> BlockId,
    pub(super) pages: u64,
}

/// What it was built from.
pub(super) struct Found<'a> {
    pub(super) flash: &'a dyn FoundFlash,
    pub(super) learned: &'a RecoveryScan,
    /// The newest host write or TRIM.
    pub(super) newest: u64,
}

impl Journal {
    /// Takes over what was found of journal and checkpoints; the journal goes on at the first position whose row holds nothing.
    pub(super) fn take_over(&mut self, found: &Found<'_>, map: &Map<'_>, repairs: &mut Vec<Repair>) {
        self.trimmed.clone_from(&found.learned.trimmed);
        self.trimmed.retain(|lpn, _| !(map.holds_data)(*lpn));
        let mut bad = BTreeSet::new();
        for block in self.blocks_of_area() {
            let found = found.flash.block(block);
            self.blocks.insert(block, (found.passed, found.erases));
            if found.bad {
                bad.insert(block);
            }
        }
        let stands_for = &found.learned.stands_for;
        self.substitutes = Substitutes::of_found(&self.area, bad, stands_for);
        self.retired_before = self.substitutes.bad_blocks();
        // what can be read of them says for which blocks they stood
        let unread = self.substitutes.spare_blocks();
        self.erase_all(unread, repairs);
        let area = found.learned.area;
        self.number = area.number;
        self.recorded = area.recorded;
        self.next = area.next_position(self.area.row_pages());
        self.end = self.next + self.area.journal_pages();
    }

    /// Writes a checkpoint of a map that was built anew, and only then erases what was there before: a further power cut at any moment finds
    /// the one or the other.
    pub(super) fn begin_anew(&mut self, all: &Found<'_>, map: &Map<'_>, repairs: &mut Vec<Repair>) {
        self.take_over(all, map, repairs);
        let found = all.learned.area;
        let (slot, number, root_block) = found.checkpoint.unwrap_or((1, 0, 1));
        let checkpoints = &mut self.checkpoints;
        checkpoints.slot = slot ^ 1;
        checkpoints.number = number + 1;
        checkpoints.includes = self.recorded;
        checkpoints.journal_from = self.next;
        checkpoints.committed_from = self.next;
        let slot_blocks: Vec<BlockId> = self.area.slot_blocks(checkpoints.slot).collect();
        self.erase_found(slot_blocks, repairs);
        for part in 0..self.area.pages {
            let entries = self.entries(part, map.entry, map.pages);
            let page = OwnPage::Checkpoint {
                checkpoint: self.checkpoints.number,
                slot: self.checkpoints.slot,
                part,
                entries,
            };
            self.program_found(self.area.slot_page(self.checkpoints.slot, part), page, repairs);
        }
        // the block of the root that was found goes on while it has pages, else the other one is taken
        let mut which = root_block;
        if self.pages_of_root(which) == self.area.geometry().pages_per_block || found.checkpoint.is_none() {
            which ^= 1;
            self.erase_found(vec![self.area.root_block(which)], repairs);
        }
        let at = self.pages_of_root(which);
        let root = OwnPage::Root {
            number: self.number,
            checkpoint: self.checkpoints.number,
            slot: self.checkpoints.slot,
            block: which,
            includes: self.checkpoints.includes,
            unsettled: Unsettled {
                blocks: self.watched.list(),
                newest: all.newest,
            },
        };
        self.number += 1;
        self.program_found(self.area.page_in(self.area.root_block(which), at), root, repairs);
        let pages_per_block = self.area.geometry().pages_per_block;
        self.checkpoints.root = if at + 1 == pages_per_block {
            (which ^ 1, 0)
        } else {
            (which, at + 1)
        };
        let mut old: Vec<BlockId> = self
            .area
            .slot_blocks(slot)
            .chain(self.area.journal_blocks())
            .collect();
        old.push(self.area.root_block(which ^ 1));
        self.erase_found(old, repairs);
    }

    /// Pages of a block of the root, 0 or 1, that hold something or were given up.
    pub(super) fn pages_of_root(&self, which: u32) -> u32 {
        let home = self.substitutes.home(self.area.root_block(which));
        self.blocks.get(&home).map_or(0, |(pages, _)| *pages)
    }

    fn blocks_of_area(&self) -> Vec<BlockId> {
        let blocks = (0..self.area.geometry().blocks()).map(BlockId);
        blocks.map(|own| self.area.region.block_of_drive(own)).collect()
    }

    /// Erases what holds something of the blocks for these of the layout.
    pub(super) fn erase_found(&mut self, layout: Vec<BlockId>, repairs: &mut Vec<Repair>) {
        for block in layout {
            let blocks = self.substitutes.release(block);
            self.erase_all(blocks, repairs);
        }
    }

    fn erase_all(&mut self, blocks: Vec<BlockId>, repairs: &mut Vec<Repair>) {
        for block in blocks {
            let state = self.blocks.entry(block).or_default();
            if state.0 > 0 {
                *state = (0, state.1 + 1);
                repairs.push(Repair::Erase(block));
            }
            self.substitutes.erased(&self.area, block);
        }
    }

    /// Programs the next page for a block of the layout, that of `page`.
    pub(super) fn program_found(&mut self, page: Ppn, content: OwnPage, repairs: &mut Vec<Repair>) {
        let home = self.substitutes.home(self.area.block_of(page));
        let (pages, _) = self.blocks.entry(home).or_default();
        let page = self.area.page_in(home, *pages);
        *pages += 1;
        repairs.push(Repair::Program(page, content));
    }
}
