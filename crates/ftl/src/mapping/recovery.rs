//! Which spare areas are read after a sudden loss of power, block by block (FTL specification, 8.3).

use std::cmp::Reverse;

use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockRole};
use crate::config::{MappingInput, RecoveryKind};
use crate::contract::{Inspect, Recoverable};
use crate::error::FtlError;
use crate::inflight::{InFlight, PendingProgram};
use crate::map::{HostMap, Relocate};
use crate::plan::HOST;
use crate::plan::Step;
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};
use crate::space::FlashSpace;
use crate::state::archive::ArchiveError;

/// The page that was found to count for a logical page.
#[derive(Clone, Copy, Debug)]
pub(in crate::mapping) struct Newest {
    pub(in crate::mapping) page: Ppn,
    /// Its sub-pages that hold data.
    pub(in crate::mapping) sectors: u64,
    /// How many there are, which of a mapping whose sub-pages are pages have sub-pages themselves.
    pub(in crate::mapping) sub_pages: u32,
    /// Its version, and the write whose content it holds.
    pub(in crate::mapping) version: (u64, u64),
}

/// The page that counts for each of `user` logical pages: the one with the highest version. Equal versions are a page and its copies, of which the one with most sub-pages counts,
/// as a copy may lack some that were trimmed, and of these the one in the block that was written first. Pages of the mapping's own, `own` logical pages behind these, are left out.
///
/// # Errors
/// A logical page beyond all of these.
pub(in crate::mapping) fn newest_pages(
    flash: &dyn FoundFlash,
    geometry: &Geometry,
    (user, own): (u64, u64),
    blocks: &[FoundBlock],
) -> Result<Vec<Option<Newest>>, ArchiveError> {
    let mut newest: Vec<Option<Newest>> = vec![None; user as usize];
    let sequence = |page: Ppn| blocks[geometry.block_of(page).index()].sequence;
    let rank = |found: &Newest| (found.version, found.sub_pages, Reverse(sequence(found.page)));
    // a block is marked when all that it held is elsewhere
    for (number, _) in (0..).zip(blocks).filter(|(_, block)| !block.bad) {
        for page in (0..geometry.pages_per_block).map(|page| geometry.page(BlockId(number), page)) {
            let Some(spare) = flash.spare_area(page) else {
                continue;
            };
            if spare.sectors == 0 || (user..user + own).contains(&spare.lpn.0) {
                continue;
            }
            let found = Newest {
                page,
                sectors: spare.sectors,
                sub_pages: flash.sub_pages(page),
                version: (spare.version, spare.write),
            };
            let Some(best) = newest.get_mut(spare.lpn.0 as usize) else {
                return Err(ArchiveError::Content(
                    "a spare area names a logical page beyond the drive",
                ));
            };
            if best.as_ref().is_none_or(|best| rank(best) < rank(&found)) {
                *best = Some(found);
            }
        }
    }
    Ok(newest)
}

/// What is found of a drive whose mapping knows of whole pages, and what counts of it.
pub(in crate::mapping) struct FoundPages<'a> {
    flash: &'a dyn FoundFlash,
    geometry: Geometry,
    blocks: Vec<FoundBlock>,
    /// The page that counts for each logical page.
    newest: Vec<Option<Newest>>,
    /// How many pages of each block count.
    counting: Vec<u16>,
}

impl<'a> FoundPages<'a> {
    /// # Errors
    /// A logical page beyond the drive.
    pub(in crate::mapping) fn new(
        flash: &'a dyn FoundFlash,
        space: &FlashSpace,
    ) -> Result<Self, ArchiveError> {
        let geometry = space.geometry;
        let blocks = flash.blocks(&geometry);
        let newest = newest_pages(flash, &geometry, (space.capacity.user_pages, 0), &blocks)?;
        let mut counting = vec![0; blocks.len()];
        for found in newest.iter().flatten() {
            counting[geometry.block_of(found.page).index()] += 1;
        }
        Ok(Self {
            flash,
            geometry,
            blocks,
            newest,
            counting,
        })
    }

    /// The pages that count, with their logical pages.
    pub(in crate::mapping) fn pages(&self) -> impl Iterator<Item = (u64, Newest)> {
        let pages = (0..).zip(&self.newest);
        pages.filter_map(|(lpn, page)| Some((lpn, (*page)?)))
    }

    /// The blocks with pages that count, in the order in which they were written first.
    pub(in crate::mapping) fn in_sequence(&self) -> Vec<u32> {
        let holding = (0..).zip(&self.counting).filter(|(_, pages)| **pages > 0);
        let mut blocks: Vec<u32> = holding.map(|(block, _)| block).collect();
        blocks.sort_by_key(|block| self.blocks[*block as usize].sequence);
        blocks
    }

    /// Puts the pages that count into an empty map, and the blocks into an empty space: what is read for that and repaired.
    ///
    /// # Errors
    /// Pools that cannot work with the blocks as they are.
    pub(in crate::mapping) fn take_over(
        &self,
        now: SimTime,
        space: &mut FlashSpace,
        map: &mut impl HostMap,
    ) -> Result<Recovery, ArchiveError> {
        for (lpn, page) in self.pages() {
            map.map(lpn, page.page.0, page.sectors);
        }
        let erased = space.recover(now, self.flash, &self.counting, &|_| HOST)?;
        Ok(Recovery {
            reads: self.flash.passed_pages(&self.geometry),
            repairs: erased.into_iter().map(Repair::Erase).collect(),
        })
    }
}

