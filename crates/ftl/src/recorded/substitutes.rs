//! Blocks that stand for those of journal, checkpoints and root of which something has failed (FTL specification, 6.4).
//!
//! The layout (`area`) says for which block a page is meant. From the first program on that fails there, a spare block of the same plane takes the pages that are meant for it. What the block holds
//! stays where it is as long as it counts; where the block would be erased then, it is retired.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, PlaneId};

use super::division::Area;

/// Which blocks hold the pages that are meant for those of the layout.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Substitutes {
    /// Erased blocks that stand for none.
    spare: BTreeSet<BlockId>,
    /// By block of the layout whose pages are, or may be, in others: the blocks that have them, in the order in which they were written. The last one is programmed.
    of: BTreeMap<BlockId, Vec<BlockId>>,
    /// Blocks in which a program has failed and that hold what counts still.
    failed: BTreeSet<BlockId>,
    /// Blocks that are retired.
    bad: BTreeSet<BlockId>,
}

impl Substitutes {
    /// Nothing has failed.
    pub(super) fn new(area: &Area) -> Self {
        Self {
            spare: area.spare_blocks().collect(),
            ..Self::default()
        }
    }

    /// What is found after a power cut: blocks that are bad, and spare blocks that hold pages for blocks of the layout (`stands_for`, in the order in which they were written). All other spare blocks
    /// are erased, or are about to be. A block of which a program has failed and that was not retired is used again.
    pub(super) fn of_found(area: &Area, bad: BTreeSet<BlockId>, stands_for: &[(BlockId, BlockId)]) -> Self {
        let mut found = Self {
            bad,
            ..Self::new(area)
        };
        found.spare.retain(|block| !found.bad.contains(block));
        for (spare, layout) in stands_for {
            found.spare.remove(spare);
            found.stand_for(*layout, *spare);
        }
        let lost = area
            .layout_blocks()
            .filter(|layout| found.bad.contains(layout) && !found.of.contains_key(layout));
        for layout in lost.collect::<Vec<_>>() {
            if let Some(spare) = found.take_spare(area, area.plane_of(layout)) {
                found.stand_for(layout, spare);
            }
        }
        found
    }

    fn stand_for(&mut self, layout: BlockId, block: BlockId) {
        let blocks = self.of.entry(layout).or_insert_with(|| vec![layout]);
        blocks.retain(|block| !self.bad.contains(block));
        blocks.push(block);
    }

    fn take_spare(&mut self, area: &Area, plane: PlaneId) -> Option<BlockId> {
        let spare = self.spare.iter().find(|block| area.plane_of(**block) == plane);
        let spare = spare.copied()?;
        self.spare.remove(&spare);
        Some(spare)
    }

    /// Whether a plane has a spare block left.
    pub(super) fn has_spare(&self, area: &Area, plane: PlaneId) -> bool {
        self.spare.iter().any(|block| area.plane_of(*block) == plane)
    }

    /// The blocks that stand for none.
    pub(super) fn spare_blocks(&self) -> Vec<BlockId> {
        self.spare.iter().copied().collect()
    }

    /// How many blocks are retired.
    pub(super) fn bad_blocks(&self) -> u64 {
        self.bad.len() as u64
    }

    pub(super) fn is_bad(&self, block: BlockId) -> bool {
        self.bad.contains(&block)
    }

    /// The block in which pages that are meant for one of the layout are programmed.
    pub(super) fn home(&self, layout: BlockId) -> BlockId {
        let blocks = self.of.get(&layout);
        blocks.and_then(|blocks| blocks.last()).copied().unwrap_or(layout)
    }

    /// A program in a block, of a page that is meant for one of the layout, has failed.
    pub(super) fn program_failed(&mut self, area: &Area, layout: BlockId, block: BlockId) {
        if self.bad.contains(&block) {
            return;
        }
        if block == self.home(layout) {
            let Some(spare) = self.take_spare(area, area.plane_of(layout)) else {
                return;
            };
            self.stand_for(layout, spare);
        }
        self.failed.insert(block);
    }

    /// What the blocks for one of the layout hold does not count any more: of which it was, but for those that are retired now. Once they are erased, one of them is for it again, and the others
    /// are spare.
    pub(super) fn release(&mut self, layout: BlockId) -> Vec<BlockId> {
        let Some(mut blocks) = self.of.remove(&layout) else {
            return vec![layout];
        };
        let is_failed = |block: &mut BlockId| self.failed.remove(block);
        self.bad.extend(blocks.extract_if(.., is_failed));
        let own = blocks.iter().copied().find(|block| *block == layout);
        if let Some(kept) = own.or(blocks.last().copied()).filter(|kept| *kept != layout) {
            self.of.insert(layout, vec![kept]);
        }
        blocks
    }

    /// A block is erased.
    pub(super) fn erased(&mut self, area: &Area, block: BlockId) {
        if self.failed.remove(&block) {
            // a program that was under way in it has failed meanwhile
            self.bad.insert(block);
            for blocks in self.of.values_mut() {
                blocks.retain(|other| *other != block);
            }
        } else if area.is_spare(block) && !self.of.values().flatten().any(|other| *other == block) {
            self.spare.insert(block);
        }
    }

