//! Pages of a drive by state.

use wordline_nand::BlockId;

use super::Inspect;
use crate::block::{BlockRole, Census};
use crate::plan::Lpn;

/// Pages of a drive by state, block by block.
pub(crate) fn census_by_blocks<T: Inspect + ?Sized>(ftl: &T) -> Census {
    let geometry = ftl.geometry();
    let mut census = Census::default();
    for block in 0..geometry.blocks() {
        let facts = ftl.block(BlockId(block));
        census.valid += u64::from(facts.valid);
        census.invalid += u64::from(facts.invalid);
        census.free += u64::from(facts.free);
        census.skipped += u64::from(facts.skipped);
    }
    census.mapped = ftl.mapped_pages();
    let own = ftl.user_pages()..ftl.user_pages() + ftl.own_pages();
    census.own = own.filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some()).count() as u64;
    census
}

/// Pages of the blocks of a pool that are not bad.
pub(super) fn usable_by_blocks<T: Inspect + ?Sized>(ftl: &T, pool: u32) -> u64 {
    let collected = ftl.collected_geometry();
    let blocks = collected.blocks() / ftl.pools();
    let usable = (pool * blocks..(pool + 1) * blocks)
        .filter(|block| ftl.block_use(BlockId(*block)).role != BlockRole::Bad);
    usable.count() as u64 * u64::from(collected.pages_per_block)
}
