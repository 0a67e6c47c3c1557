//! What is written beside the data so that pages and their deltas are found after a power cut, and how they are found (Delta-FTL specification, section 8).
//!
//! A page has the number of the host write whose content it holds. A delta has its own, and names that of its base: it counts if the newest page of its logical page is that
//! base. A page that was written, or merged, later has a number of its own, so that the delta does not apply to it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::DeltaFtl;
use super::tasks::Task;
use crate::contract::{Ftl, Inspect, Persist, Recoverable};
use crate::map::{HostMap, Relocate};
use crate::plan::{Lpn, Step};
use crate::recovery::{
    DeltaEntry, FoundFlash, Recovery, RecoveryError, RecoveryRead, Repair, SpareArea, Written,
};
use crate::state::archive::ArchiveError;

/// A delta that was found: its number, how late its block was written, its page and its bytes.
type FoundDelta = (u64, Reverse<u64>, Reverse<u64>, u32);

impl Recoverable for DeltaFtl {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        self.found_later(step, page)
    }

    fn is_unsettled(&self, _block: BlockId) -> bool {
        false
    }

    fn number_write(&mut self, number: u64) {
        self.number = number;
    }

    fn deltas_at_rest(&self, page: Ppn) -> Option<Written> {
        let lpn = self.owner(page)?;
        Some(self.header(lpn, self.log_of(lpn.0)?))
    }

    fn fail_block(&mut self, block: BlockId) {
        self.data.fail_block(block);
    }

    fn may_fail(&self, _step: &Step) -> bool {
        true
    }

    /// Builds a fresh drive anew.
    ///
    /// # Errors
    /// A drive whose pages do not say their versions; logical pages beyond it; pools that cannot work with the blocks as they are.
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        if !self.log.recovers() {
            return Err(RecoveryError::Mapping(self.identity().mapping));
        }
        self.data.map_found(flash, u64::from(self.log.most()))?;
        let geometry = *self.geometry();
        let (deltas, of_deltas) = self.newest_deltas(flash)?;
        let mut by_page: BTreeMap<u64, Vec<(u64, u32, u64)>> = BTreeMap::new();
        for (lpn, (number, _, Reverse(page), bytes)) in deltas {
            by_page.entry(page).or_default().push((lpn, bytes, number));
        }
        for (page, found) in by_page {
            let block = self.data.space.blocks.block_of(page);
            let log = self.log.found(block, &found);
            let log = log.ok_or(ArchiveError::Content("more pages of deltas than there can be"))?;
            self.data
                .map
                .map(self.own_page(log), page, geometry.full_bitmap());
        }
        let frontiers = &self.data.space.frontiers;
        let (coldest, own) = (frontiers.coldest, frontiers.of_own_pages());
        let frontier = |block: BlockId| if of_deltas[block.index()] { own } else { coldest };
        let erased = self.data.take_over(now, flash, &frontier)?;
        self.count_pages();
        Ok(Recovery {
            reads: reads(flash, &geometry, self.user),
            repairs: erased.into_iter().map(Repair::Erase).collect(),
        })
    }
}

impl DeltaFtl {
    /// What the program of a step writes beside the data: the header of a page of deltas lists those that may have to be found.
    pub(super) fn found_later(&self, step: &Step, page: Ppn) -> Option<Written> {
        let lpn = step.lpn;
        match self.tasks.get(step.token) {
            Some(Task::Program { log, .. }) => Some(self.header(lpn, log)),
            Some(Task::Merge { stamp, .. }) => {
                let delta = self.log.get(lpn.0).filter(|delta| delta.stamp == stamp);
                let number = delta.map_or(0, |delta| delta.number);
                Some(Written::Data(SpareArea {
                    lpn,
                    version: number,
                    write: number,
                    sectors: delta.map_or(0, |_| self.data.map.sectors(lpn.0)),
                    slc: false,
                }))
            }
            Some(Task::Encode { .. } | Task::Show | Task::Decode { .. }) => None,
            None => match (self.log_of(lpn.0), self.data.written(step, page)) {
                // one that is moved as it is, unless it holds nothing any more
                (Some(log), Some(Written::Data(spare))) if spare.sectors != 0 => Some(self.header(lpn, log)),
                (Some(_), Some(Written::Data(spare))) => Some(Written::Deltas(spare, Vec::new())),
                (_, written) => written,
            },
        }
    }

