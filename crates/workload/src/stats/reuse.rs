//! How soon pages are touched again.

use serde::Serialize;

use super::Bucket;

/// How soon pages are touched again: for each page that a request touches, the LRU stack distance,
/// that is the number of other pages touched since the page was read or written last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reuse {
    /// Touches of pages that were not touched before.
    pub first_touches: u64,
    /// Median distance in pages, of the touches that are not first.
    pub median_pages: Option<f64>,
    /// Touches by distance in pages, in powers of two; first touches are in none of them. A cache
    /// of n pages under LRU serves the touches whose distance is below n.
    pub histogram: Vec<Bucket>,
}
