//! The journal: changes of the map, a page of records at a time (FTL specification, 8.2).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, PlaneId, Ppn};

use super::blocks::WatchedBlocks;
use super::division::Area;
use super::slots::Checkpoints;
use super::step::own_program;
use super::substitutes::Substitutes;
use crate::plan::{Lpn, Outcome, Step, Work};
use crate::recovery::{MapRecord, OwnPage, Unsettled};

/// Pages of a plan, at most.
pub(super) const MOST_STEPS: usize = 64;

/// A page of the journal, or of a checkpoint, whose program is under way.
#[derive(Clone, Debug)]
pub(super) enum Sealed {
    /// Of the journal.
    Records {
        number: u64,
        /// Its row, counted from the first ever.
        row: u64,
        /// Records before its first.
        first: u64,
        records: Vec<MapRecord>,
    },
    /// Of a checkpoint.
    Part { part: u64, entries: Vec<MapRecord> },
    /// A root.
    Root { number: u64 },
}

/// A page under way.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    /// The block of the layout that it is meant for.
    block: BlockId,
    /// The block in which it is being programmed.
    programmed_in: Option<BlockId>,
    sealed: Sealed,
}

/// Journal and checkpoints.
#[derive(Debug)]
pub(super) struct Journal {
    pub(super) area: Area,
    pub(super) records_per_page: usize,
    /// Pages that the map places together.
    per_unit: u64,
    /// Changes so far.
    pub(super) recorded: u64,
    /// Those of them that no page holds yet, oldest first.
    pub(super) pending: Vec<MapRecord>,
    /// Blocks that were taken, filled or erased since: each takes the space of a record.
    pub(super) block_records: usize,
    /// The position of the next page.
    pub(super) next: u64,
    /// The first position whose page is not erased yet.
    pub(super) end: u64,
    /// The next number of a page.
    pub(super) number: u64,
    /// Pages under way, by the tokens of their steps.
    sealed: FxHashMap<u32, UnderWay>,
    next_token: u32,
    pub(super) watched: WatchedBlocks,
    pub(super) checkpoints: Checkpoints,
    /// The versions of TRIMs, by the logical pages that were trimmed last.
    pub(super) trimmed: BTreeMap<u64, u64>,
    /// What the spare areas of these pages name as their owner.
    lpn: Lpn,
    pub(super) substitutes: Substitutes,
    /// By block of the area: pages programmed, and times erased.
    pub(super) blocks: FxHashMap<BlockId, (u32, u32)>,
    /// Blocks erased since counting began.
    pub(super) erases: u64,
    /// Checkpoints that were completed before it began.
    pub(super) completed_before: u64,
    /// Blocks that were retired before it began.
    pub(super) retired_before: u64,
    /// Too few pages were left for what was to be written.
    pub(super) is_short: bool,
    /// A flush found too few pages left for changes before this one: a checkpoint brings them to flash.
    pub(super) owed: u64,
    /// Host writes since the last checkpoint was begun.
    pub(super) writes: u64,
    pub(super) interval: u64,
}

impl Journal {
    pub(super) fn new(area: Area, lpn: Lpn, per_unit: u32, (record_bytes, interval): (u32, u32)) -> Self {
        let per_page = area.geometry().page_bytes / record_bytes;
        Self {
            records_per_page: per_page.max(1) as usize,
            per_unit: u64::from(per_unit),
            recorded: 0,
            pending: Vec::new(),
            block_records: 0,
            next: 0,
            end: area.journal_pages(),
            number: 0,
            sealed: FxHashMap::default(),
            next_token: 0,
            watched: WatchedBlocks::default(),
            checkpoints: Checkpoints::default(),
            trimmed: BTreeMap::new(),
            lpn,
            substitutes: Substitutes::new(&area),
            blocks: FxHashMap::default(),
            erases: 0,
            completed_before: 0,
            retired_before: 0,
            is_short: false,
            owed: 0,
            writes: 0,
            interval: u64::from(interval),
            area,
        }
    }

    /// Whether no page is under way.
    pub(super) fn is_quiescent(&self) -> bool {
        self.sealed.is_empty() && self.checkpoints.erases_left == 0 && self.watched.is_quiescent()
    }

    pub(super) const fn per_unit(&self) -> u64 {
        self.per_unit
    }

    /// The logical pages of the unit of one.
    pub(super) const fn unit_of(&self, lpn: u64) -> std::ops::Range<u64> {
        let first = lpn / self.per_unit * self.per_unit;
        first..first + self.per_unit
    }

