//! What a mapping does for recovery after a power cut.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use crate::plan::Step;
use crate::recovery::{FoundFlash, Recovery, RecoveryError, Written};

/// A mapping that can be built anew from what a power cut left on the flash.
pub trait Recoverable {
    /// What the program of a step that starts now writes, beside the data of the host: what is found on the page after a power cut.
    /// None of a step whose page says nothing.
    fn written(&self, step: &Step, page: Ppn) -> Option<Written>;

    /// Whether recovery has to look at the spare areas of a block although it is closed and nothing is under way in it: a unit of several pages has begun of which not all pages have, or
    /// parity is missing.
    fn is_unsettled(&self, block: BlockId) -> bool;

    /// The number that the host write or TRIM which is submitted next has among all of them, if it is accepted. Told only where `ftl.recovery` keeps versions.
    fn number_write(&mut self, number: u64);

    /// Host writes and TRIMs that were numbered so far; 0 where nothing numbers them.
    fn numbered(&self) -> u64 {
        0
    }

    /// The drive has its age, and nothing is under way: what is kept on flash beside its data is from now on what a drive has that was formatted with them. With a journal that is a checkpoint,
    /// and a journal without a page.
    fn format(&mut self) {}

    /// Tells what recovery would find on the pages of a drive that has done nothing since [`Self::format`]: every page that is not erased, block by block in the order in which their oldest data
    /// were written. Pages of which nothing counts any more say nothing of their logical page. Nothing where `ftl.recovery` keeps nothing.
    fn at_rest(&self, _tell: &mut dyn FnMut(Ppn, Written)) {}

    /// The header of a page of deltas that counts, as [`Self::written`] says it when its program begins; none of all other pages.
    fn deltas_at_rest(&self, _page: Ppn) -> Option<Written> {
        None
    }

    /// A program in a block has failed that was not the mapping's: the block takes no further programs, and is retired when what is valid in it has been moved.
    fn fail_block(&mut self, block: BlockId);

    /// Whether the program or erase of a step may fail; not where nothing is left to take the place of what fails.
    fn may_fail(&self, step: &Step) -> bool;

    /// Builds the FTL, which is fresh, anew from what a power cut left on the flash. Says what is read for that, and what must be done to the flash before it works.
    ///
    /// # Errors
    /// Pools that cannot work with the blocks as they are.
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError>;
}
