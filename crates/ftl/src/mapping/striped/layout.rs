//! Which page of flash is which page of a superblock.

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::Divider;

use super::keys::Span;

/// The groups of planes whose blocks with a common index are superblocks, and the order of their pages.
///
/// The pages of a superblock lie in superpages: superpage i has page i of each of its blocks, its members. The members follow each other as the
/// letters of the span say.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    flash: Geometry,
    /// The array of the superblocks: each group of planes is a plane, and each superblock a block.
    superblocks: Geometry,
    /// The planes of the first group, of the second, and so on, members in their order.
    members: Vec<PlaneId>,
    /// By plane: its group, and which member of it the plane is.
    places: Vec<(u32, u32)>,
    by_width: Divider,
    width: u32,
}

impl Layout {
    /// The superblocks of a drive; a block of them has fewer than 2^15 pages (`Span::check`).
    pub(super) fn new(flash: &Geometry, span: &Span) -> Self {
        let width = span.members(flash);
        let mut members = vec![PlaneId(0); flash.planes() as usize];
        let mut places = vec![(0, 0); flash.planes() as usize];
        for plane in (0..flash.planes()).map(PlaneId) {
            let (group, member) = span.place(flash, plane);
            members[(group * width + member) as usize] = plane;
            places[plane.index()] = (group, member);
        }
        Self {
            flash: *flash,
            superblocks: flash.striped(width, width * flash.pages_per_block),
            members,
            places,
            by_width: Divider::new(width),
            width,
        }
    }

    pub(super) const fn flash(&self) -> &Geometry {
        &self.flash
    }

    pub(super) const fn superblocks(&self) -> &Geometry {
        &self.superblocks
    }

    /// Blocks of a superblock, and pages of a superpage.
    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    /// The superblock that a block belongs to, and which member of it the block is.
    pub(super) fn superblock_of(&self, block: BlockId) -> (BlockId, u32) {
        let (group, member) = self.places[self.flash.plane_of(block).index()];
        let index = self.flash.block_in_plane(block);
        (self.superblocks.block(PlaneId(group), index), member)
    }

    /// A member of a superblock.
    pub(super) fn member(&self, superblock: BlockId, member: u32) -> BlockId {
        let group = self.superblocks.plane_of(superblock).0;
        let index = self.superblocks.block_in_plane(superblock);
        self.flash
            .block(self.members[(group * self.width + member) as usize], index)
    }

    /// The members of a superblock.
    pub(super) fn members(&self, superblock: BlockId) -> impl Iterator<Item = BlockId> {
        (0..self.width).map(move |member| self.member(superblock, member))
    }

    /// The page of flash that is a page of a superblock.
    #[inline]
    pub(super) fn page_of_flash(&self, page: Ppn) -> Ppn {
        let superblock = self.superblocks.block_of(page);
        let index = self.superblocks.page_of_block(page, superblock);
        let superpage = self.by_width.divide(u64::from(index)) as u32;
        let member = self.member(superblock, index - superpage * self.width);
        self.flash.page(member, superpage)
    }

    /// The page of a superblock that is a page of flash.
    #[inline]
    pub(super) fn page_of_superblock(&self, page: Ppn) -> Ppn {
        let block = self.flash.block_of(page);
        let (superblock, member) = self.superblock_of(block);
        let superpage = self.flash.page_of_block(page, block);
        self.superblocks.page(superblock, superpage * self.width + member)
    }

    /// Whether a page of a superblock is the last one of its superpage.
    pub(super) fn ends_superpage(&self, page: Ppn) -> bool {
        let superblock = self.superblocks.block_of(page);
        let index = self.superblocks.page_of_block(page, superblock);
        (index + 1).is_multiple_of(self.width)
    }

    /// Pages of a member that are among the first so many pages of its superblock.
    pub(super) const fn written(&self, member: u32, pages: u32) -> u32 {
        pages / self.width + (member < pages % self.width) as u32
    }

    /// The pages that a member has of its superblock.
    pub(super) fn pages_of_member(&self, superblock: BlockId, member: u32) -> impl Iterator<Item = Ppn> {
        (0..self.flash.pages_per_block)
            .map(move |superpage| self.superblocks.page(superblock, superpage * self.width + member))
    }
}