    /// What a page of deltas says of them. Which their bases are is told by those who number pages.
    fn header(&self, lpn: Lpn, log: u32) -> Written {
        let listed = self.log.page(log).map_or(&[][..], |page| &page.deltas);
        let found = listed.iter().filter_map(|(lpn, stamp)| {
            let delta = self.log.find(*lpn, *stamp)?;
            Some(DeltaEntry {
                lpn: Lpn(*lpn),
                version: delta.number,
                base: 0,
                bytes: delta.bytes,
            })
        });
        let entries: Vec<DeltaEntry> = found.collect();
        let newest = entries.iter().map(|entry| entry.version).max().unwrap_or(0);
        let spare = SpareArea {
            lpn,
            version: newest,
            write: newest,
            sectors: self.data.geometry().full_bitmap(),
            slc: false,
        };
        Written::Deltas(spare, entries)
    }

    /// The newest delta of every logical page that applies to its page, and which blocks hold nothing but pages of deltas. Of equal ones the one in the block that was
    /// written first counts, as of pages.
    fn newest_deltas(
        &self,
        flash: &dyn FoundFlash,
    ) -> Result<(BTreeMap<u64, FoundDelta>, Vec<bool>), ArchiveError> {
        let geometry = self.geometry();
        let mut newest: BTreeMap<u64, FoundDelta> = BTreeMap::new();
        let mut of_deltas = vec![false; geometry.blocks() as usize];
        for block in (0..geometry.blocks()).map(BlockId) {
            let found = flash.block(block);
            let pages =
                (0..found.passed.min(geometry.pages_per_block)).map(|page| geometry.page(block, page));
            let (mut others, mut own) = (0, 0);
            for page in pages.filter(|_| !found.bad) {
                let Some(entries) = flash.deltas(page) else {
                    others += u32::from(flash.spare_area(page).is_some());
                    continue;
                };
                own += 1;
                for entry in entries {
                    let lpn = entry.lpn.0;
                    if lpn >= self.user {
                        return Err(ArchiveError::Content(
                            "a page of deltas names a logical page beyond the drive",
                        ));
                    }
                    let base = self.data.map.lookup(lpn);
                    let base = base.and_then(|base| flash.spare_area(Ppn(base)));
                    if base.is_none_or(|base| base.write != entry.base) {
                        continue;
                    }
                    let sequence = Reverse(found.sequence);
                    let delta = (entry.version, sequence, Reverse(page.0), entry.bytes);
                    let best = newest.entry(lpn).or_insert(delta);
                    *best = delta.max(*best);
                }
            }
            of_deltas[block.index()] = own > 0 && others == 0;
        }
        Ok((newest, of_deltas))
    }
}

/// The spare areas of all pages, and then the headers of pages of deltas, for which these are read.
fn reads(flash: &dyn FoundFlash, geometry: &wordline_nand::Geometry, user: u64) -> Vec<RecoveryRead> {
    let mut reads = flash.passed_pages(geometry);
    let is_of_deltas = |read: &&RecoveryRead| {
        flash
            .spare_area(read.page)
            .is_some_and(|spare| spare.lpn.0 >= user)
    };
    let headers = reads.iter().filter(is_of_deltas).map(|read| RecoveryRead {
        whole: true,
        phase: 1,
        ..*read
    });
    let headers: Vec<RecoveryRead> = headers.collect();
    reads.extend(headers);
    reads
}