    /// The map has changed. A unit of this version is newer than TRIMs of its pages before it; one that was moved may lack pages that were trimmed since.
    pub(super) fn record(&mut self, record: MapRecord, version: u64) {
        match record {
            MapRecord::Mapped { lpn, .. } => {
                for lpn in self.unit_of(lpn.0) {
                    if self.trimmed.get(&lpn).is_some_and(|trimmed| *trimmed < version) {
                        self.trimmed.remove(&lpn);
                    }
                }
            }
            MapRecord::Trimmed { lpn, version } => {
                let newest = self.trimmed.entry(lpn.0).or_default();
                *newest = version.max(*newest);
            }
        }
        self.pending.push(record);
        self.recorded += 1;
    }

    /// Records before the first that no page holds yet.
    const fn first_pending(&self) -> u64 {
        self.recorded - self.pending.len() as u64
    }

    /// Whether a flush waits for changes that only a checkpoint brings to flash.
    pub(super) const fn owes_flush(&self) -> bool {
        self.owed > self.first_pending()
    }

    /// Records before this one are in a checkpoint on flash.
    pub(super) fn included(&mut self, before: u64) {
        let count = before.saturating_sub(self.first_pending()) as usize;
        self.pending.drain(..count.min(self.pending.len()));
    }

    /// The step of a page in the block of `page`, which is under way from now on. It gets the next page of the block when it starts.
    pub(super) fn program(&mut self, page: Ppn, sealed: Sealed) -> Step {
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        let block = self.area.block_of(page);
        let plane = self.area.plane_of(block);
        let under_way = UnderWay {
            block,
            programmed_in: None,
            sealed,
        };
        self.sealed.insert(token, under_way);
        own_program(self.area.geometry(), plane, self.lpn, token)
    }

    /// The page of a step that starts; none of a page of the journal whose row is to be erased, as a checkpoint has what it says.
    pub(super) fn choose(&mut self, step: &Step) -> Option<Ppn> {
        let UnderWay {
            block,
            programmed_in,
            sealed,
        } = self.sealed.get_mut(&step.token)?;
        let first = self.checkpoints.committed_from / self.area.row_pages();
        if matches!(sealed, Sealed::Records { row, .. } if *row < first) {
            return None;
        }
        let home = self.substitutes.home(*block);
        let (pages, _) = self.blocks.entry(home).or_default();
        if *pages == self.area.geometry().pages_per_block {
            return None;
        }
        let page = self.area.page_in(home, *pages);
        *pages += 1;
        *programmed_in = Some(home);
        Some(page)
    }

