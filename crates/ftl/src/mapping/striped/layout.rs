//! Which page of flash is which page of a superblock.

use std::ops::Range;

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::Divider;

use super::keys::{Parity, Span};
use super::members::Members;

/// The groups of planes whose blocks with a common index are superblocks, and the order of their pages.
///
/// A superblock of the FTL of the superblocks has the pages for data alone. They lie in superpages: superpage i has page i of each of its blocks, its members. The members follow each other as the
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
    width: u32,
    parity: Parity,
    /// Pages of a superpage beside its parity, of a superblock that has all its members.
    data: u32,
    by_data: Divider,
    /// Members that are not as the span says.
    pub(super) members_now: Members,
}

impl Layout {
    /// The superblocks of a drive, in each of whose planes the last so many blocks are spare; a superblock has fewer than 2^15 pages (`Span::check`).
    pub(super) fn new(flash: &Geometry, span: &Span, parity: Parity, spare: u32) -> Self {
        let width = span.members(flash);
        let mut members = vec![PlaneId(0); flash.planes() as usize];
        let mut places = vec![(0, 0); flash.planes() as usize];
        for plane in (0..flash.planes()).map(PlaneId) {
            let (group, member) = span.place(flash, plane);
            members[(group * width + member) as usize] = plane;
            places[plane.index()] = (group, member);
        }
        let data = width - u32::from(parity != Parity::None);
        let indices = flash.blocks_per_plane - spare;
        let spares_of = |plane| {
            (indices..flash.blocks_per_plane)
                .rev()
                .map(move |index| flash.block(plane, index))
        };
        let spares = (0..flash.planes()).map(|plane| spares_of(PlaneId(plane)).collect());
        Self {
            flash: *flash,
            superblocks: flash
                .striped(width, data * flash.pages_per_block)
                .with_blocks_per_plane(indices),
            members_now: Members::new(spares.collect()),
            members,
            places,
            width,
            parity,
            data,
            by_data: Divider::new(data),
        }
    }

    pub(super) const fn flash(&self) -> &Geometry {
        &self.flash
    }

    pub(super) const fn superblocks(&self) -> &Geometry {
        &self.superblocks
    }

    /// Blocks of a superblock, and pages of a superpage, parity included.
    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    /// The group of planes that a page of flash belongs to.
    pub(super) fn group_of(&self, page: Ppn) -> u32 {
        self.places[self.flash.plane_of(self.flash.block_of(page)).index()].0
    }

    /// The superblock that a block belongs or belonged to, and which member of it the block is or was; none of a spare block.
    pub(super) fn place_of(&self, block: BlockId) -> Option<(BlockId, u32)> {
        let home = self.members_now.home(block);
        let index = self.flash.block_in_plane(home);
        if index >= self.superblocks.blocks_per_plane {
            return None;
        }
        let (group, member) = self.places[self.flash.plane_of(home).index()];
        Some((self.superblocks.block(PlaneId(group), index), member))
    }

    /// The same of a block that was asked for, which is no spare one.
    pub(super) fn superblock_of(&self, block: BlockId) -> (BlockId, u32) {
        self.place_of(block).unwrap_or_default()
    }

    /// The superblock of which a block is a member now, and which member it is.
    pub(super) fn membership(&self, block: BlockId) -> Option<(BlockId, u32)> {
        let (superblock, member) = self.place_of(block)?;
        let is_member = self.has(superblock, member) && self.member(superblock, member) == block;
        is_member.then_some((superblock, member))
    }

    /// The block that a member had at first.
    pub(super) fn home(&self, superblock: BlockId, member: u32) -> BlockId {
        let group = self.superblocks.plane_of(superblock).0;
        let index = self.superblocks.block_in_plane(superblock);
        self.flash
            .block(self.members[(group * self.width + member) as usize], index)
    }

