//! A drive that has its age and has done nothing yet: what is kept on its flash, and what recovery would find there.
//!
//! A drive that was formatted has a checkpoint of its map, also where that is empty, and a journal without a page. One that was aged is taken for one whose power came back after
//! that: it has a checkpoint of all that it holds. Each page of data has the version of the write that brought it, and 0 where ageing assigned it by rule.

use wordline_nand::{BlockId, Mode, Ppn};

use super::journal::Journal;
use super::slots::Checkpoints;
use super::versions::Numbers;
use super::{Recorded, Records};
use crate::contract::{Inspect, Subjects};
use crate::plan::Lpn;
use crate::recovery::{OwnPage, SpareArea, Unsettled, Written};

impl Recorded {
    /// [`Recoverable::format`](crate::contract::Recoverable::format).
    pub(super) fn format_records(&mut self) {
        debug_assert!(self.held.is_empty(), "a job of a drive at rest waits");
        if let Records::Journal(journal) = &mut self.records {
            journal.format();
        }
        self.has_begun = false;
        self.begin();
    }

    /// [`Recoverable::at_rest`](crate::contract::Recoverable::at_rest).
    pub(super) fn tell_at_rest(&self, tell: &mut dyn FnMut(Ppn, Written)) {
        let region = &self.places.region;
        let blocks = (0..region.geometry.blocks()).map(BlockId);
        let mut in_order: Vec<(u64, BlockId)> = blocks.map(|own| (self.oldest_version(own), own)).collect();
        in_order.sort_unstable();
        for (_, own) in in_order {
            let block = region.block_of_drive(own);
            let written = self.written_pages(block).min(region.geometry.pages_per_block);
            for at in 0..written {
                let page = region.geometry.page(own, at);
                tell(region.page_of_drive(page), self.page_at_rest(page));
            }
            if let Records::Summaries(summaries) = &self.records
                && summaries.has(block)
            {
                let last = self.geometry.page(block, self.geometry.pages_per_block - 1);
                tell(last, Written::Own(OwnPage::Summary(self.listed_at_rest(own))));
            }
        }
        if let Records::Journal(journal) = &self.records {
            let entry = |lpn| {
                self.inner
                    .lookup(Lpn(lpn))
                    .map(|place| self.places.of_drive(place))
            };
            journal.tell_formatted((entry, self.logical), self.versions.newest, tell);
        }
    }

    /// Pages of a block that are not erased any more.
    fn written_pages(&self, block: BlockId) -> u32 {
        self.geometry.pages_per_block - self.block(block).free / self.places.per_page
    }

    /// The places of a block of the mapping.
    fn places_of(&self, own: BlockId) -> impl Iterator<Item = Ppn> + use<'_> {
        let geometry = &self.places.region.geometry;
        let pages = (0..geometry.pages_per_block).map(move |at| geometry.page(own, at));
        pages.flat_map(|page| self.places.of_page(page))
    }

    /// The oldest version that counts in a block of the mapping; 0 where none does.
    fn oldest_version(&self, own: BlockId) -> u64 {
        let places = self.places_of(own);
        let current = places.filter(|place| self.inner.owner(*place).is_some());
        let versions = current.map(|place| self.versions.of(place).version);
        versions.min().unwrap_or(0)
    }

    /// What a page of the mapping holds.
    fn page_at_rest(&self, page: Ppn) -> Written {
        if self.has_units() {
            let places = self.places.of_page(page);
            return Written::Units(places.map(|place| self.spare_at_rest(place)).collect());
        }
        let deltas = self
            .inner
            .recoverable()
            .and_then(|inner| inner.deltas_at_rest(page));
        match deltas {
            Some(Written::Deltas(spare, mut entries)) => {
                for entry in &mut entries {
                    let base = self.inner.lookup(entry.lpn);
                    entry.base = base.map_or(0, |base| self.versions.of(base).write);
                }
                Written::Deltas(spare, entries)
            }
            _ => Written::Data(self.spare_at_rest(page).unwrap_or(SpareArea {
                lpn: Lpn(self.inner.user_pages()),
                version: 0,
                write: 0,
                sectors: 0,
                slc: false,
            })),
        }
    }

    /// What the spare area of a page says of a place of the mapping; none where what it says does not count any more. A page of a unit of several pages counts as long as another one of
    /// its unit does.
    fn spare_at_rest(&self, place: Ppn) -> Option<SpareArea> {
        let per_unit = u64::from(self.places.per_unit);
        let (first, at) = (place.0 / per_unit * per_unit, place.0 % per_unit);
        let lpn = (0..per_unit).find_map(|other| {
            let owner = self.inner.owner(Ppn(first + other))?;
            Some(Lpn(owner.0 - other + at))
        });
        let lpn = lpn.filter(|lpn| lpn.0 < self.inner.user_pages())?;
        let Numbers { version, write } = self.versions.of(place);
        Some(SpareArea {
            lpn,
            version,
            write,
            sectors: self.inner.valid_sectors(lpn),
            slc: self.inner.mode_of(self.places.page(place)) != Mode::NORMAL,
        })
    }

    /// What the summary page of a block of the mapping lists.
    fn listed_at_rest(&self, own: BlockId) -> Vec<(Ppn, SpareArea)> {
        let places = self.places_of(own);
        let listed =
            places.filter_map(|place| Some((self.places.of_drive(place), self.spare_at_rest(place)?)));
        listed.collect()
    }
}

