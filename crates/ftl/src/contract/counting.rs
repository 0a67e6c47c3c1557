//! What an FTL counts afresh, from what it tells of its blocks.

use wordline_nand::BlockId;

use super::{CollectedSpace, Inspect};
use crate::block::{self, Census};
use crate::plan::Lpn;

/// Pages of the blocks of a pool that are not bad, where an FTL collects what the drive calls a block.
pub fn count_usable_pages(ftl: &(impl Inspect + CollectedSpace + ?Sized), pool: u32) -> u64 {
    let use_of = |block: BlockId| ftl.block_use(block);
    block::usable_pages(ftl.collected_geometry(), ftl.pools(), pool, use_of)
}

/// The states of all pages.
pub(super) fn census(ftl: &(impl Inspect + ?Sized)) -> Census {
    let own = ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages;
    let own = own.filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some()).count() as u64;
    let facts = |block: BlockId| ftl.block(block);
    Census::of_blocks(ftl.geometry(), facts, ftl.mapped_pages(), own)
}
