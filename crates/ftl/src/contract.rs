//! The contract between an FTL and whoever executes its plans, inspects it, saves it and ages it.

mod at_work;
mod batches;
mod by_name;
mod cached_writes;
mod counting;
mod deltas;
mod facts;
mod flushing;
mod persist;
mod repairs;
mod subjects;
mod zoned_host;

use std::any::Any;

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::{Seed, SimTime};

use crate::allocation::Order;
use crate::block::{BlockFacts, BlockUse, Census, CleanSpace};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::map::{OwnersByRule, Share};
use crate::plan::{Lpn, Scope, Step};
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling, FlashSpace};
use crate::table_cost::TableCost;

pub use at_work::Ftl;
pub use batches::{Batches, Relocated, Run};
pub use by_name::Subjects;
pub use cached_writes::CachedWrites;
pub use deltas::DeltaPages;
pub use facts::Facts;
pub use flushing::{FlushMark, Flushing};
pub use persist::Persist;
pub use repairs::ReadRepair;
pub use subjects::{Part, PartMut, Subject};
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

    /// The owners of all pages, where ageing gave them by rule and nothing has changed any: so that a large drive can be watched without a
    /// table of its pages. None where they stand in tables.
    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        None
    }

    /// The logical pages that the program of a step brings to flash, in the order of their places in the page; of any other step,
    /// the one that it names.
    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        units.push(step.lpn);
    }

    /// The sub-pages of a logical page that hold data.
    fn valid_sectors(&self, lpn: Lpn) -> u64;

    /// The state of a block.
    fn block(&self, block: BlockId) -> BlockFacts;

    /// Whether recovery has to look at the spare areas of a block although it is closed and nothing is under way in it: a unit of several pages has begun of which not all pages have, or
    /// parity is missing.
    fn is_unsettled(&self, _block: BlockId) -> bool {
        false
    }

    /// The part of it for which a mapping need not look at the pages of the block.
    fn block_use(&self, block: BlockId) -> BlockUse {
        BlockUse::from(self.block(block))
    }

    /// The mode in which a page was programmed last; that of a program is decided when its page is chosen.
    fn mode_of(&self, _page: Ppn) -> Mode {
        Mode::NORMAL
    }

    /// The mode of all pages of a block, where they have one in common and it need not be looked up page by page.
    fn mode_of_block(&self, _block: BlockId) -> Option<Mode> {
        None
    }

    /// The class of blocks to which the program of a step goes, if they have a page when it starts: 0 is the normal one, 1 the
    /// fastest of the strong ones.
    fn class_of(&self, _step: &Step) -> u8 {
        0
    }

    /// Pages of a strong class of blocks that host writes find in a plane now, those included that are promised to programs which
    /// have not started.
    fn free_pages_of_class(&self, _plane: PlaneId, _class: u8) -> u32 {
        0
    }

    /// The planes where allocation may put a logical page.
    fn home(&self, _lpn: Lpn) -> Scope {
        Scope::Drive
    }

    /// Collection pools of the drive.
    fn pools(&self) -> u32;

    /// The array as collection sees it: what it empties and erases as one is a block there.
    fn collected_geometry(&self) -> &Geometry {
        self.unit_geometry()
    }

    /// The block of [`Self::collected_geometry`] that a block belongs to; none of one that belongs to none.
    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    /// The free space of the pool that a plane belongs to; none where there is no collection.
    fn clean_space(&self, _plane: PlaneId) -> Option<CleanSpace> {
        None
    }

    /// Pools whose collection found nothing to reclaim: every candidate is fully valid. Their planes take no host writes until a page in them is overwritten or trimmed.
    fn stuck_pools(&self) -> u32 {
        0
    }

    /// Usable blocks that a pool needs to serve writes: those that its share of the logical pages fills, its reserve and its open blocks. 0 of a mapping that
    /// does not say.
    fn least_blocks(&self) -> u32 {
        0
    }

    /// Since when the drive takes no more writes, as too few of its blocks are usable; what it has taken before it still writes.
    fn read_only_since(&self) -> Option<SimTime> {
        None
    }

    /// What the FTL has counted since the run began.
    fn counters(&self) -> FtlCounters;

    /// What a controller takes to know where the logical pages are, worked out afresh; none of a mapping that does not say.
    fn table_cost(&self) -> Option<TableCost> {
        None
    }

    /// Pages of a pool, as the map sees them, that can hold data once what has failed is out of use: those of its blocks that are not bad.
    fn usable_pages(&self, pool: u32) -> u64 {
        counting::usable_pages(self, pool)
    }

    /// Pages of the drive by state, counted afresh.
    fn census(&self) -> Census {
        counting::census(self)
    }
}

