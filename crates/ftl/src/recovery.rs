//! What is found on the flash after a power cut, from which an FTL is built anew (FTL specification, sections 8.2 and 8.3).

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_nand::{BlockId, Geometry, Ppn};

use crate::plan::Lpn;
use crate::state::archive::ArchiveError;

/// Why an FTL cannot be built anew from what is found on the flash.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The mapping cannot do it.
    #[error(
        "a drive with ftl.mapping = \"{0}\" and its ftl.mapping_unit cannot be built anew from its spare areas; \
         accepted are all mappings but \"zoned\", with the page as unit but for \"page\" and \"dftl\""
    )]
    Mapping(&'static str),
    /// The pools cannot work with the blocks as they are.
    #[error("the flash that was found: {0}")]
    Content(#[from] ArchiveError),
}

/// What the spare area of a page says of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpareArea {
    /// The logical page.
    pub lpn: Lpn,
    /// The number of the host write whose content the page holds, among all host writes; a page that was moved keeps that of
    /// its source. At most 2⁴⁸ − 1. Recovery may have given the page a later number, so that copies of it that lack sub-pages do not count for newer.
    pub version: u64,
    /// The number of that host write, which stays: a delta names its base by it.
    pub write: u64,
    /// Sub-pages that hold data: bit i stands for sub-page i.
    pub sectors: u64,
    /// Whether the page was programmed in the mode of the SLC cache, as all pages of its block.
    pub slc: bool,
}

/// What the header of a page of deltas says of one of them (Delta-FTL specification, section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaEntry {
    /// The logical page.
    pub lpn: Lpn,
    /// The number of the host write whose content base and delta give.
    pub version: u64,
    /// That of the page which the delta applies to ([`SpareArea::write`]).
    pub base: u64,
    /// Its bytes.
    pub bytes: u32,
}

/// A change of the map, as a record of the journal says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MapRecord {
    /// A logical page is at a page now.
    Mapped {
        /// The logical page.
        lpn: Lpn,
        /// Where it is.
        page: Ppn,
    },
    /// A logical page holds no data any more: versions up to this one are gone.
    Trimmed {
        /// The logical page.
        lpn: Lpn,
        /// The number of the TRIM among all host writes and TRIMs.
        version: u64,
    },
}

/// Which blocks the map on flash may be wrong about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// Blocks that were free, open or about to be erased, or whose records were not known to be on flash.
    pub blocks: Vec<BlockId>,
    /// The newest host write or TRIM.
    pub newest: u64,
}

/// A page that the FTL itself writes, beside those of the host and those of a map that the host's requests use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnPage {
    /// The last page of a block: what the spare areas of the others say.
    Summary(Vec<(Ppn, SpareArea)>),
    /// Changes of the map, oldest first.
    Journal {
        /// Its number among all pages that the FTL itself writes.
        number: u64,
        /// Its place in the journal, counted from the first page ever.
        position: u64,
        /// How many records there were before the first of this page.
        first: u64,
        /// The changes.
        records: Vec<MapRecord>,
        /// Blocks that must be looked at.
        unsettled: Unsettled,
    },
    /// A page of a map that is on flash, whose entries a scan of all spare areas gives too.
    Translation,
    /// A part of the map.
    Checkpoint {
        /// The number of the checkpoint.
        checkpoint: u64,
        /// Which of the two slots it is in.
        slot: u32,
        /// Which part.
        part: u64,
        /// Where logical pages are, or which versions were trimmed.
        entries: Vec<MapRecord>,
    },
    /// A checkpoint is complete.
    Root {
        /// Its number among all pages that the FTL itself writes.
        number: u64,
        /// The number of the checkpoint.
        checkpoint: u64,
        /// Which of the two slots it is in.
        slot: u32,
        /// Which of the two blocks for roots it is meant for.
        block: u32,
        /// How many records there were when the checkpoint was begun: it includes them.
        includes: u64,
        /// Blocks that must be looked at.
        unsettled: Unsettled,
    },
}

/// What a program writes beside the data of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A page of the host's data, with this spare area; without sub-pages a page of parity, which names its superpage behind the exported pages, one without data, or a copy that was superseded.
    Data(SpareArea),
    /// A page that mapping units share: the spare area of each of its places, none of one without data.
    Units(Vec<Option<SpareArea>>),
    /// A page of deltas: its spare area, which names a logical page behind the exported ones, and its header.
    Deltas(SpareArea, Vec<DeltaEntry>),
    /// A page of the FTL's own.
    Own(OwnPage),
}

