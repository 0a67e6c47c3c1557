//! Where the time of requests went: the parts of a response time, and their sums by class and by
//! latency.

mod breakdown;
mod columns;
mod part;

pub use breakdown::{BAND_NAMES, Band, Breakdown};
pub use columns::AttributionColumns;
pub use part::{Holder, PARTS, Part};

/// A stretch of a request's response time with the part that it is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The part.
    pub part: Part,
    /// Length in nanoseconds.
    pub ns: u64,
}
