//! Checkpoints: the whole map, in one of two slots, and a root that says which of them counts (FTL specification, 8.2).
//!
//! A checkpoint is written while the map changes: each of its pages holds the entries of the moment at which it was planned, and the journal from the
//! beginning of the checkpoint on is applied to them.

use wordline_nand::{BlockId, Ppn};

use super::journal::{Journal, Sealed};
use super::slots::Phase;
use crate::notice::{JobState, Urgency};
use crate::plan::{Cause, Lpn, Plan, Step, Work};
use crate::recovery::MapRecord;

/// Programs or erases of a plan.
const MOST_STEPS: u64 = 32;

const fn erase(block: BlockId) -> Step {
    Step {
        work: Work::Erase { block },
        cause: Cause::Metadata,
        acknowledges: false,
        after: 0,
        lpn: Lpn(0),
        token: 0,
    }
}

impl Journal {
    /// How pressing a checkpoint is; none where none is to be begun. It goes ahead of host writes where something waits for it, and where it is late: the next one
    /// is due before it is complete or begun, or three quarters of the journal are in use.
    fn urgency(&self) -> Option<Urgency> {
        let used = self.next - self.checkpoints.committed_from;
        let half = self.area.journal_pages() / 2;
        let is_busy = self.checkpoints.phase != Phase::Idle;
        let is_late = self.writes >= self.interval && is_busy || self.writes >= 2 * self.interval;
        if self.is_short || self.owes_flush() || is_late || used >= half + half / 2 {
            Some(Urgency::Blocking)
        } else if self.writes >= self.interval || used >= half {
            Some(Urgency::Normal)
        } else {
            None
        }
    }

    /// How pressing the job that writes checkpoints is, where that is more than it has told.
    pub(super) fn notice(&mut self) -> Option<Urgency> {
        let urgency = self
            .urgency()
            .filter(|now| self.checkpoints.noticed.is_none_or(|told| *now > told))?;
        self.checkpoints.noticed = Some(urgency);
        Some(urgency)
    }

    /// The next steps of the job that writes checkpoints. `entry` says where a logical page is.
    pub(super) fn advance(
        &mut self,
        plan: &mut Plan,
        (entry, user): (impl Fn(u64) -> Option<Ppn>, u64),
    ) -> JobState {
        loop {
            match self.checkpoints.phase {
                Phase::Idle if self.urgency().is_some() => {
                    let checkpoints = &mut self.checkpoints;
                    checkpoints.number += 1;
                    checkpoints.slot ^= 1;
                    checkpoints.includes = self.recorded;
                    checkpoints.journal_from = self.next;
                    checkpoints.phase = Phase::Parts(0);
                    // one that is late does not put off the next one
                    self.writes = self.writes.saturating_sub(self.interval).min(self.interval);
                    self.is_short = false;
                }
                Phase::Idle => {
                    self.checkpoints.noticed = None;
                    return JobState::Waiting;
                }
                Phase::Parts(first) if first < self.area.pages => {
                    let last = (first + MOST_STEPS).min(self.area.pages);
                    for part in first..last {
                        let page = self.area.slot_page(self.checkpoints.slot, part);
                        let entries = self.entries(part, &entry, user);
                        plan.push(self.program(page, Sealed::Part { part, entries }));
                    }
                    self.checkpoints.parts_left += last - first;
                    self.checkpoints.phase = Phase::Parts(last);
                    return JobState::Yielded;
                }
                Phase::Parts(_) => {
                    let (which, at) = self.checkpoints.root;
                    let page = self.area.page_in(self.area.root_block(which), at);
                    let number = self.number;
                    self.number += 1;
                    self.checkpoints.phase = Phase::Root;
                    plan.push(self.program(page, Sealed::Root { number }));
                    return JobState::Yielded;
                }
                Phase::Root => self.checkpoints.phase = Phase::Clean,
                Phase::Clean => {
                    let stale = &mut self.checkpoints.stale;
                    let count = stale.len().min(MOST_STEPS as usize);
                    if count > 0 {
                        plan.extend(stale.drain(..count).map(erase));
                        self.checkpoints.erases_left += count as u64;
                        return JobState::Yielded;
                    }
                    self.end = self.checkpoints.new_end;
                    self.is_short = false;
                    self.checkpoints.phase = Phase::Idle;
                    self.checkpoints.completed += 1;
                }
            }
        }
    }

    /// The entries of a page of a checkpoint; none of a page of the table of blocks.
    pub(super) fn entries(&self, part: u64, entry: impl Fn(u64) -> Option<Ppn>, user: u64) -> Vec<MapRecord> {
        let first = part * self.area.entries_per_page;
        let units = first..first + self.area.entries_per_page;
        let firsts = units
            .map(|unit| unit * self.per_unit())
            .take_while(|lpn| *lpn < user);
        let entries = firsts.flat_map(|lpn| {
            let mapped = entry(lpn).map(|page| MapRecord::Mapped { lpn: Lpn(lpn), page });
            let trimmed = self.trimmed.range(self.unit_of(lpn));
            let trimmed = trimmed.map(|(lpn, version)| MapRecord::Trimmed {
                lpn: Lpn(*lpn),
                version: *version,
            });
            mapped.into_iter().chain(trimmed)
        });
        entries.collect()
    }

    /// The root of a checkpoint is on flash: what it replaces may be erased.
    pub(super) fn commit(&mut self) {
        let checkpoints = &mut self.checkpoints;
        let mut stale: Vec<BlockId> = self.area.slot_blocks(checkpoints.slot ^ 1).collect();
        // the other block of the root has the one before, at most
        stale.push(self.area.root_block(checkpoints.root.0 ^ 1));
        let home = self.substitutes.home(self.area.root_block(checkpoints.root.0));
        checkpoints.root.1 = self.blocks.get(&home).map_or(0, |(pages, _)| *pages);
        if checkpoints.root.1 == self.area.geometry().pages_per_block {
            checkpoints.root = (checkpoints.root.0 ^ 1, 0);
        }
        let row = self.area.row_pages();
        let (before, now) = (checkpoints.committed_from / row, checkpoints.journal_from / row);
        for passed in before..now {
            stale.extend(self.area.journal_row(passed * row));
        }
        checkpoints.committed_from = checkpoints.journal_from;
        checkpoints.new_end = now * row + self.area.journal_pages();
        for layout in stale {
            for block in self.substitutes.release(layout) {
                if self.blocks.get(&block).is_some_and(|(pages, _)| *pages > 0) {
                    self.checkpoints.stale.push(block);
                } else {
                    self.substitutes.erased(&self.area, block);
                }
            }
        }
        let checkpoints = &mut self.checkpoints;
        let includes = checkpoints.includes;
        self.included(includes);
        self.block_records = 0;
    }
}
