//! The scan after a power cut: what the spare areas of the mapping's pages say (FTL specification, 8.3).
//!
//! The mapping is shown the flash of its part of the drive, and of that only the pages that may hold the newest version of a logical page.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use wordline_nand::{BlockId, Geometry, Ppn};

use super::division::Area;
use super::places::Places;
use crate::plan::Lpn;
use crate::recovery::{DeltaEntry, FoundBlock, FoundFlash, MapRecord, OwnPage, RecoveryRead, SpareArea};

/// What was learned of the spare areas, and what was read for that. Places and pages are those of the drive.
#[derive(Debug, Default)]
pub(super) struct RecoveryScan {
    pub(super) spare: BTreeMap<Ppn, SpareArea>,
    /// What the headers of pages of deltas say.
    pub(super) deltas: BTreeMap<Ppn, Vec<DeltaEntry>>,
    pub(super) reads: Vec<RecoveryRead>,
    /// Pages of the map whose spare areas were not read, by their logical pages.
    unread: BTreeMap<Lpn, Ppn>,
    /// The phase of the next read.
    phase: u32,
    /// The newest version that is known of.
    pub(super) newest: u64,
    /// The versions of TRIMs.
    pub(super) trimmed: BTreeMap<u64, u64>,
    /// Of journal and checkpoints.
    pub(super) area: FoundArea,
    /// Spare blocks that hold pages for blocks of the layout, and which, in the order in which they were written.
    pub(super) stands_for: Vec<(BlockId, BlockId)>,
    /// What the newest checkpoint and the journal say, where there is a checkpoint.
    pub(super) logged: Option<Logged>,
}

/// What checkpoint and journal say, before spare areas are looked at.
#[derive(Debug)]
pub(super) struct Logged {
    /// Where logical pages are.
    pub(super) map: BTreeMap<Lpn, Ppn>,
    /// Records that the checkpoint includes.
    pub(super) includes: u64,
    /// The position of the first page of the journal that says more than it; none where there is none.
    pub(super) from: Option<u64>,
    /// The blocks that were looked at.
    pub(super) unsettled: BTreeSet<BlockId>,
}

/// What was found of journal and checkpoints.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FoundArea {
    /// The slot of the newest complete checkpoint, its number, and the block of its root.
    pub(super) checkpoint: Option<(u32, u64, u32)>,
    /// The first position of the journal after all pages that were found.
    pub(super) position: u64,
    /// The first number of a page after all that were found.
    pub(super) number: u64,
    /// Records of all pages that were found, and of all before them.
    pub(super) recorded: u64,
}

impl FoundArea {
    /// The first position of a row of so many pages that no page of the journal was found in.
    pub(super) const fn next_position(&self, row_pages: u64) -> u64 {
        self.position.div_ceil(row_pages) * row_pages
    }
}

impl RecoveryScan {
    fn read(&mut self, page: Ppn, whole: bool) {
        let phase = self.phase;
        self.reads.push(RecoveryRead { page, whole, phase });
    }

    /// What is read from here on follows from what was read.
    const fn next_phase(&mut self) {
        self.phase += 1;
    }

    /// Reads a spare area.
    fn read_spare(&mut self, flash: &dyn FoundFlash, places: &Places, page: Ppn) {
        self.read(page, false);
        for place in places.of_page(page) {
            if let Some(spare) = places.found(flash, place) {
                self.add(place, spare);
            }
        }
    }

    fn add(&mut self, place: Ppn, spare: SpareArea) {
        self.newest = self.newest.max(spare.version);
        self.spare.insert(place, spare);
    }

    /// Reads a whole page of the FTL's own.
    pub(super) fn read_own(&mut self, flash: &dyn FoundFlash, page: Ppn) -> Option<OwnPage> {
        self.read(page, true);
        flash.own_page(page)
    }

    /// Kind A for a block of the mapping: the spare areas of its pages up to the first that is erased.
    fn scan(&mut self, flash: &dyn FoundFlash, places: &Places, block: BlockId) {
        let region = &places.region;
        let passed = flash.block(region.block_of_drive(block)).passed;
        for page in 0..passed.min(region.geometry.pages_per_block) {
            let page = region.page_of_drive(region.geometry.page(block, page));
            self.read_spare(flash, places, page);
        }
    }

    /// Kind A.
    pub(super) fn of_spare_areas(flash: &dyn FoundFlash, places: &Places) -> Self {
        let mut learned = Self::default();
        for block in (0..places.region.geometry.blocks()).map(BlockId) {
            learned.scan(flash, places, block);
        }
        learned
    }

