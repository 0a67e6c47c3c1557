//! What every page holds, as far as the commands tell.

use wordline_ftl::{Ageable, Cause, Inspect, Lpn, Subjects};
use wordline_metrics::{CommandKind, Constituent};
use wordline_nand::{BlockId, Geometry, Ppn, RestrictionsConfig};

use super::finding::Finding;
use super::owners::{FREE, Owners, SKIPPED, STALE};

/// Pages that are looked at between two questions whether to go on: some milliseconds.
pub(super) const BETWEEN_LOOKS: u64 = 1 << 16;

/// Whether it is time to ask before a block of so many pages is looked at.
pub(super) const fn asks_before(block: u32, pages_per_block: u32) -> bool {
    let blocks = BETWEEN_LOOKS.div_ceil(pages_per_block as u64);
    block as u64 % blocks == blocks - 1
}

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// One above the last page programmed.
    pointer: u32,
    /// Pages programmed since the last erase.
    programmed: u32,
    /// Operations under way.
    outstanding: u32,
    /// An erase is.
    erasing: bool,
    /// A page was programmed, or the block erased, since the audit began.
    changed: bool,
    /// Valid places when the audit began.
    valid: u32,
}

/// The pages of the drive.
#[derive(Debug)]
pub(super) struct Pages {
    geometry: Geometry,
    /// The array whose pages are mapping units.
    units: Geometry,
    restrictions: RestrictionsConfig,
    /// The owner in the spare area of each page, or a mark; of each unit of a page.
    held: Owners,
    /// Programs of each page since the last erase; empty where only one is allowed.
    programs: Vec<u8>,
    blocks: Vec<Block>,
    /// A bit for each logical page: whether it was programmed since the audit began.
    programmed: Vec<u64>,
}

impl Pages {
    pub(super) fn new(
        geometry: Geometry,
        units: Geometry,
        logical_pages: u64,
        restrictions: &RestrictionsConfig,
    ) -> Self {
        let counted = if restrictions.partial_programs > 1 {
            geometry.pages()
        } else {
            0
        };
        Self {
            geometry,
            units,
            restrictions: restrictions.clone(),
            held: Owners::new(
                (units.blocks() as usize, units.pages_per_block as usize),
                logical_pages,
            ),
            programs: vec![0; counted as usize],
            blocks: vec![Block::default(); geometry.blocks() as usize],
            programmed: Vec::new(),
        }
    }

    /// The array whose pages are mapping units.
    pub(super) fn units(&self) -> &Geometry {
        &self.units
    }

    /// The units of a page.
    fn of_page(&self, page: Ppn) -> std::ops::Range<usize> {
        let units = self.units.pages_per_program as usize;
        page.index() * units..(page.index() + 1) * units
    }

    /// A page that is being programmed brings these logical pages.
    pub(super) fn brings(&mut self, page: Ppn, units: &[Lpn]) {
        let places = self.of_page(page);
        for (place, lpn) in places.zip(units) {
            self.held.set(place, lpn.0.min(STALE));
        }
        units.iter().for_each(|lpn| self.note_programmed(*lpn));
    }

    fn note_programmed(&mut self, lpn: Lpn) {
        if let Some(word) = self.programmed.get_mut((lpn.0 / 64) as usize) {
            *word |= 1 << (lpn.0 % 64);
        }
    }

    /// Whether a logical page was programmed since the audit began.
    pub(super) fn was_programmed(&self, lpn: Lpn) -> bool {
        let word = self.programmed.get((lpn.0 / 64) as usize);
        word.is_none_or(|word| word >> (lpn.0 % 64) & 1 == 1)
    }

    /// Whether a page of a block was programmed, or the block erased, since the audit began.
    pub(super) fn is_changed(&self, block: BlockId) -> bool {
        self.blocks[block.index()].changed
    }

    /// Whether a block was not changed since ageing filled it by rule, and has as many valid places as then.
    pub(super) fn is_as_aged(&self, block: BlockId, valid: u32) -> bool {
        let of_block = &self.blocks[block.index()];
        self.held.follow_rule() && !of_block.changed && of_block.valid == valid
    }

    /// Pages of a block programmed since its last erase.
    pub(super) fn programmed(&self, block: BlockId) -> u32 {
        self.blocks[block.index()].programmed
    }

