//! Which block and page of a plane is which block and page of its die, where the planes of a die work in step.

use wordline_nand::{BlockId, DieId, Geometry, PlaneId, Ppn};
use wordline_units::Divider;

use crate::plan::Scope;

/// No multi-plane block.
const NONE: u32 = u32::MAX;

/// The multi-plane blocks of a drive: each is a block of every plane of a die, and its pages go round these planes row by row.
///
/// The map, the blocks and the pools of the mapping see an array of merged planes ([`Geometry::with_merged_planes`]). Blocks that are bad from the
/// start are left out: the good ones of a plane are counted, and those of one number in all planes of a die form a multi-plane block.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    flash: Geometry,
    merged: Geometry,
    by_planes: Divider,
    /// The blocks of each multi-plane block, plane by plane; its own place where it has none.
    members: Vec<BlockId>,
    /// By block of a plane: its place among `members`.
    homes: Vec<u32>,
    /// Multi-plane blocks for which a die has too few good blocks.
    missing: Vec<BlockId>,
}

impl Layout {
    /// The multi-plane blocks of a drive without the blocks that are bad; of equal index where the medium wants that, so that one bad block costs all of its index.
    pub(super) fn new(flash: &Geometry, bad: &[BlockId], same_index: bool) -> Self {
        let merged = flash.with_merged_planes();
        let planes = flash.planes_per_die;
        let mut is_bad = vec![false; flash.blocks() as usize];
        for block in bad {
            is_bad[block.index()] = true;
        }
        let mut layout = Self {
            by_planes: Divider::new(planes),
            members: vec![BlockId(0); flash.blocks() as usize],
            homes: vec![NONE; flash.blocks() as usize],
            missing: Vec::new(),
            flash: *flash,
            merged,
        };
        for die in 0..flash.dies() {
            layout.form_blocks(die, &is_bad, same_index);
        }
        layout
    }

    /// Forms the multi-plane blocks of a die.
    fn form_blocks(&mut self, die: u32, is_bad: &[bool], same_index: bool) {
        let (flash, planes) = (self.flash, self.flash.planes_per_die);
        let block = |plane: u32, index| flash.block(PlaneId(die * planes + plane), index);
        let is_usable = |plane: u32, index: u32| {
            let needed = if same_index { 0..planes } else { plane..plane + 1 };
            needed
                .into_iter()
                .all(|plane| !is_bad[block(plane, index).index()])
        };
        let good_blocks = |plane: u32| -> Vec<BlockId> {
            let indices = (0..flash.blocks_per_plane).filter(|index| is_usable(plane, *index));
            indices.map(|index| block(plane, index)).collect()
        };
        let good: Vec<_> = (0..planes).map(good_blocks).collect();
        let count = good.iter().map(Vec::len).min().unwrap_or(0);
        for index in 0..flash.blocks_per_plane {
            let merged = self.merged.block(PlaneId(die), index);
            if index as usize >= count {
                self.missing.push(merged);
                continue;
            }
            for (plane, blocks) in (0..).zip(&good) {
                let (place, block) = (merged.0 * planes + plane, blocks[index as usize]);
                self.members[place as usize] = block;
                self.homes[block.index()] = place;
            }
        }
    }

    pub(super) const fn flash(&self) -> &Geometry {
        &self.flash
    }

    pub(super) const fn merged(&self) -> &Geometry {
        &self.merged
    }

    /// Planes of a die.
    pub(super) const fn planes(&self) -> u32 {
        self.flash.planes_per_die
    }

    /// Multi-plane blocks that cannot be formed.
    pub(super) fn missing(&self) -> &[BlockId] {
        &self.missing
    }

    /// The blocks of a multi-plane block, plane by plane.
    pub(super) fn members(&self, merged: BlockId) -> &[BlockId] {
        let first = (merged.0 * self.planes()) as usize;
        &self.members[first..first + self.planes() as usize]
    }

    /// The multi-plane block of a block, and the number of its plane in the die; none of a block that belongs to none.
    #[inline]
    pub(super) fn home(&self, block: BlockId) -> Option<(BlockId, u32)> {
        let place = self.homes[block.index()];
        if place == NONE {
            return None;
        }
        let merged = self.by_planes.divide(u64::from(place)) as u32;
        Some((BlockId(merged), place - merged * self.planes()))
    }