    /// Kind B: the summary page of each full block, then kind A for blocks that have none.
    pub(super) fn of_summaries(flash: &dyn FoundFlash, places: &Places, drive: &Geometry) -> Self {
        let mut learned = Self::default();
        let mut others = Vec::new();
        let region = &places.region;
        for block in (0..region.geometry.blocks()).map(BlockId) {
            let of_drive = region.block_of_drive(block);
            let last = drive.page(of_drive, drive.pages_per_block - 1);
            let is_full = flash.block(of_drive).passed == drive.pages_per_block;
            match is_full.then(|| learned.read_own(flash, last)).flatten() {
                Some(OwnPage::Summary(pages)) => {
                    pages
                        .into_iter()
                        .for_each(|(page, spare)| learned.add(page, spare));
                }
                _ => others.push(block),
            }
        }
        learned.next_phase();
        others
            .into_iter()
            .for_each(|block| learned.scan(flash, places, block));
        learned
    }

    /// Kind C: checkpoint and journal, and kind A for blocks about which these may be wrong. Kind A for all where there is no checkpoint.
    /// Logical pages from `user` on are the mapping's own, which know of their content themselves.
    pub(super) fn of_journal(flash: &dyn FoundFlash, (places, user): (&Places, u64), area: &Area) -> Self {
        let mut learned = Self::default();
        let in_spare = learned.spare_blocks(flash, area);
        let root = learned.newest_root(flash, area, &in_spare);
        learned.next_phase();
        let pages = learned.journal(flash, area, &in_spare);
        learned.next_phase();
        for page in &pages {
            let found = &mut learned.area;
            found.number = found.number.max(page.number + 1);
            found.position = found.position.max(page.position + 1);
            found.recorded = found.recorded.max(page.first + page.records.len() as u64);
            learned.newest = learned.newest.max(page.unsettled.newest);
        }
        let Some(root) = root else {
            for block in (0..places.region.geometry.blocks()).map(BlockId) {
                learned.scan(flash, places, block);
            }
            let mut map = BTreeMap::new();
            let records = pages.iter().flat_map(|page| &page.records);
            records.for_each(|record| learned.apply(&mut map, places, record));
            learned.hide_trimmed(places);
            return learned;
        };
        // a page of a lower number may have been programmed later, and know of more writes
        learned.newest = learned.newest.max(root.unsettled.newest);
        learned.area.number = learned.area.number.max(root.number + 1);
        learned.area.recorded = learned.area.recorded.max(root.includes);
        learned.area.checkpoint = Some((root.slot, root.checkpoint, root.block));
        let mut map = BTreeMap::new();
        let parts = (0..area.pages).map(|part| area.slot_page(root.slot, part));
        // the others are in spare blocks
        let is_there = |page: &Ppn| {
            let FoundBlock { passed, bad, .. } = flash.block(area.block_of(*page));
            !bad && area.index_in_block(*page) < passed
        };
        let parts = parts.filter(is_there);
        let mut checkpoint: Vec<OwnPage> = parts.filter_map(|page| learned.read_own(flash, page)).collect();
        checkpoint.extend(in_spare);
        for page in &checkpoint {
            if let OwnPage::Checkpoint {
                checkpoint, entries, ..
            } = page
                && *checkpoint == root.checkpoint
            {
                entries
                    .iter()
                    .for_each(|entry| learned.apply(&mut map, places, entry));
            }
        }
        learned.next_phase();
        let mut last = (root.number, root.unsettled);
        let mut from: Option<u64> = None;
        for page in pages {
            // a page without records says which blocks must be looked at
            let has_more = page.first + page.records.len() as u64 > root.includes;
            if has_more || page.number > root.number {
                from = Some(from.map_or(page.position, |from| from.min(page.position)));
            }
            let included = root.includes.saturating_sub(page.first) as usize;
            let since = page.records.iter().skip(included);
            since.for_each(|record| learned.apply(&mut map, places, record));
            if page.number > last.0 {
                last = (page.number, page.unsettled);
            }
        }
        let (_, unsettled) = last;
        learned.look_at(flash, (places, user), &map, &unsettled.blocks);
        learned.logged = Some(Logged {
            map,
            includes: root.includes,
            from,
            unsettled: unsettled.blocks.into_iter().collect(),
        });
        learned
    }

    /// Reads the headers of the pages of deltas, the logical pages from `user` on, and the spare areas that say whether a base is there.
    pub(super) fn read_headers(&mut self, flash: &dyn FoundFlash, user: u64) {
        let of_deltas = self.spare.iter().filter(|(_, spare)| spare.lpn.0 >= user);
        let pages: Vec<Ppn> = of_deltas.map(|(page, _)| *page).collect();
        if pages.is_empty() {
            return;
        }
        self.next_phase();
        let mut bases = BTreeMap::new();
        for page in pages {
            self.read(page, true);
            let mut entries = flash.deltas(page).unwrap_or_default();
            entries.retain(|entry| {
                let trimmed = self.trimmed.get(&entry.lpn.0);
                trimmed.is_none_or(|trimmed| *trimmed < entry.version)
            });
            let lpns = entries.iter().map(|entry| entry.lpn);
            bases.extend(lpns.filter_map(|lpn| Some((lpn, *self.unread.get(&lpn)?))));
            self.deltas.insert(page, entries);
        }
        self.next_phase();
        bases.into_values().for_each(|page| self.read(page, false));
    }

