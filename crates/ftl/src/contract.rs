//! The contract between an FTL and whoever executes its plans, inspects it, saves it and ages it.

mod at_work;
mod counting;
mod persist;
mod told;

use std::any::Any;

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::{Duration, Seed, SimTime};

use crate::allocation::Order;
use crate::block::{BlockFacts, BlockUse, Census, CleanSpace};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::host_work::{HostLoad, IdleInterval};
use crate::map::{OwnersByRule, Share};
use crate::plan::{Lpn, Scope, Step};
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::refresh::{BlockReport, RefreshTotals};
use crate::space::{FillError, Filling, FlashSpace, GroupCounters, HandleCounters};
use crate::table_cost::TableCost;
use crate::zone::{ZoneFacts, ZoneTotals};

pub use at_work::Ftl;
pub use persist::Persist;
pub use told::{FlushMark, Flushing, Relocated, Run};

/// What can be seen of an FTL from outside.
pub trait Inspect: Ftl {
    /// Pages of its own that the FTL keeps on flash, such as those of its map: it knows them as the logical pages behind those that it exports.
    fn own_pages(&self) -> u64 {
        0
    }

    /// What these pages hold, in a word (`ftl.pages.<word>` of the summary).
    fn own_pages_hold(&self) -> &'static str {
        "translation"
    }

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

    /// Whether the mapping brings back the data of a read that could not be corrected, with steps that follow it. Asked before [`Ftl::done`] tells
    /// it of the outcome; steps that need the data are declined until they are there.
    fn recovers(&self, _step: &Step) -> bool {
        false
    }

    /// Whether more is done about pages that cannot be read than to compute their data: blocks that are not read any more, pages that are programmed anew.
    fn mends(&self) -> bool {
        false
    }

    /// The page whose data a read is to bring: another one than it reads where the data of a page are computed from those of others.
    fn page_wanted(&self, step: &Step) -> Option<Ppn> {
        step.work.planned_page()
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

    /// The page of flash with the delta of a logical page, which applies to the page of [`Self::lookup`]; none where it has none, or the controller has it.
    fn delta_page(&self, _lpn: Lpn) -> Option<Ppn> {
        None
    }

    /// Whether reads brought what was written, and what is written is there: of a mapping that keeps the bytes of pages.
    ///
    /// # Errors
    /// What was found that is not what was written: a defect of the mapping.
    fn check_data(&self) -> Result<(), String> {
        Ok(())
    }

    /// Encoders and decoders that the mapping asks the controller to have, each of which works on one page at a time.
    fn codecs(&self) -> u32 {
        0
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

    /// When a page of the host first found no room in the SLC cache, since counting began; none where it never did, or there is no cache.
    fn cache_full_since(&self) -> Option<SimTime> {
        None
    }

    /// What the FTL has counted since the run began.
    fn counters(&self) -> FtlCounters;

    /// The placement handles that writes were told apart by, 0 for writes without one, and what was written with each; none where handles are ignored.
    fn handles(&self) -> Vec<(u16, HandleCounters)> {
        Vec::new()
    }

    /// What was written to each reclaim group, in their order; none of a drive with one, or without.
    fn reclaim_groups(&self) -> Vec<GroupCounters> {
        Vec::new()
    }

    /// The zones of the drive, in order; none of a drive without.
    fn zones(&self) -> Vec<ZoneFacts> {
        Vec::new()
    }

    /// What was done with zones; none of a drive without.
    fn zone_totals(&self) -> Option<ZoneTotals> {
        None
    }

    /// What refresh has done; none where nothing is refreshed.
    fn refresh(&self) -> Option<RefreshTotals> {
        None
    }

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

    /// What else the host wants of a drive with a clock, which has a program bound next. Told only where pages have modes.
    fn observe_load(&mut self, _load: &HostLoad) {}

    /// A time without operations of the host has ended in a drive with a clock. Told as [`Self::observe_load`] is.
    fn observe_idle(&mut self, _interval: &IdleInterval) {}

    /// How long an idle interval was expected to be when a mode was decided on last; see `ModePolicy::take_expected_idle`.
    fn take_expected_idle(&mut self) -> Option<Duration> {
        None
    }

    /// Tells what happened to blocks, in order, and how long they keep data. Told only where blocks are refreshed.
    fn observe_blocks(&mut self, _reports: &[BlockReport]) {}

    /// Looks for blocks that must be refreshed, as whoever executes plans has it done every `ftl.refresh.interval`. Whether there are any: the jobs of their pools have given notice then.
    fn look_for_refresh(&mut self, _now: SimTime) -> bool {
        false
    }

    /// The next time at which looking for blocks to be refreshed can find one, if no block is reported before it.
    fn next_refresh_look(&self) -> Option<SimTime> {
        None
    }

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