    /// The numbers of the pages of the journal that are under way.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        self.sealed
            .values()
            .filter_map(|under_way| match under_way.sealed {
                Sealed::Records { number, .. } => Some(number),
                Sealed::Part { .. } | Sealed::Root { .. } => None,
            })
    }

    /// Pages that all changes so far take; one at least.
    pub(super) fn pages_to_seal(&self) -> usize {
        let records = self.pending.len() + self.block_records;
        records.div_ceil(self.records_per_page).max(1)
    }

    /// The next page of records.
    fn seal_page(&mut self) -> Step {
        let first = self.first_pending();
        let rest = self
            .pending
            .split_off(self.records_per_page.min(self.pending.len()));
        let records = std::mem::replace(&mut self.pending, rest);
        let (number, position) = (self.number, self.next);
        self.number += 1;
        self.next += 1;
        let page = self.area.journal_page(position);
        let row = position / self.area.row_pages();
        let sealed = Sealed::Records {
            number,
            row,
            first,
            records,
        };
        self.program(page, sealed)
    }

    /// At most so many pages of records, which hold all changes so far; none, and nothing has changed, where they do not hold them or the journal has too
    /// few pages left. At least one, as it also says which blocks are about to be erased.
    pub(super) fn seal(&mut self, most: usize, is_closed: impl Fn(BlockId) -> bool) -> Option<Vec<Step>> {
        let count = self.pages_to_seal();
        if self.next + count as u64 > self.end {
            self.is_short = true;
            return None;
        }
        if count > most {
            return None;
        }
        self.block_records = 0;
        let steps = (0..count).map(|_| self.seal_page()).collect();
        self.watched.sealed(self.number - 1, is_closed);
        Some(steps)
    }

    /// At most so many full pages of records, as far as the journal has pages left.
    pub(super) fn seal_some(&mut self, most: usize) -> Vec<Step> {
        let full = self.pending.len() / self.records_per_page;
        let left = (self.end - self.next) as usize;
        (0..full.min(left).min(most)).map(|_| self.seal_page()).collect()
    }

    /// All changes so far by at most so many pages, where one is full; only some of them where there is no room for all.
    pub(super) fn seal_full(&mut self, most: usize, is_closed: impl Fn(BlockId) -> bool) -> Vec<Step> {
        if self.pending.len() + self.block_records < self.records_per_page {
            return Vec::new();
        }
        let sealed = self.seal(most, is_closed);
        sealed.unwrap_or_else(|| self.seal_some(most))
    }

    /// What a page under way holds.
    pub(super) fn content(&self, step: &Step, page: Ppn, newest: u64) -> Option<OwnPage> {
        let unsettled = || Unsettled {
            blocks: self.watched.list(),
            newest,
        };
        Some(match &self.sealed.get(&step.token)?.sealed {
            Sealed::Records {
                number,
                row,
                first,
                records,
            } => OwnPage::Journal {
                number: *number,
                first: *first,
                position: row * self.area.row_pages() + self.area.place_in_row(page),
                records: records.clone(),
                unsettled: unsettled(),
            },
            Sealed::Part { part, entries } => OwnPage::Checkpoint {
                checkpoint: self.checkpoints.number,
                slot: self.checkpoints.slot,
                part: *part,
                entries: entries.clone(),
            },
            Sealed::Root { number } => OwnPage::Root {
                number: *number,
                checkpoint: self.checkpoints.number,
                slot: self.checkpoints.slot,
                block: self.checkpoints.root.0,
                includes: self.checkpoints.includes,
                unsettled: unsettled(),
            },
        })
    }

    /// A page is on flash: blocks whose records all are need not be looked at any more.
    pub(super) fn page_done(&mut self, step: &Step) {
        let Some(under_way) = self.sealed.remove(&step.token) else {
            return;
        };
        match under_way.sealed {
            Sealed::Records { .. } => {
                let below = self.numbers().min().unwrap_or(self.number);
                self.watched.settled(below);
            }
            Sealed::Part { .. } => self.checkpoints.parts_left -= 1,
            Sealed::Root { .. } => self.commit(),
        }
    }

    /// At most so many pages of records that bring all changes so far to flash, as far as there is room for them; else a checkpoint does.
    pub(super) fn flush(&mut self, most: usize, is_closed: impl Fn(BlockId) -> bool) -> Vec<Step> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        self.seal(most, is_closed).unwrap_or_else(|| {
            self.owed = self.recorded;
            self.seal_some(most)
        })
    }

    /// Whether changes before this one are on flash.
    pub(super) fn is_on_flash(&self, before: u64) -> bool {
        let is_awaited = |under_way: &UnderWay| matches!(under_way.sealed, Sealed::Records { first, .. } if first < before);
        self.first_pending() >= before && !self.sealed.values().any(is_awaited)
    }

    /// The program of a page has failed: the same page again, in another block.
    pub(super) fn page_failed(&mut self, step: &Step) -> Option<Step> {
        let under_way = self.sealed.get_mut(&step.token)?;
        if let Some(block) = under_way.programmed_in.take() {
            self.substitutes
                .program_failed(&self.area, under_way.block, block);
        }
        Some(Step { after: 0, ..*step })
    }

    /// The erase of a block of the area has ended.
    pub(super) fn block_erased(&mut self, block: BlockId, outcome: Outcome) {
        self.checkpoints.erases_left -= 1;
        let state = self.blocks.entry(block).or_default();
        if outcome == Outcome::Failed {
            self.substitutes.erase_failed(&self.area, block);
            return;
        }
        *state = (0, state.1 + 1);
        self.erases += 1;
        self.substitutes.erased(&self.area, block);
    }

    /// Whether the program or erase of a step may fail: the plane has a spare block, which takes its place.
    pub(super) fn may_fail(&self, step: &Step) -> bool {
        let block = match step.work {
            Work::Erase { block } => Some(block),
            _ => self.sealed.get(&step.token).map(|under_way| under_way.block),
        };
        let plane = block.map(|block| self.area.plane_of(block));
        plane.is_some_and(|plane| self.substitutes.has_spare(&self.area, plane))
    }

    /// Whether a block is retired. One in which a program is under way still is when that has ended.
    pub(super) fn is_bad(&self, block: BlockId) -> bool {
        let mut under_way = self.sealed.values();
        self.substitutes.is_bad(block) && !under_way.any(|page| page.programmed_in == Some(block))
    }

    /// Blocks that are retired since counting began.
    pub(super) fn retired_blocks(&self) -> u64 {
        self.substitutes.bad_blocks() - self.retired_before
    }

    /// Checkpoints that were completed since counting began.
    pub(super) const fn completed(&self) -> u64 {
        self.checkpoints.completed.saturating_sub(self.completed_before)
    }

    pub(super) fn restart_counts(&mut self) {
        self.erases = 0;
        self.completed_before = self.checkpoints.completed;
        self.retired_before = self.substitutes.bad_blocks();
    }

    /// Whether a plane has no spare block left for the next failure: the drive is to take no more writes.
    pub(super) fn is_worn_out(&self) -> bool {
        let mut planes = (0..self.area.geometry().planes()).map(PlaneId);
        self.area.can_fail() && !planes.all(|plane| self.substitutes.has_spare(&self.area, plane))
    }
}