/// A mapping each of whose programs brings one logical page, with a spare area of its own.
pub(in crate::mapping) trait PageByPage {
    /// What the program of a step, which begins, writes beside its data to a page.
    fn spare_area(&self, step: &Step, page: Ppn) -> Option<SpareArea>;

    /// The space whose blocks take these programs.
    fn programmed_space(&mut self) -> &mut FlashSpace;

    /// [`Recoverable::recover`].
    fn rebuild(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError>;
}

impl<T: PageByPage> Recoverable for T {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        self.spare_area(step, page).map(Written::Data)
    }

    fn is_unsettled(&self, _block: BlockId) -> bool {
        false
    }

    fn number_write(&mut self, _number: u64) {}

    fn fail_block(&mut self, block: BlockId) {
        self.programmed_space().fail_block(block.0);
    }

    fn may_fail(&self, _step: &Step) -> bool {
        true
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.rebuild(now, flash)
    }
}

/// Refuses a reserve of one block where blocks of several planes are erased together: a power cut may leave some of them erased and others not, and all together with nothing that
/// is current.
///
/// # Errors
/// A smaller reserve, if the map is built anew after power cuts.
pub(in crate::mapping) fn refuse_small_reserve(input: &MappingInput<'_>, with: &str) -> Result<(), FtlError> {
    let (kind, reserve) = (input.config.recovery.kind, input.config.gc.reserve_blocks);
    if kind == RecoveryKind::None || reserve >= 2 {
        return Ok(());
    }
    let accepted = format!(
        "at least 2 {with} and ftl.recovery.kind = \"{}\": a power cut may leave a superblock with some of its blocks erased",
        kind.name()
    );
    Err(FtlError::new("ftl.gc.reserve_blocks", reserve, accepted))
}

/// What a program under way writes beside its data: the logical page, and its sub-pages that hold data.
#[inline]
pub(in crate::mapping) fn spare_area_of(
    inflight: &InFlight,
    map: &impl Relocate,
    step: &Step,
) -> Option<SpareArea> {
    let lpn = step.lpn;
    let sectors = match inflight.get(step.token)? {
        PendingProgram::Write { after, .. } => after,
        // a page that was superseded meanwhile is not to be found again
        PendingProgram::Move { source, .. } if map.owner(source) == Some(lpn.0) => map.sectors(lpn.0),
        PendingProgram::Move { .. } => 0,
        PendingProgram::Vacant(_) => return None,
    };
    Some(SpareArea {
        lpn,
        version: 0,
        write: 0,
        sectors,
        slc: false,
    })
}

/// Sums per die what has to be read of each block that can be used.
pub(in crate::mapping) fn reads_per_die(
    ftl: &dyn Inspect,
    reads: impl Fn(BlockId, &BlockFacts) -> u32,
) -> Vec<u64> {
    let geometry = ftl.geometry();
    let mut of_die = vec![0; geometry.dies() as usize];
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        if facts.role != BlockRole::Bad {
            let die = geometry.die_of(geometry.plane_of(block));
            of_die[die.index()] += u64::from(reads(block, &facts));
        }
    }
    of_die
}

/// Pages of a block that were programmed.
pub(in crate::mapping) const fn programmed(facts: &BlockFacts) -> u32 {
    facts.valid + facts.invalid
}

/// Spare areas that tell the owner of a block whose pages lie where the map of blocks says: the first one, if every page of the
/// block was programmed; otherwise those of all pages that were.
pub(in crate::mapping) const fn reads_in_place(facts: &BlockFacts) -> u32 {
    if facts.free == 0 && facts.skipped == 0 {
        1
    } else {
        programmed(facts)
    }
}

/// Spare areas that lead to the page of a block that was programmed last: that page itself if the block is full, otherwise it
/// is found by bisection.
pub(in crate::mapping) const fn reads_of_newest(facts: &BlockFacts) -> u32 {
    let programmed = programmed(facts) + facts.skipped;
    if programmed == 0 {
        0
    } else if facts.free == 0 {
        1
    } else {
        u32::BITS - (programmed + facts.free).leading_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn facts(valid: u32, invalid: u32, free: u32, skipped: u32) -> BlockFacts {
        BlockFacts {
            role: BlockRole::Closed,
            valid,
            invalid,
            free,
            skipped,
            erase_count: 0,
        }
    }

    /// A block of 8 pages: untouched, with 3 pages, full, and full with a gap.
    #[test]
    fn what_has_to_be_read_of_a_block() {
        let blocks = [
            facts(0, 0, 8, 0),
            facts(2, 1, 5, 0),
            facts(5, 3, 0, 0),
            facts(5, 2, 0, 1),
        ];
        assert_eq!(blocks.each_ref().map(programmed), [0, 3, 8, 7]);
        assert_eq!(blocks.each_ref().map(reads_in_place), [0, 3, 1, 7]);
        // among the 9 ends that 8 pages have by 4 looks
        assert_eq!(blocks.each_ref().map(reads_of_newest), [0, 4, 1, 1]);
    }
}
