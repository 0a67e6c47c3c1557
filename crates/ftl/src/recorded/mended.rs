//! After a power cut: pages that were lost with a program that was cut off are found in their copies.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use wordline_nand::{BlockId, PlaneId, Ppn};

use super::backup::{Backup, CopyBlock};
use super::learn::Learned;
use crate::plan::Lpn;
use crate::recovery::{
    DeltaEntry, FoundBlock, FoundFlash, OwnPage, RecoveryError, RecoveryRead, Repair, SpareArea, Written,
};

/// Blocks of a plane that hold copies which stand for pages, at most: of the others one can be written to while the copies of another are needed.
const MOST_BLOCKS: usize = 2;

/// Pages that were lost: where their copies are, and what they hold.
pub(super) type Lost = BTreeMap<Ppn, (Ppn, Written)>;

/// The flash that was found, with the copies of pages that were lost in their place.
pub(super) struct Mended<'a> {
    pub(super) flash: &'a dyn FoundFlash,
    pub(super) lost: Lost,
}

impl Mended<'_> {
    fn lost(&self, page: Ppn) -> Option<&Written> {
        self.lost.get(&page).map(|(_, written)| written)
    }
}

impl FoundFlash for Mended<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        self.flash.block(block)
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        self.flash.unit(page, place).or_else(|| match self.lost(page)? {
            Written::Data(spare) if place == 0 => Some(*spare),
            _ => None,
        })
    }

    fn is_whole(&self, page: Ppn) -> bool {
        self.flash.is_whole(page) || self.lost.contains_key(&page)
    }

    fn deltas(&self, page: Ppn) -> Option<Vec<DeltaEntry>> {
        self.flash.deltas(page)
    }

    fn own_page(&self, page: Ppn) -> Option<OwnPage> {
        self.flash.own_page(page).or_else(|| match self.lost(page)? {
            Written::Own(own) => Some(own.clone()),
            _ => None,
        })
    }
}

impl Learned {
    /// Forgets pages that were lost, but for their copies, where another page holds the same version of their logical page or a newer one.
    pub(super) fn forget_moved(&mut self, lost: &mut Lost) {
        let of_data = lost.iter().filter_map(|(source, (_, written))| match written {
            Written::Data(spare) => Some((*source, *spare)),
            _ => None,
        });
        let of_data: Vec<(Ppn, SpareArea)> = of_data.collect();
        if of_data.is_empty() {
            return;
        }
        let lpns: FxHashSet<Lpn> = of_data.iter().map(|(_, spare)| spare.lpn).collect();
        let mut others: FxHashMap<Lpn, u64> = FxHashMap::default();
        for (place, spare) in &self.spare {
            if lpns.contains(&spare.lpn) && !lost.contains_key(place) {
                let newest = others.entry(spare.lpn).or_default();
                *newest = spare.version.max(*newest);
            }
        }
        for (source, spare) in of_data {
            if others
                .get(&spare.lpn)
                .is_some_and(|other| *other >= spare.version)
            {
                self.spare.remove(&source);
                lost.remove(&source);
            }
        }
    }
}

impl Backup {
    /// Looks at the spare areas of all copies: those of pages that cannot be read any more, and whose blocks were not erased since, stand for them.
    pub(super) fn find_lost(&mut self, flash: &dyn FoundFlash, reads: &mut Vec<RecoveryRead>) -> Lost {
        let mut lost = Lost::new();
        for (block, state) in &mut self.blocks {
            let found = flash.block(*block);
            *state = CopyBlock {
                passed: found.passed,
                is_closed: found.passed > 0,
                erases: found.erases,
            };
            for at in self.positions.iter().filter(|at| **at < found.passed) {
                let page = self.geometry.page(*block, *at);
                reads.push(RecoveryRead::spare(page));
                let Some(OwnPage::Backup {
                    source,
                    erases,
                    content,
                }) = flash.own_page(page)
                else {
                    continue;
                };
                let is_there = flash.spare_area(source).is_some() || flash.own_page(source).is_some();
                if !is_there && flash.block(self.geometry.block_of(source)).erases == erases {
                    lost.insert(source, (page, *content));
                }
            }
        }
        lost
    }

