//! What a power cut did.

use wordline_drive::{HoldUp, Torn};
use wordline_units::{Duration, SimTime};

/// What a power cut did, and how the drive came back.
#[derive(Clone, Debug)]
pub struct CutReport {
    /// When the power failed, since the device began.
    pub at: SimTime,
    /// Requests that will not be answered.
    pub requests_lost: u64,
    /// Programs and erases that were cut off.
    pub torn: Torn,
    /// What the drive did on its capacitor, if it has one.
    pub hold_up: Option<HoldUp>,
    /// How long the drive worked on after the power had failed, to end writes that it may not leave half done.
    pub ending_writes: Duration,
    /// How often the power failed again while recovery repaired the flash.
    pub again: u64,
    /// How long recovery took until the host was served, of all attempts; one that a further cut ended counts whole.
    pub recovery: Duration,
    /// Pages that recovery read and programmed, and blocks that it erased.
    pub pages_read: u64,
    /// Pages of the FTL's own that were programmed.
    pub pages_programmed: u64,
    /// Blocks that were erased.
    pub blocks_erased: u64,
    /// Pages that show something else than the newest that hosts sent.
    pub pages_reverted: u64,
}
