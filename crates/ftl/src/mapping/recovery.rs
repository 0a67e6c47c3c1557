//! Which spare areas are read after a sudden loss of power, block by block (FTL specification, 8.3).

use wordline_nand::BlockId;

use crate::block::{BlockFacts, BlockRole};
use crate::contract::Inspect;

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
