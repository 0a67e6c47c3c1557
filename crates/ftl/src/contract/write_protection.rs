//! The end of writing.

use wordline_units::SimTime;

/// A mapping that takes no more writes once too few of its blocks are usable.
pub trait WriteProtection {
    /// Since when the drive takes no more writes; what it has taken before it still writes.
    fn read_only_since(&self) -> Option<SimTime>;
}