    /// The owner in the spare area of a page.
    pub(super) fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.held.get(page.index()).filter(|held| *held < STALE).map(Lpn)
    }

    /// The logical page or mark in the spare area of a page.
    #[cfg(test)]
    pub(super) fn held(&self, page: Ppn) -> u64 {
        self.held.at(page.index())
    }

    /// What a page holds, in words.
    pub(super) fn describe(&self, page: Ppn) -> String {
        match self.held.get(page.index()) {
            Some(FREE) => "nothing".to_owned(),
            Some(SKIPPED) => "nothing, because it was skipped".to_owned(),
            Some(STALE) => "old data".to_owned(),
            Some(lpn) => format!("logical page {lpn}"),
            None => "nothing, for it is beyond the drive".to_owned(),
        }
    }

    /// Takes the state that an FTL starts from as given: by the rule that ageing assigned pages by, else page by page of the flash, and
    /// where there are not as many pages with an owner as mapped logical pages, by the map. `watch` is told the share of the blocks that is done and stops it by
    /// returning false.
    pub(super) fn take_over(&mut self, ftl: &dyn Inspect, watch: &mut dyn FnMut(f64) -> bool) -> Finding {
        let pages_per_block = self.units.pages_per_block;
        let per_page = self.units.pages_per_program;
        self.programmed = vec![0; (ftl.user_pages() + ftl.facts().own_pages).div_ceil(64) as usize];
        let rule = ftl.ageable().and_then(Ageable::owners_by_rule);
        let rule = rule.filter(|_| ftl.facts().own_pages == 0);
        let is_by_rule = rule.is_some();
        let mut owned = 0;
        for block in (0..self.geometry.blocks()).map(BlockId) {
            let facts = ftl.block(block);
            let Some(pointer) = pages_per_block.checked_sub(facts.free) else {
                return Err(format!("{block} has more free pages than pages"));
            };
            self.blocks[block.index()] = Block {
                pointer: pointer / per_page,
                programmed: (facts.valid + facts.invalid) / per_page,
                valid: facts.valid,
                ..Block::default()
            };
            let share = || f64::from(block.0) / f64::from(self.geometry.blocks());
            if asks_before(block.0, pages_per_block) && !watch(share()) {
                return Ok(());
            }
            if is_by_rule {
                continue;
            }
            let first = self.units.page(block, 0).index();
            for page in first..first + pointer as usize {
                let owner = ftl.owner(Ppn(page as u64));
                owned += u64::from(owner.is_some());
                self.held
                    .set(page, owner.map_or(STALE, |owner| owner.0.min(STALE)));
            }
        }
        if let Some(rule) = rule {
            let blocks = &self.blocks;
            self.held.follow(rule, |block| blocks[block].pointer * per_page);
        } else if owned != mapped_pages(ftl) {
            self.take_over_map(ftl, watch)?;
        }
        let places = (0..self.held.len()).step_by(per_page as usize);
        for (programs, place) in self.programs.iter_mut().zip(places) {
            *programs = u8::from(self.held.at(place) != FREE);
        }
        Ok(())
    }

    /// Takes the owners of pages from the map.
    fn take_over_map(&mut self, ftl: &dyn Inspect, watch: &mut dyn FnMut(f64) -> bool) -> Finding {
        self.held.forget();
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            if (lpn.0 + 1).is_multiple_of(BETWEEN_LOOKS) && !watch(lpn.0 as f64 / ftl.user_pages() as f64) {
                return Ok(());
            }
            let Some(page) = ftl.lookup(lpn) else { continue };
            match self.held.get(page.index()) {
                Some(STALE) => self.held.set(page.index(), lpn.0),
                _ => {
                    return Err(format!(
                        "logical page {} is mapped to {page}, which is free, shared or beyond the drive",
                        lpn.0
                    ));
                }
            }
        }
        Ok(())
    }

    /// A constituent is issued.
    pub(super) fn start(&mut self, kind: CommandKind, constituent: &Constituent) -> Finding {
        let source = constituent.source.map(|source| self.geometry.block_of(source));
        let blocks = [Some(constituent.block), source];
        if blocks
            .into_iter()
            .flatten()
            .any(|block| self.blocks[block.index()].erasing)
        {
            return Err("the block is being erased".to_owned());
        }
        match kind {
            CommandKind::Read => self.check_read(constituent.page, constituent)?,
            CommandKind::Program => self.program(constituent)?,
            CommandKind::CopyBack => {
                let Some(source) = constituent.source else {
                    return Err("a copy-back without a source".to_owned());
                };
                self.check_read(source, constituent)?;
                self.check_copy(source, constituent.page)?;
                self.program(constituent)?;
                self.blocks[self.geometry.block_of(source).index()].outstanding += 1;
            }
            CommandKind::Erase => self.erase(constituent.block)?,
        }
        self.blocks[constituent.block.index()].outstanding += 1;
        Ok(())
    }

    /// A constituent is done.
    pub(super) fn end(&mut self, constituent: &Constituent) {
        let source = constituent.source.map(|source| self.geometry.block_of(source));
        for block in [Some(constituent.block), source].into_iter().flatten() {
            let block = &mut self.blocks[block.index()];
            block.outstanding -= 1;
            // an erase is alone on its block
            block.erasing = false;
        }
    }

    fn check_read(&self, page: Ppn, constituent: &Constituent) -> Finding {
        let places = self.of_page(page);
        match self.held.at(places.start) {
            FREE => return Err("a read of a page that is erased".to_owned()),
            SKIPPED => return Err("a read of a page that was skipped".to_owned()),
            _ => {}
        }
        let by_owner = matches!(
            constituent.cause,
            Cause::Host
                | Cause::Padding
                | Cause::Gc
                | Cause::Fold
                | Cause::Merge
                | Cause::Wear
                | Cause::Refresh
        );
        if by_owner && !self.held.contain(places.clone(), constituent.lpn.0) {
            let found = self.describe(Ppn(places.start as u64));
            return Err(format!(
                "logical page {} is read where {found} is",
                constituent.lpn.0
            ));
        }
        Ok(())
    }

    fn check_copy(&self, source: Ppn, destination: Ppn) -> Finding {
        let (from, to) = (self.geometry.address(source), self.geometry.address(destination));
        let place = |at: wordline_nand::PageAddress| (at.channel, at.chip, at.die, at.plane);
        if place(from) != place(to) {
            return Err(format!("R-b (copy-back): from another plane, {from}"));
        }
        if self.restrictions.copyback_same_parity && from.page % 2 != to.page % 2 {
            return Err(format!("R-b (copy-back): odd and even, from {from}"));
        }
        Ok(())
    }

    fn program(&mut self, constituent: &Constituent) -> Finding {
        let page = self.geometry.page_in_block(constituent.page);
        let index = constituent.page.index();
        let places = self.of_page(constituent.page);
        let block = &mut self.blocks[constituent.block.index()];
        let held = self.held.at(places.start);
        let again = held != FREE;
        if again {
            if held == SKIPPED {
                return Err("R-a (in order): the page was skipped".to_owned());
            }
            let programs = self.programs.get(index).copied().unwrap_or(1);
            if programs >= self.restrictions.partial_programs {
                return Err("R-d (no overwrite): the page is programmed and not erased".to_owned());
            }
        }
        let in_order = self.restrictions.in_order;
        if in_order && page + 1 < block.pointer + u32::from(!again) {
            return Err(format!(
                "R-a (in order): page {} of the block was programmed before",
                block.pointer - 1
            ));
        }
        let passed = if in_order {
            page.saturating_sub(block.pointer)
        } else {
            0
        };
        if in_order && passed != constituent.skipped {
            return Err(format!(
                "{passed} pages are passed by and {} counted as skipped",
                constituent.skipped
            ));
        }
        let units = places.len();
        self.held
            .fill(places.start - passed as usize * units..places.start, SKIPPED);
        // which logical pages the others hold is told later
        self.held.fill(places.clone(), STALE);
        self.held.set(places.start, constituent.lpn.0.min(STALE));
        if let Some(programs) = self.programs.get_mut(index) {
            *programs += 1;
        }
        block.pointer = block.pointer.max(page + 1);
        block.programmed += u32::from(!again);
        block.changed = true;
        self.note_programmed(constituent.lpn);
        Ok(())
    }

    fn erase(&mut self, block: BlockId) -> Finding {
        let state = &mut self.blocks[block.index()];
        if state.outstanding > 0 {
            return Err(format!(
                "the block is erased while {} operations on it are under way",
                state.outstanding
            ));
        }
        *state = Block {
            erasing: true,
            changed: true,
            ..Block::default()
        };
        let pages = |array: &Geometry| {
            let first = array.page(block, 0).index();
            first..first + array.pages_per_block as usize
        };
        if let Some(programs) = self.programs.get_mut(pages(&self.geometry)) {
            programs.fill(0);
        }
        self.held.fill(pages(&self.units), FREE);
        Ok(())
    }
}

/// Logical pages that are mapped, and pages of its own that the FTL has on flash.
pub(super) fn mapped_pages(ftl: &dyn Inspect) -> u64 {
    let own = ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages;
    ftl.mapped_pages() + own.filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some()).count() as u64
}
