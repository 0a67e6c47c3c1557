//! Where pages of journal, checkpoints and root are.

use wordline_nand::{BlockId, PlaneId, Ppn};

use super::division::Area;
use crate::recovery::OwnPage;

impl Area {
    /// Pages of a row.
    pub(super) fn row_pages(&self) -> u64 {
        u64::from(self.geometry().planes()) * u64::from(self.geometry().pages_per_block)
    }

    /// Pages of the journal.
    pub(super) fn journal_pages(&self) -> u64 {
        u64::from(self.journal_rows) * self.row_pages()
    }

    /// Page `at` of the rows from `first` on.
    fn page(&self, first: u32, at: u64) -> Ppn {
        let planes = u64::from(self.geometry().planes());
        let row = first + (at / self.row_pages()) as u32;
        let at = at % self.row_pages();
        let block = self.geometry().block(PlaneId((at % planes) as u32), row);
        self.region
            .page_of_drive(self.geometry().page(block, (at / planes) as u32))
    }

    /// The blocks of rows.
    fn blocks(&self, first: u32, rows: u32) -> impl Iterator<Item = BlockId> + use<'_> {
        let planes = (0..self.geometry().planes()).map(PlaneId);
        let rows = first..first + rows;
        planes.flat_map(move |plane| {
            let blocks = rows.clone().map(move |row| self.geometry().block(plane, row));
            blocks.map(|block| self.region.block_of_drive(block))
        })
    }

    /// A block of the root, 0 or 1.
    pub(super) fn root_block(&self, which: u32) -> BlockId {
        let planes = self.geometry().planes();
        let block = self.geometry().block(PlaneId(which % planes), which / planes);
        self.region.block_of_drive(block)
    }

    /// A page of a slot.
    pub(super) fn slot_page(&self, slot: u32, part: u64) -> Ppn {
        self.page(self.root_rows + slot * self.slot_rows, part)
    }

    /// The blocks of a slot.
    pub(super) fn slot_blocks(&self, slot: u32) -> impl Iterator<Item = BlockId> + use<'_> {
        self.blocks(self.root_rows + slot * self.slot_rows, self.slot_rows)
    }

    const fn first_journal_row(&self) -> u32 {
        self.root_rows + 2 * self.slot_rows
    }

    /// The page of a position of the journal.
    pub(super) fn journal_page(&self, position: u64) -> Ppn {
        self.page(self.first_journal_row(), position % self.journal_pages())
    }

    /// The blocks of the row of a position of the journal.
    pub(super) fn journal_row(&self, position: u64) -> impl Iterator<Item = BlockId> + use<'_> {
        let row = position % self.journal_pages() / self.row_pages();
        self.blocks(self.first_journal_row() + row as u32, 1)
    }

    /// All blocks of the journal.
    pub(super) fn journal_blocks(&self) -> impl Iterator<Item = BlockId> + use<'_> {
        self.blocks(self.first_journal_row(), self.journal_rows)
    }

    const fn first_spare_row(&self) -> u32 {
        self.first_journal_row() + self.journal_rows
    }

    /// The spare blocks.
    pub(super) fn spare_blocks(&self) -> impl Iterator<Item = BlockId> + use<'_> {
        self.blocks(self.first_spare_row(), self.spare_rows)
    }

    /// All others.
    pub(super) fn layout_blocks(&self) -> impl Iterator<Item = BlockId> + use<'_> {
        self.blocks(0, self.first_spare_row())
    }

    /// Whether a block of the area is a spare one.
    pub(super) fn is_spare(&self, block: BlockId) -> bool {
        let own = self.region.block_of_region(block).unwrap_or(block);
        own.0 % self.geometry().blocks_per_plane >= self.first_spare_row()
    }

    /// Whether programs or erases fail here.
    pub(super) const fn can_fail(&self) -> bool {
        self.spare_rows > 0
    }

    /// The block of the layout that a page in a spare block is meant for, of the same plane; none of a page that is not of journal, checkpoints or root.
    pub(super) fn meant_for(&self, page: &OwnPage, spare: BlockId) -> Option<BlockId> {
        let plane = self.plane_of(spare);
        match page {
            OwnPage::Journal { position, .. } => {
                let mut row = self.journal_row(*position);
                row.find(|block| self.plane_of(*block) == plane)
            }
            OwnPage::Checkpoint { slot, part, .. } => Some(self.block_of(self.slot_page(*slot, *part))),
            OwnPage::Root { block, .. } => Some(self.root_block(*block)),
            OwnPage::Summary(_) | OwnPage::Translation => None,
        }
    }

    pub(super) fn block_of(&self, page: Ppn) -> BlockId {
        // pages of the area are never those of another block by another numbering
        let own = self.region.page_of_region(page).unwrap_or(page);
        self.region.block_of_drive(self.geometry().block_of(own))
    }

    /// A page of a block of the area, as the drive numbers both.
    pub(super) fn page_in(&self, block: BlockId, at: u32) -> Ppn {
        let own = self.region.block_of_region(block).unwrap_or(block);
        self.region.page_of_drive(self.geometry().page(own, at))
    }

    /// The plane of a block of the area.
    pub(super) fn plane_of(&self, block: BlockId) -> PlaneId {
        let own = self.region.block_of_region(block).unwrap_or(block);
        self.geometry().plane_of(own)
    }

    /// The place of a page in its row.
    pub(super) fn place_in_row(&self, page: Ppn) -> u64 {
        let plane = self.plane_of(self.block_of(page));
        u64::from(self.index_in_block(page)) * u64::from(self.geometry().planes()) + u64::from(plane.0)
    }

    /// The number of a page in its block.
    pub(super) fn index_in_block(&self, page: Ppn) -> u32 {
        let own = self.region.page_of_region(page).unwrap_or(page);
        self.geometry().page_in_block(own)
    }
}
