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