impl Journal {
    /// The area holds a checkpoint of the map as it is and its root, and the journal begins anew.
    fn format(&mut self) {
        debug_assert!(self.is_quiescent(), "pages of a drive at rest are under way");
        let layout: Vec<BlockId> = self.area.layout_blocks().collect();
        for block in layout {
            for block in self.substitutes.release(block) {
                // what placing the data of the start has written there was never there: no erase is counted
                self.blocks.entry(block).or_default().0 = 0;
                self.substitutes.erased(&self.area, block);
            }
        }
        self.pending.clear();
        self.block_records = 0;
        (self.next, self.end) = (0, self.area.journal_pages());
        (self.owed, self.writes, self.is_short) = (0, 0, false);
        self.completed_before = 0;
        self.checkpoints = Checkpoints {
            number: 1,
            includes: self.recorded,
            ..Checkpoints::default()
        };
        for part in 0..self.area.pages {
            self.take_page(self.area.slot_page(0, part));
        }
        self.take_page(self.area.page_in(self.area.root_block(0), 0));
        let is_full = self.pages_of_root(0) == self.area.geometry().pages_per_block;
        self.checkpoints.root = if is_full { (1, 0) } else { (0, 1) };
        // the root has the first one
        self.number = 1;
    }

    /// The next page of the block for one of the layout, that of `page`, is programmed.
    fn take_page(&mut self, page: Ppn) {
        let home = self.substitutes.home(self.area.block_of(page));
        self.blocks.entry(home).or_default().0 += 1;
    }

    /// Tells the pages of the checkpoint and its root, as long as nothing has changed since it was formatted; nothing of one that was not.
    fn tell_formatted(
        &self,
        (entry, user): (impl Fn(u64) -> Option<Ppn>, u64),
        newest: u64,
        tell: &mut dyn FnMut(Ppn, Written),
    ) {
        if self.checkpoints.number == 0 {
            return;
        }
        debug_assert_eq!(
            (self.number, self.next),
            (1, 0),
            "a drive that has done something since it was formatted"
        );
        let mut next = std::collections::BTreeMap::new();
        let mut page_for = |page: Ppn| {
            let home = self.substitutes.home(self.area.block_of(page));
            let at = next.entry(home).or_insert(0);
            *at += 1;
            self.area.page_in(home, *at - 1)
        };
        for part in 0..self.area.pages {
            let page = page_for(self.area.slot_page(0, part));
            let entries = self.entries(part, &entry, user);
            let (checkpoint, slot) = (self.checkpoints.number, self.checkpoints.slot);
            tell(
                page,
                Written::Own(OwnPage::Checkpoint {
                    checkpoint,
                    slot,
                    part,
                    entries,
                }),
            );
        }
        let root = OwnPage::Root {
            number: 0,
            checkpoint: self.checkpoints.number,
            slot: self.checkpoints.slot,
            block: 0,
            includes: self.checkpoints.includes,
            unsettled: Unsettled {
                blocks: self.watched.list(),
                newest,
            },
        };
        let page = page_for(self.area.page_in(self.area.root_block(0), 0));
        tell(page, Written::Own(root));
    }
}
