//! Where pages are: three back ends behind one trait. All drive the same units; they differ in what they know of each page.

use std::ops::Range;

mod addresses;
mod draw;
mod exact;
mod permuted;
mod places;
mod statistical;

pub(crate) use addresses::Addresses;
pub(crate) use draw::Draw;
pub(crate) use exact::Exact;
pub(crate) use permuted::Permuted;
pub(crate) use statistical::Statistical;

/// Work of collection that is due on a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// A valid page is moved from a die to a die.
    Move { page: u64, from: u32, to: u32 },
    /// A block of a die is erased.
    Erase { die: u32 },
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The die of the copy that becomes stale.
    pub(crate) old: u32,
    /// The die of the new copy.
    pub(crate) die: u32,
}

/// Which die a write goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The die of this number.
    Die(u32),
    /// The die of the old copy, which was located before.
    Same(u32),
}

/// A mapping, as far as units of the drive can tell: dies, and the work of collection.
pub(crate) trait Mapping {
    /// The die of a logical page.
    fn locate(&mut self, page: u64) -> u32;
    /// Writes a logical page, and adds the work of collection that is due for it.
    fn write(&mut self, page: u64, target: Target, due: &mut Vec<Job>) -> Written;
    /// A page that these dies held at first, uniformly.
    fn page_on(&mut self, dies: &Range<u32>, draw: &mut Draw) -> u64;
    /// Bytes that the back end takes.
    fn resident_bytes(&self) -> u64;
}