    /// The erase of a block has failed: it is retired, and a spare one takes its place.
    pub(super) fn erase_failed(&mut self, area: &Area, block: BlockId) {
        self.failed.remove(&block);
        self.bad.insert(block);
        let of = self.of.iter().find(|(_, blocks)| blocks.contains(&block));
        let layout = match of {
            Some((layout, _)) => *layout,
            None if area.is_spare(block) => return,
            None => block,
        };
        if let Some(blocks) = self.of.get_mut(&layout) {
            blocks.retain(|other| *other != block);
            if !blocks.is_empty() {
                return;
            }
        }
        if let Some(spare) = self.take_spare(area, area.plane_of(block)) {
            self.of.insert(layout, vec![spare]);
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::{Geometry, GeometryConfig};

    use super::*;
    use crate::space::Region;

    /// Two planes of 16 blocks; of the 8 that are the area's the last 2 are spare: blocks 8 to 13 of plane 0, and 14 and 15.
    fn area() -> Area {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 16,
            pages_per_block: 4,
            ..GeometryConfig::default()
        });
        Area {
            region: Region::new(&geometry.unwrap(), 8, 8),
            root_rows: 1,
            slot_rows: 1,
            journal_rows: 3,
            spare_rows: 2,
            entries_per_page: 8,
            pages: 2,
        }
    }

    const OWN: BlockId = BlockId(9);
    const SPARE: BlockId = BlockId(14);
    const NEXT: BlockId = BlockId(15);
    const PLANE: PlaneId = PlaneId(0);

    #[test]
    fn a_block_in_which_a_program_fails_is_retired_when_it_would_be_erased() {
        let area = area();
        let mut blocks = Substitutes::new(&area);
        assert_eq!(blocks.spare_blocks(), [SPARE, NEXT, BlockId(30), BlockId(31)]);
        assert_eq!(blocks.home(OWN), OWN);
        blocks.program_failed(&area, OWN, OWN);
        assert_eq!(blocks.home(OWN), SPARE);
        // another one that was under way in it takes no further block
        blocks.program_failed(&area, OWN, OWN);
        assert_eq!(blocks.home(OWN), SPARE);
        assert!(!blocks.is_bad(OWN), "its pages count");
        assert_eq!(blocks.release(OWN), [SPARE]);
        assert!(blocks.is_bad(OWN));
        blocks.erased(&area, SPARE);
        assert_eq!(blocks.home(OWN), SPARE);
        assert!(blocks.has_spare(&area, PLANE));
        blocks.program_failed(&area, OWN, SPARE);
        assert_eq!(blocks.home(OWN), NEXT);
        assert!(!blocks.has_spare(&area, PLANE));
        assert!(blocks.has_spare(&area, PlaneId(1)));
        // nothing is left to take its place
        blocks.program_failed(&area, OWN, NEXT);
        assert_eq!(blocks.home(OWN), NEXT);
        assert_eq!(blocks.release(OWN), [NEXT]);
        assert_eq!((blocks.bad_blocks(), blocks.is_bad(SPARE)), (2, true));
    }

    #[test]
    fn a_block_whose_erase_fails_is_retired_at_once() {
        let area = area();
        let mut blocks = Substitutes::new(&area);
        assert_eq!(blocks.release(OWN), [OWN]);
        blocks.erase_failed(&area, OWN);
        assert!(blocks.is_bad(OWN));
        assert_eq!(blocks.home(OWN), SPARE);
        assert_eq!(blocks.release(OWN), [SPARE]);
        blocks.erase_failed(&area, SPARE);
        assert_eq!(blocks.home(OWN), NEXT);
        assert_eq!(blocks.bad_blocks(), 2);
    }

    /// A page whose row is to be erased was under way, and has failed then.
    #[test]
    fn a_program_that_fails_before_its_block_is_erased_retires_it() {
        let area = area();
        let mut blocks = Substitutes::new(&area);
        assert_eq!(blocks.release(OWN), [OWN]);
        blocks.program_failed(&area, OWN, OWN);
        blocks.erased(&area, OWN);
        assert!(blocks.is_bad(OWN));
        assert_eq!(blocks.home(OWN), SPARE);
        assert_eq!(blocks.release(OWN), [SPARE]);
    }

    /// That a program had failed in a block is forgotten with the power, if it was not retired yet: it is used again, and what stood for it is spare again.
    #[test]
    fn what_is_found_stands_for_what_its_pages_say() {
        let area = area();
        let other = BlockId(10);
        let bad = BTreeSet::from([other]);
        let mut blocks = Substitutes::of_found(&area, bad, &[(NEXT, OWN)]);
        assert_eq!(blocks.home(OWN), NEXT);
        // a bad block of which nothing is found has a spare one, which is empty
        assert_eq!(blocks.home(other), SPARE);
        assert!(!blocks.has_spare(&area, PLANE));
        assert_eq!(blocks.release(OWN), [OWN, NEXT]);
        assert_eq!(blocks.home(OWN), OWN);
        blocks.erased(&area, OWN);
        blocks.erased(&area, NEXT);
        assert!(blocks.has_spare(&area, PLANE));
        assert_eq!(blocks.release(other), [SPARE]);
        assert_eq!(blocks.home(other), SPARE);
    }
}
