//! Blocks as collection sees them.

use wordline_nand::{BlockId, Geometry, PlaneId};

use crate::block::CleanSpace;

/// A mapping that collects: it moves what is valid out of blocks and erases them.
pub trait CollectedSpace {
    /// Collection pools of the drive.
    fn pools(&self) -> u32;

    /// The array as collection sees it: what it empties and erases as one is a block there.
    fn collected_geometry(&self) -> &Geometry;

    /// The block of [`Self::collected_geometry`] that a block belongs to; none of one that belongs to none.
    fn collected_block(&self, block: BlockId) -> Option<BlockId>;

    /// The free space of the pool that a plane belongs to.
    fn clean_space(&self, plane: PlaneId) -> CleanSpace;

    /// Pools whose collection found nothing to reclaim: every candidate is fully valid. Their planes take no host writes until a page in them is overwritten or trimmed.
    fn stuck_pools(&self) -> u32;

    /// Usable blocks that a pool needs to serve writes: those that its share of the logical pages fills, its reserve and its open blocks.
    fn least_blocks(&self) -> u32;

    /// Pages of a pool, as the map sees them, that can hold data once what has failed is out of use: those of its blocks that are not bad.
    fn usable_pages(&self, pool: u32) -> u64;
}