    /// A member of a superblock.
    pub(super) fn member(&self, superblock: BlockId, member: u32) -> BlockId {
        self.members_now.block(self.home(superblock, member))
    }

    /// Whether a superblock has a member, and does not go without it.
    pub(super) fn has(&self, superblock: BlockId, member: u32) -> bool {
        self.members_now.absent(superblock) != Some(member)
    }

    /// Pages for data of each superpage of a superblock, fewer where it goes without a member.
    pub(super) fn data_of(&self, superblock: BlockId) -> u32 {
        self.data - u32::from(self.members_now.absent(superblock).is_some())
    }

    /// The member with the parity of a superpage, counted as all are.
    #[inline]
    fn parity_member(&self, superblock: BlockId, superpage: u32) -> Option<u32> {
        match self.members_now.absent(superblock) {
            None => self.parity.member(superpage, self.width),
            Some(absent) => {
                let among_others = self.parity.member(superpage, self.width - 1)?;
                Some(among_others + u32::from(among_others >= absent))
            }
        }
    }

    /// The members of a superblock, those left out that it goes without.
    pub(super) fn members(&self, superblock: BlockId) -> impl Iterator<Item = (u32, BlockId)> {
        let present = (0..self.width).filter(move |member| self.has(superblock, *member));
        present.map(move |member| (member, self.member(superblock, member)))
    }

    /// Pages of a superpage beside its parity.
    pub(super) const fn data(&self) -> u32 {
        self.data
    }

    pub(super) fn has_parity(&self) -> bool {
        self.parity != Parity::None
    }

    /// The superpage of a page of a superblock, and its place among those for data.
    #[inline]
    fn split(&self, superblock: BlockId, page: Ppn) -> (u32, u32) {
        let index = self.superblocks.page_of_block(page, superblock);
        let superpage = self.by_data.divide(u64::from(index)) as u32;
        (superpage, index - superpage * self.data)
    }

    /// Which place among those for data a member has in a superpage; none where it has the parity, or the superblock goes without it.
    #[inline]
    fn place(&self, superblock: BlockId, member: u32, superpage: u32) -> Option<u32> {
        let absent = self.members_now.absent(superblock);
        let parity = self.parity_member(superblock, superpage);
        let is_before = |other: Option<u32>| u32::from(other.is_some_and(|other| other < member));
        (absent != Some(member) && parity != Some(member))
            .then(|| member - is_before(absent) - is_before(parity))
    }

    /// The member that has a place among those for data in a superpage.
    #[inline]
    fn member_at(&self, superblock: BlockId, place: u32, superpage: u32) -> u32 {
        let absent = self.members_now.absent(superblock);
        let parity = self.parity_member(superblock, superpage);
        let (first, second) = match (absent, parity) {
            (Some(one), Some(other)) => (Some(one.min(other)), Some(one.max(other))),
            (one, other) => (one.or(other), None),
        };
        let mut member = place;
        for left_out in [first, second].into_iter().flatten() {
            member += u32::from(member >= left_out);
        }
        member
    }

    /// The page of flash that is a page of a superblock.
    #[inline]
    pub(super) fn page_of_flash(&self, page: Ppn) -> Ppn {
        let superblock = self.superblocks.block_of(page);
        let (superpage, place) = self.split(superblock, page);
        let member = self.member_at(superblock, place, superpage);
        self.flash.page(self.member(superblock, member), superpage)
    }

    /// The page of a superblock that is a page of flash, or was when its block was a member; none where it has parity.
    #[inline]
    pub(super) fn page_of_superblock(&self, page: Ppn) -> Option<Ppn> {
        let block = self.flash.block_of(page);
        let (superblock, member) = self.place_of(block)?;
        let superpage = self.flash.page_of_block(page, block);
        let place = self.place(superblock, member, superpage)?;
        Some(self.superblocks.page(superblock, superpage * self.data + place))
    }

