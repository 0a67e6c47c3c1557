//! What a table of start offsets says.

use serde::Serialize;

use super::popularity::Popularity;
use crate::trace::offset_frequency::Offset;

/// Bytes of the page that the footprint counts in.
const PAGE: u64 = 4096;

/// What a table of start offsets says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartOffsets {
    /// Distinct offsets.
    pub offsets: u64,
    /// Requests that start at them.
    pub requests: u64,
    /// Distinct 4-KiB pages that the offsets lie in.
    pub pages: u64,
    /// The highest offset, in bytes.
    pub highest_offset: u64,
    /// How unevenly the offsets are used: as for pages, with an offset in the place of a page.
    pub popularity: Popularity,
}

impl StartOffsets {
    /// Of offsets that rise; `None` without any.
    pub(crate) fn of(offsets: &[Offset]) -> Option<Self> {
        let pages = offsets.chunk_by(|a, b| a.start / PAGE == b.start / PAGE);
        Some(Self {
            offsets: offsets.len() as u64,
            requests: offsets.iter().map(|offset| offset.requests).sum(),
            pages: pages.count() as u64,
            highest_offset: offsets.last()?.start,
            popularity: Popularity::of(offsets.iter().map(|offset| offset.requests).collect())?,
        })
    }
}
