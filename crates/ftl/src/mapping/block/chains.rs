//! The map of the block-level FTL: the blocks that belong to each logical block, and which of their pages are current.

use rustc_hash::FxHashMap;
use wordline_nand::Geometry;

use crate::map::{HostMap, Relocate};
use crate::state::archive::{Archive, ArchiveError};

const NONE: u32 = u32::MAX;

/// The blocks of each logical block, oldest first. Every page of a block holds the logical page of its own offset or
/// nothing; of the copies of a logical page one is current.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    pages_per_block: u64,
    /// Per logical block: the oldest of its blocks.
    first: Vec<u32>,
    /// Per block: the next younger one of the same logical block.
    next: Vec<u32>,
    /// Per block: its logical block.
    logical: Vec<u32>,
    /// A bit per physical page: whether it is current.
    current: Vec<u64>,
    /// Sub-pages of the mapped logical pages that hold only some.
    partial: FxHashMap<u64, u64>,
    full: u64,
}

impl Chains {
    pub(super) fn new(geometry: &Geometry, user_pages: u64) -> Self {
        let blocks = geometry.blocks() as usize;
        let pages_per_block = u64::from(geometry.pages_per_block);
        Self {
            pages_per_block,
            first: vec![NONE; (user_pages / pages_per_block) as usize],
            next: vec![NONE; blocks],
            logical: vec![NONE; blocks],
            current: vec![0; geometry.pages().div_ceil(64) as usize],
            partial: FxHashMap::default(),
            full: geometry.full_bitmap(),
        }
    }

    /// The logical block of a logical page, and the offset of the page there.
    #[inline]
    pub(super) fn split(&self, lpn: u64) -> (u32, u32) {
        (
            (lpn / self.pages_per_block) as u32,
            (lpn % self.pages_per_block) as u32,
        )
    }

    /// The page of a block at an offset.
    #[inline]
    pub(super) fn page(&self, block: u32, offset: u32) -> u64 {
        u64::from(block) * self.pages_per_block + u64::from(offset)
    }

    /// The blocks of a logical block, oldest first.
    #[inline]
    pub(super) fn blocks(&self, logical: u32) -> impl Iterator<Item = u32> {
        let known = |block: u32| (block != NONE).then_some(block);
        std::iter::successors(known(self.first[logical as usize]), move |block| {
            known(self.next[*block as usize])
        })
    }

    /// The logical blocks that have several blocks, of which the oldest is among these.
    pub(super) fn several(&self, blocks: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        let is_oldest = |block: &u32| {
            let logical = self.logical_of(*block);
            logical.is_some_and(|logical| self.first[logical as usize] == *block)
        };
        let has_more = |block: &u32| self.next[*block as usize] != NONE;
        let oldest = blocks.filter(has_more).filter(is_oldest);
        oldest.filter_map(|block| self.logical_of(block))
    }

    /// The logical block that a block belongs to.
    #[inline]
    pub(super) fn logical_of(&self, block: u32) -> Option<u32> {
        let logical = self.logical[block as usize];
        (logical != NONE).then_some(logical)
    }

    /// A block becomes the youngest of a logical block.
    pub(super) fn append(&mut self, logical: u32, block: u32) {
        self.logical[block as usize] = logical;
        let youngest = self.blocks(logical).last();
        match youngest {
            Some(youngest) => self.next[youngest as usize] = block,
            None => self.first[logical as usize] = block,
        }
    }

    /// A block without current pages belongs to no logical block any more.
    pub(super) fn remove(&mut self, block: u32) {
        let Some(logical) = self.logical_of(block) else {
            return;
        };
        let after = std::mem::replace(&mut self.next[block as usize], NONE);
        let before = self
            .blocks(logical)
            .find(|other| self.next[*other as usize] == block);
        match before {
            Some(before) => self.next[before as usize] = after,
            None => self.first[logical as usize] = after,
        }
        self.logical[block as usize] = NONE;
    }

    /// Whether a page is current.
    #[inline]
    pub(super) fn is_current(&self, page: u64) -> bool {
        self.current[(page / 64) as usize] >> (page % 64) & 1 == 1
    }

    fn set_current(&mut self, page: u64, is_current: bool) {
        let word = &mut self.current[(page / 64) as usize];
        *word = *word & !(1 << (page % 64)) | u64::from(is_current) << (page % 64);
    }

    /// Where the current version of a logical page is.
    #[inline]
    fn lookup(&self, lpn: u64) -> Option<u64> {
        let (logical, offset) = self.split(lpn);
        self.blocks(logical)
            .map(|block| self.page(block, offset))
            .find(|page| self.is_current(*page))
    }

    fn set_sectors(&mut self, lpn: u64, sectors: u64) {
        if sectors == self.full {
            self.partial.remove(&lpn);
        } else {
            self.partial.insert(lpn, sectors);
        }
    }

    /// The offsets from `from` on at which a block has current pages.
    pub(super) fn current_offsets(&self, block: u32, from: u32) -> impl Iterator<Item = u32> {
        (from..self.pages_per_block as u32).filter(move |offset| self.is_current(self.page(block, *offset)))
    }

    /// Passes the map to a state file or takes it from one.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.first)?;
        archive.table(&mut self.next)?;
        archive.table(&mut self.logical)?;
        archive.table(&mut self.current)?;
        let mut partial: Vec<(u64, u64)> = self
            .partial
            .iter()
            .map(|(lpn, sectors)| (*lpn, *sectors))
            .collect();
        partial.sort_unstable();
        archive.part(&mut partial)?;
        if archive.is_loading() {
            self.partial = partial.into_iter().collect();
        }
        Ok(())
    }

    /// Current pages of the drive, in order.
    pub(super) fn current_pages_of_drive(&self) -> impl Iterator<Item = u64> {
        let pages = self.next.len() as u64 * self.pages_per_block;
        (0..pages).filter(|page| self.is_current(*page))
    }
}

impl HostMap for Chains {
    #[inline]
    fn get(&self, lpn: u64) -> Option<(u64, u64)> {
        let page = self.lookup(lpn)?;
        Some((page, self.sectors(lpn)))
    }

    fn map(&mut self, lpn: u64, page: u64, sectors: u64) -> Option<u64> {
        let old = self.lookup(lpn);
        if let Some(old) = old {
            self.set_current(old, false);
        }
        self.set_current(page, true);
        self.set_sectors(lpn, sectors);
        old
    }

    fn forget(&mut self, lpn: u64, sectors: u64) -> Option<u64> {
        let (page, valid) = self.get(lpn)?;
        let left = valid & !sectors;
        if left != 0 {
            self.set_sectors(lpn, left);
            return None;
        }
        self.partial.remove(&lpn);
        self.set_current(page, false);
        Some(page)
    }
}

impl Relocate for Chains {
    #[inline]
    fn owner(&self, page: u64) -> Option<u64> {
        let (block, offset) = (page / self.pages_per_block, page % self.pages_per_block);
        let logical = self.logical_of(block as u32)?;
        self.is_current(page)
            .then(|| u64::from(logical) * self.pages_per_block + offset)
    }

    fn sectors(&self, lpn: u64) -> u64 {
        self.partial.get(&lpn).copied().unwrap_or(self.full)
    }

    fn relocate(&mut self, _lpn: u64, from: u64, to: u64) {
        self.set_current(from, false);
        self.set_current(to, true);
    }
}
