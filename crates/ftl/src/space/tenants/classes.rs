//! Classes of blocks: what a drive offers of each, and where writes go when a class has no page. Each class is a kind of blocks, which frontiers of its own open.

use wordline_nand::{Mode, Ppn};

use super::tenant::Tenant;
use crate::block_classes::BlockClasses;
use crate::config::FlashRules;
use crate::plan::Frontier;
use crate::plan::HOST;
use crate::space::Ground;

/// The classes of the blocks of a drive.
pub(crate) struct Classes {
    pub(crate) classes: BlockClasses,
}

impl Classes {
    /// The classes of a drive whose blocks are not alike, each with a frontier behind all others.
    pub(super) fn new(ground: &mut Ground, rules: &FlashRules<'_>) -> Option<Self> {
        let classes = rules.block_classes?.clone();
        let blocks = 0..ground.geometry.blocks();
        let of_block = blocks.map(|block| classes.of_block(block)).collect();
        ground.frontiers.add_kinds(of_block, classes.strong());
        Some(Self { classes })
    }

    /// Pages of a strong class that host writes find in a plane now: those of the open block and of the free blocks that the host may open.
    pub(crate) fn free_pages(&self, ground: &Ground, plane: u32, class: u8) -> u32 {
        let pool = ground.pool_of_plane(plane);
        let (_, may_write) = ground.may_open(pool, true, false);
        let Some(frontier) = ground.frontiers.of_kind(class).filter(|_| may_write) else {
            return 0;
        };
        let spare = ground.pools[pool as usize]
            .free
            .saturating_sub(ground.capacity.watermarks.reserve);
        let free = ground.frontiers.free_of_kind(plane, class).min(spare);
        let active = ground.frontiers.active(plane, frontier);
        let rest = active.map_or(0, |block| {
            ground.geometry.pages_per_block - u32::from(ground.blocks.written[block as usize])
        });
        free * ground.geometry.pages_per_block + rest
    }
}

impl Tenant for Classes {
    /// That of `asked`, else of the normal class, else of the slowest strong class that has a page.
    #[inline(never)]
    fn choose_frontier(&self, ground: &Ground, plane: u32, asked: Frontier, host: bool) -> Option<Frontier> {
        let frontiers = &ground.frontiers;
        let (may_open, _) = ground.may_open(ground.pool_of_plane(plane), host, false);
        let has_page = |frontier: &Frontier| {
            frontiers.active(plane, *frontier).is_some()
                || frontiers
                    .next(&ground.blocks, plane, *frontier, may_open)
                    .is_some()
        };
        let normal = (frontiers.kind_of(asked) > 0).then_some(HOST);
        let strong = (1..=self.classes.strong()).rev();
        std::iter::once(asked)
            .chain(normal)
            .chain(strong.filter_map(|class| frontiers.of_kind(class)))
            .find(has_page)
    }

    fn mode_of(&self, ground: &Ground, page: Ppn) -> Option<Mode> {
        Some(Mode(self.classes.of_block(ground.blocks.block_of(page.0))))
    }

    fn mode_names(&self) -> Option<&[String]> {
        Some(self.classes.names())
    }
}
