//! What a drive offers of each class of blocks, and where writes go when a class has no page.

use wordline_nand::{Mode, Ppn};

use super::{FlashSpace, HOST};
use crate::block_classes::BlockClasses;
use crate::plan::Frontier;

impl FlashSpace {
    /// The classes of the blocks; none where they are of one class.
    pub(crate) fn block_classes(&self) -> Option<&BlockClasses> {
        self.frontiers.classes.as_ref().map(|classes| &classes.classes)
    }

    /// The mode of a page: that of its block, in the SLC cache or of a class.
    pub(crate) fn mode_of(&self, page: Ppn) -> Mode {
        let of_class = |classes: &BlockClasses| Mode(classes.of_block(self.blocks.block_of(page.0)));
        let of_block = self.mode_in_cache(page);
        of_block
            .or_else(|| self.block_classes().map(of_class))
            .unwrap_or(Mode::NORMAL)
    }

    /// Pages of a strong class that host writes find in a plane now: those of the open block and of the free blocks that the host may open.
    pub(crate) fn free_pages_of_class(&self, plane: u32, class: u8) -> u32 {
        let Some(classes) = self.frontiers.classes.as_ref() else {
            return 0;
        };
        let pool = self.pool_of_plane(plane);
        let (_, may_write) = self.may_open(pool, true);
        if !may_write || !(1..=classes.classes.strong()).contains(&class) {
            return 0;
        }
        let spare = self.pools[pool as usize]
            .free
            .saturating_sub(self.capacity.watermarks.reserve);
        let free = classes.free[classes.slot(plane, class)].min(spare);
        let active = self.frontiers.active(plane, classes.frontier(class));
        let rest = active.map_or(0, |block| {
            self.geometry.pages_per_block - u32::from(self.blocks.written[block as usize])
        });
        free * self.geometry.pages_per_block + rest
    }

    /// The frontier to write to in a plane where blocks have classes: that of `asked`, else of the normal class, else of the slowest
    /// strong class that has a page.
    #[inline(never)]
    pub(super) fn frontier_with_page(&self, plane: u32, asked: Frontier, host: bool) -> Frontier {
        let Some(classes) = self.frontiers.classes.as_ref() else {
            return asked;
        };
        let (may_open, _) = self.may_open(self.pool_of_plane(plane), host);
        let has_page = |frontier: &Frontier| {
            self.frontiers.active(plane, *frontier).is_some()
                || self
                    .frontiers
                    .next(&self.blocks, plane, *frontier, may_open)
                    .is_some()
        };
        let normal = (classes.class_of(asked) > 0).then_some(HOST);
        let strong = (1..=classes.classes.strong()).rev();
        std::iter::once(asked)
            .chain(normal)
            .chain(strong.map(|class| classes.frontier(class)))
            .find(has_page)
            .unwrap_or(asked)
    }
}
