//! How a mapping is brought to an age.

use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::broken::FunctionalError;
use crate::allocation::Order;
use crate::error::FtlError;
use crate::map::{OwnersByRule, Share};
use crate::plan::{Lpn, Scope};
use crate::space::{FillError, Filling, FlashSpace};

/// A mapping that ageing fills from outside.
pub trait Ageable {
    /// About so many pages will be asked for.
    fn expect_requests(&mut self, _pages: u64) {}

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

    /// Ageing is over: what the mapping keeps on flash beside the data is brought to the same age.
    ///
    /// # Errors
    /// What the functional mode reports.
    fn complete_age(&mut self, _order: Order, _now: SimTime, _seed: Seed) -> Result<(), FunctionalError> {
        Ok(())
    }

    /// The interface by which a closed form assigns logical pages; none where the mapping has no closed form: it is aged by being written in functional mode then.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        None
    }

    /// The owners of all pages, where ageing gave them by rule and nothing has changed any: so that a large drive can be watched without a
    /// table of its pages. None where they stand in tables.
    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        None
    }
}

/// A mapping that records when its blocks were last programmed.
pub trait ProgramTimes {
    /// From now on records when each block was last programmed, for [`Self::take_program_times`].
    fn record_program_times(&mut self);

    /// When each block was last programmed, by flat number, and the end of the recording.
    fn take_program_times(&mut self) -> Vec<SimTime>;
}

/// A mapping to which ageing assigns logical pages by rule, without writing them one by one.
pub trait AssignByRule: Ageable {
    /// The planes where allocation may put a logical page.
    fn planes_of(&self, lpn: Lpn) -> Scope;

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