/// An FTL that can be brought to an age.
pub trait Mapping: Inspect + Persist + Any {
    /// About so many pages will be asked for.
    fn expect_requests(&mut self, _pages: u64) {}

    /// The number that the host write or TRIM which is submitted next has among all of them, if it is accepted. Told only where `ftl.recovery` keeps versions.
    fn number_write(&mut self, _number: u64) {}

    /// A program in a block has failed that was not the mapping's: the block takes no further programs, and is retired when what is valid in it has been moved. A mapping of which no such block is told need not heed it.
    fn fail_block(&mut self, _block: BlockId) {}

    /// Sets how often a block was erased so far.
    fn set_erase_count(&mut self, block: BlockId, erases: u32);

    /// The first pages of an erased block are programmed and hold no data; the block is closed. `finish_fill` must follow.
    ///
    /// # Errors
    /// The block is not free, too many pages.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError>;

    /// Completes a filling: closed blocks become candidates for collection.
    fn finish_fill(&mut self, now: SimTime);

    /// Checks that collection can reach its goal while `pages` of the user pages hold data; otherwise it would copy without end.
    ///
    /// # Errors
    /// A watermark that cannot be reached.
    fn check_filled(&self, pages: u64) -> Result<(), FtlError>;

    /// Counts from zero again.
    fn reset_counters(&mut self);

    /// From now on records when each block was last programmed, for [`Self::take_program_times`].
    fn record_program_times(&mut self);

    /// When each block was last programmed, by flat number, and the end of the recording.
    fn take_program_times(&mut self) -> Vec<SimTime>;

    /// Ageing is over: what the mapping keeps on flash beside the data is brought to the same age.
    ///
    /// # Errors
    /// What the functional mode reports.
    fn complete_age(&mut self, _order: Order, _now: SimTime, _seed: Seed) -> Result<(), FunctionalError> {
        Ok(())
    }

    /// Builds the FTL, which is fresh, anew from what a power cut left on the flash. Says what is read for that, and what must be done to the flash before it works.
    ///
    /// # Errors
    /// A mapping that cannot do it; pools that cannot work with the blocks as they are.
    fn recover(&mut self, _now: SimTime, _flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        Err(RecoveryError::Mapping(self.mapping()))
    }

    /// The interface by which a closed form assigns logical pages; none where the mapping has no closed form: it is aged by being written in functional mode then.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        None
    }
}

/// A mapping to which ageing assigns logical pages by rule, without writing them one by one.
pub trait AssignByRule: Mapping {
    /// Blocks, frontiers and pools.
    fn space(&self) -> &FlashSpace;

    /// The same, to be changed.
    fn space_mut(&mut self) -> &mut FlashSpace;

    /// Logical pages will be assigned to blocks by [`Self::assign_block`]: those that leave the remainder i on division by the number of shares with share i. Until a page is written or moved it is found by rule, and takes no memory.
    fn begin_assignment(&mut self, shares: Vec<Share>);

    /// Fills an erased block: the pages of which `chosen` has a one (bit i of word i / 64) hold the next logical pages of a
    /// share, the others no data. A block that is not full is opened. `finish_fill` must follow.
    ///
    /// # Errors
    /// The block is not free, too many pages.
    fn assign_block(&mut self, filling: &Filling, share: usize, chosen: &[u64]) -> Result<(), FillError>;

    /// Sets when a block was last written to, where that matters.
    fn set_last_write(&mut self, block: BlockId, at: SimTime);
}