impl Written {
    /// The highest number of a host write or TRIM that it tells recovery of; 0 where it tells of none. Pages of a checkpoint tell of none without its root, which says more.
    #[must_use]
    pub fn newest(&self) -> u64 {
        match self {
            Self::Data(spare) | Self::Deltas(spare, _) => spare.version,
            Self::Units(units) => units.iter().flatten().map(|unit| unit.version).max().unwrap_or(0),
            Self::Own(OwnPage::Summary(pages)) => {
                pages.iter().map(|(_, spare)| spare.version).max().unwrap_or(0)
            }
            Self::Own(OwnPage::Journal { unsettled, .. } | OwnPage::Root { unsettled, .. }) => {
                unsettled.newest
            }
            Self::Own(OwnPage::Checkpoint { .. } | OwnPage::Translation) => 0,
        }
    }
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

    /// The spare area of a page; none of a page that is erased, was given up, holds a page of the FTL's own, or whose program or erase
    /// was under way when the power failed.
    fn spare_area(&self, page: Ppn) -> Option<SpareArea>;

    /// What the spare area of a page says of the mapping unit at one of its places, as [`Self::spare_area`]. Pages that nothing shares have one place.
    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        (place == 0).then(|| self.spare_area(page))?
    }

    /// Whether a page holds what its program was to bring, of whatever kind. That of a block which recovery has no need to look at does if it is not erased.
    fn is_whole(&self, page: Ppn) -> bool {
        self.spare_area(page).is_some()
    }

    /// Sub-pages of a page that hold data, of which a copy may have fewer.
    fn sub_pages(&self, page: Ppn) -> u32 {
        self.spare_area(page)
            .map_or(0, |spare| spare.sectors.count_ones())
    }

    /// The header of a page of deltas; none of all others. The page is read for it.
    fn deltas(&self, _page: Ppn) -> Option<Vec<DeltaEntry>> {
        None
    }

    /// The page of the FTL's own that a page holds; none of all others.
    fn own_page(&self, _page: Ppn) -> Option<OwnPage> {
        None
    }

    /// All blocks.
    fn blocks(&self, geometry: &Geometry) -> Vec<FoundBlock> {
        let blocks = (0..geometry.blocks()).map(BlockId);
        blocks.map(|block| self.block(block)).collect()
    }

    /// Looks at the spare area of every page that is not erased.
    fn passed_pages(&self, geometry: &Geometry) -> Vec<RecoveryRead> {
        let blocks = (0..geometry.blocks()).map(BlockId);
        let pages = blocks.flat_map(|block| {
            let passed = self.block(block).passed.min(geometry.pages_per_block);
            (0..passed).map(move |page| geometry.page(block, page))
        });
        pages.map(RecoveryRead::spare).collect()
    }
}

/// A page that recovery reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryRead {
    /// The page.
    pub page: Ppn,
    /// Whether its data are read, and not the spare area alone.
    pub whole: bool,
    /// Reads of a phase begin when all of the phases before have ended, since what those brought says which pages they are.
    pub phase: u32,
}

impl RecoveryRead {
    /// The spare area of a page, in the first phase.
    #[must_use]
    pub const fn spare(page: Ppn) -> Self {
        Self {
            page,
            whole: false,
            phase: 0,
        }
    }
}

/// What recovery does to the flash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// A block that holds nothing current is erased.
    Erase(BlockId),
    /// A page of the FTL's own is programmed.
    Program(Ppn, OwnPage),
}

/// What recovery reads, and what it does before the drive works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Pages that are read, phase by phase, and in this order where they are of one die.
    pub reads: Vec<RecoveryRead>,
    /// What is done to the flash, in this order.
    pub repairs: Vec<Repair>,
}

impl Recovery {
    /// The blocks that are erased.
    pub fn erased(&self) -> impl Iterator<Item = BlockId> {
        self.repairs.iter().filter_map(|repair| match repair {
            Repair::Erase(block) => Some(*block),
            Repair::Program(..) => None,
        })
    }
}
