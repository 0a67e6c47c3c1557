//! A region of the drive: the same blocks of every plane, and the same pages of these, as an array of their own.

use wordline_nand::{BlockId, Geometry, Ppn};

use crate::plan::{Step, Target, Work};

/// Blocks `first..first + geometry.blocks_per_plane` of every plane, of each the first `geometry.pages_per_block` pages. Whoever works in a region numbers its blocks and pages
/// as those of an array of nothing else; planes and dies have the same numbers as in the drive.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The array of the region.
    pub(crate) geometry: Geometry,
    /// The drive.
    drive: Geometry,
    /// The region's first block in each plane.
    first: u32,
}

impl Region {
    /// Blocks from `first` on, `blocks` of each plane.
    pub(crate) const fn new(drive: &Geometry, first: u32, blocks: u32) -> Self {
        Self {
            geometry: drive.with_blocks_per_plane(blocks),
            drive: *drive,
            first,
        }
    }

    /// The same of only the first `pages` pages of each block.
    pub(crate) const fn with_pages_per_block(mut self, pages: u32) -> Self {
        self.geometry = self.geometry.with_pages_per_block(pages);
        self
    }

    /// A block of the region, as the drive numbers it.
    #[inline]
    pub(crate) fn block_of_drive(&self, block: BlockId) -> BlockId {
        let plane = self.geometry.plane_of(block).0;
        let others = self.drive.blocks_per_plane - self.geometry.blocks_per_plane;
        BlockId(block.0 + plane * others + self.first)
    }

    /// A block of the drive, as the region numbers it; none where it is no block of the region.
    #[inline]
    pub(crate) fn block_of_region(&self, block: BlockId) -> Option<BlockId> {
        let plane = self.drive.plane_of(block).0;
        let index = block.0 - plane * self.drive.blocks_per_plane;
        let own = index.checked_sub(self.first)?;
        let blocks = self.geometry.blocks_per_plane;
        (own < blocks).then_some(BlockId(plane * blocks + own))
    }

    /// A page of the region, as the drive numbers it.
    #[inline]
    pub(crate) fn page_of_drive(&self, page: Ppn) -> Ppn {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_of_block(page, block);
        self.drive.page(self.block_of_drive(block), index)
    }

    /// A page of the drive, as the region numbers it; none where it is no page of the region.
    #[inline]
    pub(crate) fn page_of_region(&self, page: Ppn) -> Option<Ppn> {
        let block = self.drive.block_of(page);
        let index = self.drive.page_of_block(page, block);
        let own = self.block_of_region(block)?;
        (index < self.geometry.pages_per_block).then(|| self.geometry.page(own, index))
    }

    /// A step of the region, as the drive numbers its pages.
    #[inline]
    pub(crate) fn step_of_drive(&self, step: Step) -> Step {
        self.renumbered(
            step,
            |page| self.page_of_drive(page),
            |block| self.block_of_drive(block),
        )
    }

    /// A step of the drive whose pages are of the region, as the region numbers them.
    #[inline]
    pub(crate) fn step_of_region(&self, step: Step) -> Step {
        self.renumbered(
            step,
            |page| self.page_of_region(page).unwrap_or(page),
            |block| self.block_of_region(block).unwrap_or(block),
        )
    }

    #[inline]
    fn renumbered(&self, step: Step, page: impl Fn(Ppn) -> Ppn, block: impl Fn(BlockId) -> BlockId) -> Step {
        let place = |target: Target| match target {
            Target::Page(fixed) => Target::Page(page(fixed)),
            Target::Frontier { .. } | Target::Stripe { .. } => target,
        };
        let work = match step.work {
            Work::Read {
                page: read,
                bitmap,
                route,
            } => Work::Read {
                page: page(read),
                bitmap,
                route,
            },
            Work::Program {
                target,
                sectors,
                route,
            } => Work::Program {
                target: place(target),
                sectors,
                route,
            },
            Work::CopyBack {
                source,
                target,
                new_sectors,
            } => Work::CopyBack {
                source: page(source),
                target: place(target),
                new_sectors,
            },
            Work::Erase { block: erased } => Work::Erase { block: block(erased) },
            other @ (Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. }) => other,
        };
        Step { work, ..step }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;

    use super::*;

    /// Two planes of five blocks of four pages; the region is the last two blocks of each.
    #[test]
    fn blocks_and_pages_are_renumbered() {
        let drive = Geometry::new(&GeometryConfig {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 5,
            pages_per_block: 4,
            ..GeometryConfig::default()
        })
        .unwrap();
        let region = Region::new(&drive, 3, 2);
        assert_eq!(region.geometry.pages(), 16);
        let blocks = [3, 4, 8, 9];
        for (own, of_drive) in (0..).map(BlockId).zip(blocks.map(BlockId)) {
            assert_eq!(region.block_of_drive(own), of_drive);
            assert_eq!(region.block_of_region(of_drive), Some(own));
        }
        // page 2 of block 9 of the drive is page 2 of block 3 of the region
        assert_eq!(region.page_of_drive(Ppn(14)), Ppn(38));
        assert_eq!(region.page_of_region(Ppn(38)), Some(Ppn(14)));
        for outside in [0, 2, 5, 7] {
            assert_eq!(region.block_of_region(BlockId(outside)), None);
        }
        assert_eq!(region.page_of_region(Ppn(11)), None);
        // of the same blocks the first three pages
        let region = region.with_pages_per_block(3);
        assert_eq!(region.geometry.pages(), 12);
        assert_eq!(region.page_of_drive(Ppn(11)), Ppn(38));
        assert_eq!(region.page_of_region(Ppn(38)), Some(Ppn(11)));
        assert_eq!(region.page_of_region(Ppn(39)), None);
    }
}