    /// Takes over the copies that stand for pages which count (`counts` says it of the mapping's), and what pages of the FTL's own hold that share their cells with
    /// pages that are programmed next. Where copies that stand for pages are in several blocks of a plane, they are brought together.
    pub(super) fn take_over(
        &mut self,
        found: &Mended<'_>,
        counts: impl Fn(Ppn) -> bool,
        own_blocks: &[BlockId],
        repairs: &mut Vec<Repair>,
    ) -> Result<(), RecoveryError> {
        let of_erase = |repair: &Repair| match repair {
            Repair::Erase(block) => Some(*block),
            Repair::Program(..) => None,
        };
        let erased: BTreeSet<BlockId> = repairs.iter().filter_map(of_erase).collect();
        for block in own_blocks.iter().filter(|block| !erased.contains(block)) {
            let passed = found.block(*block).passed;
            let pages = (0..passed).map(|at| self.geometry.page(*block, at));
            let own: Vec<(Ppn, OwnPage)> = pages
                .filter(|page| self.shares_later(*page))
                .filter_map(|page| Some((page, found.own_page(page)?)))
                .collect();
            self.own_pages.extend(own);
        }
        for repair in &*repairs {
            if let Repair::Program(page, own) = repair
                && self.shares_later(*page)
            {
                self.own_pages.insert(*page, own.clone());
            }
        }
        for (source, (copy, content)) in &found.lost {
            let is_own = matches!(content, Written::Own(_));
            let is_gone = erased.contains(&self.geometry.block_of(*source));
            if !is_gone && (is_own || counts(*source)) {
                self.stand_in(*source, *copy);
            }
        }
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            self.bring_together(plane, found, repairs)?;
        }
        Ok(())
    }

    fn stand_in(&mut self, source: Ppn, copy: Ppn) {
        self.lost.insert(source, copy);
        self.stand_for.insert(copy, source);
    }

    /// Programs copies of a plane that stand for pages into one block that holds none of them: those of the blocks with the fewest, as far as there is room.
    fn bring_together(
        &mut self,
        plane: PlaneId,
        found: &Mended<'_>,
        repairs: &mut Vec<Repair>,
    ) -> Result<(), RecoveryError> {
        let mut by_block: BTreeMap<BlockId, Vec<(Ppn, Ppn)>> = BTreeMap::new();
        for (source, copy) in &self.lost {
            if self.plane_of(*copy) == plane {
                let of_block = by_block.entry(self.geometry.block_of(*copy)).or_default();
                of_block.push((*source, *copy));
            }
        }
        let mut blocks = 0..self.region.geometry.blocks_per_plane;
        let free = blocks.find(|at| !by_block.contains_key(&self.block(plane, *at)));
        let mut fewest_first: Vec<Vec<(Ppn, Ppn)>> = by_block.into_values().collect();
        fewest_first.sort_by_key(Vec::len);
        let mut room = self.positions.len();
        let fits = |copies: &&Vec<(Ppn, Ppn)>| {
            let fits = copies.len() <= room;
            room -= if fits { copies.len() } else { 0 };
            fits
        };
        let together = fewest_first.iter().take_while(fits).count();
        let left = (fewest_first.len() + 1).saturating_sub(together.max(1));
        let at = match free {
            Some(at) if left <= MOST_BLOCKS => at,
            _ => return Err(RecoveryError::TooManyCopies),
        };
        if together < 2 {
            return Ok(());
        }
        let moved: Vec<(Ppn, Ppn)> = fewest_first.drain(..together).flatten().collect();
        let block = self.block(plane, at);
        self.current[plane.index()] = at;
        let mut state = self.blocks[&block];
        if state.passed > 0 {
            repairs.push(Repair::Erase(block));
            state.erases += 1;
        }
        state.is_closed = false;
        for ((source, copy), at) in moved.into_iter().zip(self.positions.clone()) {
            let page = self.geometry.page(block, at);
            if let Some((_, content)) = found.lost.get(&source) {
                let own = OwnPage::Backup {
                    source,
                    erases: found.block(self.geometry.block_of(source)).erases,
                    content: Box::new(content.clone()),
                };
                repairs.push(Repair::Program(page, own));
            }
            self.stand_for.remove(&copy);
            self.stand_in(source, page);
            state.passed = at + 1;
        }
        self.blocks.insert(block, state);
        Ok(())
    }
}