    /// A page of a multi-plane block, as the drive numbers it.
    #[inline]
    pub(super) fn page_of_flash(&self, page: Ppn) -> Ppn {
        let block = self.merged.block_of(page);
        let index = self.merged.page_of_block(page, block);
        let row = self.by_planes.divide(u64::from(index)) as u32;
        let place = block.0 * self.planes() + (index - row * self.planes());
        self.flash.page(self.members[place as usize], row)
    }

    /// A page of the drive, as a page of its multi-plane block; none where its block belongs to none.
    #[inline]
    pub(super) fn page_of_merged(&self, page: Ppn) -> Option<Ppn> {
        let block = self.flash.block_of(page);
        let (merged, plane) = self.home(block)?;
        let row = self.flash.page_of_block(page, block);
        Some(self.merged.page(merged, row * self.planes() + plane))
    }

    /// A part of a page of a multi-plane block, as the drive numbers it, where pages have so many parts.
    #[inline]
    pub(super) fn unit_of_flash(&self, unit: Ppn, per_page: u64) -> Ppn {
        let page = self.page_of_flash(Ppn(unit.0 / per_page));
        Ppn(page.0 * per_page + unit.0 % per_page)
    }

    /// A part of a page of the drive, as one of its multi-plane block.
    #[inline]
    pub(super) fn unit_of_merged(&self, unit: Ppn, per_page: u64) -> Option<Ppn> {
        let page = self.page_of_merged(Ppn(unit.0 / per_page))?;
        Some(Ppn(page.0 * per_page + unit.0 % per_page))
    }

    /// Pages of the block in a plane among the first so many pages of a multi-plane block.
    pub(super) const fn pages_in_plane(&self, plane: u32, pages: u32) -> u32 {
        (pages + self.planes() - 1 - plane) / self.planes()
    }

    /// The plane of the array of merged planes for a plane of the drive: its die.
    #[inline]
    pub(super) fn plane_of_merged(&self, plane: PlaneId) -> PlaneId {
        PlaneId(self.flash.die_of(plane).0)
    }

    /// A scope of the array of merged planes, as the drive has it.
    pub(super) const fn scope_of_flash(scope: Scope) -> Scope {
        match scope {
            Scope::Plane(plane) => Scope::Die(DieId(plane.0)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;

    use super::*;

    /// Two dies of two planes of four blocks of three pages.
    fn drive() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 1,
            chips_per_channel: 2,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 4,
            pages_per_block: 3,
            ..GeometryConfig::default()
        })
        .unwrap()
    }

    /// Worked by hand: page 3 of multi-plane block 1 of die 1 is page 1 of block 1 of plane 3.
    #[test]
    fn pages_go_round_the_planes_of_a_die() {
        let layout = Layout::new(&drive(), &[], false);
        assert_eq!(layout.merged().pages_per_block, 6);
        assert_eq!((layout.merged().planes(), layout.merged().blocks()), (2, 8));
        assert_eq!(layout.merged().pages(), layout.flash().pages());
        let page = layout.merged().page(BlockId(5), 3);
        assert_eq!(layout.page_of_flash(page), layout.flash().page(BlockId(13), 1));
        for page in (0..layout.flash().pages()).map(Ppn) {
            assert_eq!(layout.page_of_merged(layout.page_of_flash(page)), Some(page));
        }
        let unit = layout.unit_of_flash(Ppn(page.0 * 4 + 2), 4);
        assert_eq!(unit, Ppn(layout.page_of_flash(page).0 * 4 + 2));
        assert_eq!(layout.unit_of_merged(unit, 4), Some(Ppn(page.0 * 4 + 2)));
        // of seven pages plane 0 has four
        assert_eq!((layout.pages_in_plane(0, 7), layout.pages_in_plane(1, 7)), (4, 3));
    }

    /// Block 1 of plane 0 is bad: the good ones close up, and the last block of plane 1 is left alone. Where indices must be equal, both blocks 1 are left out.
    #[test]
    fn bad_blocks_are_left_out() {
        let layout = Layout::new(&drive(), &[BlockId(1)], false);
        assert_eq!(layout.members(BlockId(1)), [BlockId(2), BlockId(5)]);
        assert_eq!(layout.missing(), [BlockId(3)]);
        assert_eq!((layout.home(BlockId(1)), layout.home(BlockId(7))), (None, None));
        let layout = Layout::new(&drive(), &[BlockId(1)], true);
        assert_eq!(layout.members(BlockId(1)), [BlockId(2), BlockId(6)]);
        assert_eq!((layout.home(BlockId(1)), layout.home(BlockId(5))), (None, None));
    }
}
