//! What is written beside the data with its number, and how a mapping with records is built anew.

use std::collections::BTreeSet;
use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::recovery_scan::{RecoveryScan, RecoveryView};
use super::repair::{Found, Map};
use super::step::is_own;
use super::versions::Numbers;
use super::{Recorded, Records, is_closed, is_unsettled, role};
use crate::config::RecoveryKind;
use crate::contract::{Recoverable, Subjects};
use crate::plan::{Lpn, Step};
use crate::rebuild::rebuild;
use crate::recovery::{FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};

impl Recoverable for Recorded {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        if is_own(step) {
            return match &self.records {
                Records::SpareAreas => None,
                Records::Summaries(summaries) => Some(Written::Own(summaries.content(step))),
                Records::Journal(journal) => journal
                    .content(step, page, self.versions.newest)
                    .map(Written::Own),
            };
        }
        if let Some(spare) = self.placed.get(&page) {
            return Some(Written::Data(*spare));
        }
        let own = self.places.region.step_of_region(*step);
        let page = self.places.region.page_of_region(page)?;
        if let Some(units) = self.of_units.get(&page) {
            return Some(Written::Units(units.clone()));
        }
        match self.inner.recoverable()?.written(&own, page)? {
            Written::Data(spare) => {
                let Numbers { version, write } = self.versions.of_program(&own);
                Some(Written::Data(SpareArea {
                    version,
                    write,
                    ..spare
                }))
            }
            Written::Deltas(spare, mut entries) => {
                for entry in &mut entries {
                    let base = self.inner.lookup(entry.lpn);
                    entry.base = base.map_or(0, |base| self.versions.of(base).write);
                }
                Some(Written::Deltas(spare, entries))
            }
            other @ (Written::Own(_) | Written::Units(_)) => Some(other),
        }
    }

    fn is_unsettled(&self, block: BlockId) -> bool {
        let own = self.places.region.block_of_region(block);
        own.is_some_and(|own| is_unsettled(&*self.inner, own))
    }

    /// Requests are numbered here.
    fn number_write(&mut self, _number: u64) {}

    fn numbered(&self) -> u64 {
        self.versions.newest
    }

    fn format(&mut self) {
        self.format_records();
    }

    fn at_rest(&self, tell: &mut dyn FnMut(Ppn, Written)) {
        self.tell_at_rest(tell);
    }

    fn fail_block(&mut self, block: BlockId) {
        if let Some(own) = self.places.region.block_of_region(block)
            && let Some(inner) = self.inner.recoverable_mut()
        {
            inner.fail_block(own);
        }
    }

    /// Blocks of journal, checkpoints and root fail as long as a spare one is there to take their place (assumed).
    fn may_fail(&self, step: &Step) -> bool {
        match &self.records {
            Records::Journal(journal) if is_own(step) => journal.may_fail(step),
            _ => true,
        }
    }

    /// Builds a fresh mapping anew.
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let (places, geometry) = (self.places.clone(), self.geometry);
        let region = &places.region;
        let mut learned = match &self.records {
            Records::SpareAreas => RecoveryScan::of_spare_areas(flash, &places),
            Records::Summaries(_) => RecoveryScan::of_summaries(flash, &places, &geometry),
            Records::Journal(journal) => {
                RecoveryScan::of_journal(flash, (&places, self.inner.user_pages()), &journal.area)
            }
        };
        if self.logical > self.inner.user_pages() {
            learned.read_headers(flash, self.inner.user_pages());
        }
        let shown = RecoveryView {
            flash,
            places: &places,
            learned: &learned,
        };
        let of_mapping = rebuild(&mut *self.inner, now, &shown)?;
        for (place, spare) in &learned.spare {
            if let Some(own) = places.of_region(*place) {
                let (version, write) = (spare.version, spare.write);
                self.versions.found(own, Numbers { version, write });
            }
        }
        self.versions.newest = self.versions.newest.max(learned.newest);
        self.renew_versions(&learned);
        let erased: BTreeSet<BlockId> = of_mapping
            .erased()
            .map(|block| region.block_of_drive(block))
            .collect();
        let of_mapping: Vec<Repair> = of_mapping
            .repairs
            .into_iter()
            .map(|repair| match repair {
                Repair::Erase(block) => Repair::Erase(region.block_of_drive(block)),
                Repair::Program(page, own) => Repair::Program(region.page_of_drive(page), own),
            })
            .collect();
        let mut repairs = Vec::new();
        let Self {
            inner,
            logical,
            records,
            versions,
            kind,
            ..
        } = self;
        match records {
            Records::SpareAreas => {}
            Records::Summaries(summaries) => {
                let last = geometry.pages_per_block - 1;
                for block in (0..geometry.blocks()).map(BlockId) {
                    // a block whose summary page is torn has one page less too
                    summaries.set(
                        block,
                        flash.block(block).passed > last && !erased.contains(&block),
                    );
                }
            }
            Records::Journal(journal) => {
                let map = Map {
                    entry: &|lpn| inner.lookup(Lpn(lpn)).map(|place| places.of_drive(place)),
                    // a unit of several pages may be somewhere without data of one
                    holds_data: &|lpn| inner.valid_sectors(Lpn(lpn)) != 0,
                    block_of: &|place| places.block(&geometry, place),
                    pages: *logical,
                };
                let blocks = (0..region.geometry.blocks()).map(BlockId);
                let blocks = blocks.map(|own| (region.block_of_drive(own), role(&**inner, own)));
                journal.watched.begin(blocks);
                let is_closed = |block| is_closed(&**inner, region, block);
                let found = Found {
                    flash,
                    learned: &learned,
                    newest: versions.newest,
                };
                let goes_on =
                    *kind == RecoveryKind::Delayed && journal.resume(&found, &map, is_closed, &mut repairs);
                if !goes_on {
                    journal.begin_anew(&found, &map, &mut repairs);
                }
            }
        }
        self.has_begun = true;
        repairs.extend(of_mapping);
        Ok(Recovery {
            reads: learned.reads,
            repairs,
        })
    }
}
