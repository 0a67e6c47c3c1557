//! The contract between an FTL and whoever executes its plans, inspects it, saves it and ages it. What goes beyond it is a subject with a trait of its own.

mod ageable;
mod at_work;
mod batches;
mod broken;
mod by_name;
mod cached_writes;
mod classed_blocks;
mod collected_space;
mod counting;
mod deltas;
mod facts;
mod flushing;
mod lookup_table;
mod page_modes;
mod persist;
mod recoverable;
mod repairs;
mod subjects;
mod write_protection;
mod zoned_host;

use std::any::Any;

use wordline_nand::{BlockId, Ppn};

use crate::block::{BlockFacts, BlockUse, Census};
use crate::counters::FtlCounters;
use crate::plan::{Lpn, Scope, Step};

pub use ageable::{Ageable, AssignByRule, ProgramTimes};
pub use at_work::{Ahead, Ftl};
pub use batches::{Batches, Relocated, Run};
pub use broken::{FunctionalError, PlanError};
pub use by_name::Subjects;
pub use cached_writes::CachedWrites;
pub use classed_blocks::ClassedBlocks;
pub use collected_space::CollectedSpace;
pub use counting::count_usable_pages;
pub use deltas::{Codecs, DeltaPages};
pub use facts::Facts;
pub use flushing::{FlushMark, Flushing};
pub use lookup_table::LookupTable;
pub use page_modes::PageModes;
pub use persist::{Identity, Persist};
pub use recoverable::Recoverable;
pub use repairs::ReadRepair;
pub use subjects::{Part, PartMut, Subject};
pub use write_protection::WriteProtection;
pub use zoned_host::ZonedHost;

/// What can be seen of an FTL from outside.
pub trait Inspect: Ftl {
    /// Where a logical page is, if it is mapped.
    fn lookup(&self, lpn: Lpn) -> Option<Ppn>;

    /// Logical pages that are mapped, counted afresh.
    fn mapped_pages(&self) -> u64 {
        (0..self.user_pages())
            .filter(|lpn| self.lookup(Lpn(*lpn)).is_some())
            .count() as u64
    }

    /// The logical page whose current version a physical page holds.
    fn owner(&self, page: Ppn) -> Option<Lpn>;

    /// The logical pages that the program of a step brings to flash, in the order of their places in the page; of any other step,
    /// the one that it names.
    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        units.push(step.lpn);
    }

    /// The sub-pages of a logical page that hold data.
    fn valid_sectors(&self, lpn: Lpn) -> u64;

    /// The state of a block.
    fn block(&self, block: BlockId) -> BlockFacts;

    /// The part of it for which a mapping need not look at the pages of the block.
    fn block_use(&self, block: BlockId) -> BlockUse {
        BlockUse::from(self.block(block))
    }

    /// The planes where allocation may put a logical page.
    fn home(&self, _lpn: Lpn) -> Scope {
        Scope::Drive
    }

    /// What the FTL has counted since the run began.
    fn counters(&self) -> FtlCounters;

    /// Counts from zero again.
    fn reset_counters(&mut self);

    /// Pages of the drive by state, counted afresh.
    fn census(&self) -> Census {
        counting::census(self)
    }
}

/// An FTL as a drive has it: it works, can be inspected, and can be saved and loaded.
pub trait Mapping: Inspect + Persist + Any {}

impl<T: Inspect + Persist + Any> Mapping for T {}
