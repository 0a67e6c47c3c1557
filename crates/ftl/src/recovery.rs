//! What is found on the flash after a power cut, from which an FTL is built anew (FTL specification, sections 8.2 and 8.3).

use thiserror::Error;
use wordline_nand::{BlockId, Ppn};

use crate::plan::Lpn;
use crate::state::archive::ArchiveError;

/// Why an FTL cannot be built anew from what is found on the flash.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The mapping cannot do it.
    #[error(
        "a drive with ftl.mapping = \"{0}\" and its ftl.mapping_unit cannot be built anew from its spare areas; \
         accepted is \"page\", with the page as unit"
    )]
    Mapping(&'static str),
    /// The pools cannot work with the blocks as they are.
    #[error("the flash that was found: {0}")]
    Content(#[from] ArchiveError),
}

/// What the spare area of a page says of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpareArea {
    /// The logical page.
    pub lpn: Lpn,
    /// The number of the host write whose content the page holds, among all host writes; a page that was moved keeps that of
    /// its source. At most 2⁴⁸ − 1.
    pub version: u64,
    /// Sub-pages that hold data: bit i stands for sub-page i.
    pub sectors: u64,
}

/// What is found of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundBlock {
    /// Pages that are not erased any more, or were given up: those before the first page that can be programmed.
    pub passed: u32,
    /// Times that the block was erased.
    pub erases: u32,
    /// When it was written first after that, as a number that rises from block to block; of no meaning where nothing was.
    pub sequence: u64,
    /// Whether it is marked as bad.
    pub bad: bool,
}

/// The flash as it is when power comes back.
pub trait FoundFlash {
    /// A block.
    fn block(&self, block: BlockId) -> FoundBlock;

    /// The spare area of a page; none of a page that is erased, was given up, or whose program or erase was under way when the
    /// power failed.
    fn spare_area(&self, page: Ppn) -> Option<SpareArea>;
}