    /// Whether a page of a superblock is the last one for data of its superpage.
    pub(super) fn ends_superpage(&self, page: Ppn) -> bool {
        let superblock = self.superblocks.block_of(page);
        self.split(superblock, page).1 + 1 == self.data_of(superblock)
    }

    /// The page of flash with the parity of the superpage of a page of a superblock, and its number among the superpages of the drive.
    pub(super) fn parity_of(&self, page: Ppn) -> Option<(Ppn, u64)> {
        let superblock = self.superblocks.block_of(page);
        let (superpage, _) = self.split(superblock, page);
        self.parity_page(superblock, superpage)
            .map(|page| (page, self.superpage_number(superblock, superpage)))
    }

    fn parity_page(&self, superblock: BlockId, superpage: u32) -> Option<Ppn> {
        let member = self.parity_member(superblock, superpage)?;
        Some(self.flash.page(self.member(superblock, member), superpage))
    }

    /// Superpages of the drive.
    pub(super) fn superpages(&self) -> u64 {
        u64::from(self.superblocks.blocks()) * u64::from(self.flash.pages_per_block)
    }

    fn superpage_number(&self, superblock: BlockId, superpage: u32) -> u64 {
        u64::from(superblock.0) * u64::from(self.flash.pages_per_block) + u64::from(superpage)
    }

    /// The number of the superpage of a page of flash.
    pub(super) fn number_of(&self, page: Ppn) -> u64 {
        let block = self.flash.block_of(page);
        let (superblock, _) = self.superblock_of(block);
        self.superpage_number(superblock, self.flash.page_of_block(page, block))
    }

    /// The numbers of the superpages of a superblock.
    pub(super) fn numbers_of(&self, superblock: BlockId) -> Range<u64> {
        let first = self.superpage_number(superblock, 0);
        first..first + u64::from(self.flash.pages_per_block)
    }

    /// A superpage by its number: its superblock, which one of it, and the page with its parity.
    pub(super) fn superpage(&self, number: u64) -> Option<(BlockId, u32, Ppn)> {
        let superblock = BlockId((number / u64::from(self.flash.pages_per_block)) as u32);
        let superpage = (number % u64::from(self.flash.pages_per_block)) as u32;
        let parity = self.parity_page(superblock, superpage)?;
        Some((superblock, superpage, parity))
    }

    /// The number of the superpage whose parity a page of flash holds.
    pub(super) fn superpage_of_parity(&self, page: Ppn) -> Option<u64> {
        let block = self.flash.block_of(page);
        let (superblock, member) = self.place_of(block)?;
        let superpage = self.flash.page_of_block(page, block);
        let is_parity = self.parity_member(superblock, superpage) == Some(member);
        is_parity.then(|| self.superpage_number(superblock, superpage))
    }

    /// Pages of a member that are programmed with the first so many pages of its superblock: parity follows the last page of a superpage.
    pub(super) fn written(&self, superblock: BlockId, member: u32, pages: u32) -> u32 {
        if !self.has(superblock, member) {
            return 0;
        }
        let superpages = pages / self.data;
        let rest = pages % self.data;
        let place = self.place(superblock, member, superpages);
        superpages + u32::from(place.is_some_and(|place| place < rest))
    }

    /// How many of the first so many superpages have their parity in a member.
    pub(super) fn parities(&self, superblock: BlockId, member: u32, superpages: u32) -> u32 {
        let is_parity = |superpage: &u32| self.parity_member(superblock, *superpage) == Some(member);
        (0..superpages).filter(is_parity).count() as u32
    }

    /// The pages for data that a member has of its superblock, in order.
    pub(super) fn pages_of_member(&self, superblock: BlockId, member: u32) -> impl Iterator<Item = Ppn> {
        (0..self.flash.pages_per_block).filter_map(move |superpage| {
            let place = self.place(superblock, member, superpage)?;
            Some(self.superblocks.page(superblock, superpage * self.data + place))
        })
    }
}