    /// Spare areas of the blocks about which the map may be wrong, and of the places that the map names elsewhere.
    fn look_at(
        &mut self,
        flash: &dyn FoundFlash,
        (places, user): (&Places, u64),
        map: &BTreeMap<Lpn, Ppn>,
        blocks: &[BlockId],
    ) {
        for block in blocks {
            if let Some(own) = places.region.block_of_region(*block) {
                self.scan(flash, places, own);
            }
        }
        self.next_phase();
        let scanned: FxHashSet<BlockId> = blocks.iter().copied().collect();
        self.hide_trimmed(places);
        let found: FxHashSet<Lpn> = self.spare.values().map(|spare| spare.lpn).collect();
        let region = &places.region;
        let mut compared = FxHashSet::default();
        for (lpn, place) in map {
            let own = places.of_region(*place).map(|own| places.page(own));
            let is_scanned =
                |own: Ppn| scanned.contains(&region.block_of_drive(region.geometry.block_of(own)));
            if own.is_none_or(is_scanned) {
                continue;
            }
            // a page of the mapping's own may have had another number before a power cut
            let is_it = |spare: &SpareArea| spare.lpn == *lpn || lpn.0.min(spare.lpn.0) >= user;
            let Some(spare) = places.found(flash, *place).filter(is_it) else {
                continue;
            };
            if found.contains(lpn) {
                // which of the two is newer
                if compared.insert(places.page(*place)) {
                    self.read(places.page(*place), false);
                }
            } else {
                self.unread.insert(*lpn, *place);
            }
            self.add(*place, spare);
        }
        if places.per_unit > 1 {
            self.hide_trimmed(places);
        }
    }

    /// Forgets pages whose logical page was trimmed after they were written.
    fn hide_trimmed(&mut self, places: &Places) {
        let Self { spare, trimmed, .. } = self;
        let is_gone = |spare: &SpareArea| {
            trimmed
                .get(&spare.lpn.0)
                .is_some_and(|version| spare.version <= *version)
        };
        if places.per_unit > 1 {
            // the other pages of its unit need it, to be a whole one
            let gone = spare.values_mut().filter(|spare| is_gone(spare));
            gone.for_each(|spare| spare.sectors = 0);
        } else {
            spare.retain(|_, spare| !is_gone(spare));
        }
    }

    fn apply(&mut self, map: &mut BTreeMap<Lpn, Ppn>, places: &Places, record: &MapRecord) {
        match *record {
            MapRecord::Mapped { lpn, page } => {
                let pages = (0..u64::from(places.per_unit)).map(|at| (Lpn(lpn.0 + at), Ppn(page.0 + at)));
                map.extend(pages);
            }
            MapRecord::Trimmed { lpn, version } => {
                // the other pages of its unit are there still
                if places.per_unit == 1 {
                    map.remove(&lpn);
                }
                let newest = self.trimmed.entry(lpn.0).or_default();
                *newest = version.max(*newest);
                self.newest = self.newest.max(version);
            }
        }
    }
}

/// The flash as the mapping is shown it.
pub(super) struct RecoveryView<'a> {
    pub(super) flash: &'a dyn FoundFlash,
    pub(super) places: &'a Places,
    pub(super) learned: &'a RecoveryScan,
}

impl FoundFlash for RecoveryView<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        let found = self.flash.block(self.places.region.block_of_drive(block));
        FoundBlock {
            passed: found.passed.min(self.places.region.geometry.pages_per_block),
            ..found
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        let place = Ppn(page.0 * u64::from(self.places.per_page) + u64::from(place));
        self.learned.spare.get(&self.places.of_drive(place)).copied()
    }

    /// Spare areas of pages that were trimmed have been read too.
    fn is_whole(&self, page: Ppn) -> bool {
        let region = &self.places.region;
        let (block, at) = (
            region.geometry.block_of(page),
            region.geometry.page_in_block(page),
        );
        let of_drive = region.block_of_drive(block);
        match &self.learned.logged {
            Some(logged) if !logged.unsettled.contains(&of_drive) => at < self.block(block).passed,
            _ => self.flash.is_whole(region.page_of_drive(page)),
        }
    }

    fn deltas(&self, page: Ppn) -> Option<Vec<DeltaEntry>> {
        let page = self.places.region.page_of_drive(page);
        self.learned.deltas.get(&page).cloned()
    }
}
