//! The accounts of pages that leave the write buffer.

use crate::operation::NONE;

/// The accounts of pages that are written back.
#[derive(Debug)]
pub(super) struct WriteBacks {
    /// Account of the step that was done last, by the slot of the page.
    pub(super) critical: Vec<u32>,
    /// That of the page that has just left, while what waited for its room is let in.
    pub(super) freed: u32,
}

impl Default for WriteBacks {
    fn default() -> Self {
        Self {
            critical: Vec::new(),
            freed: NONE,
        }
    }
}
