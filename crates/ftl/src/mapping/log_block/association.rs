//! Which logical blocks share a log block: what tells the mappings with log blocks apart.

use super::logs::{LogUse, LogView, Update};
use crate::request::PageRequest;

/// Where an update goes. Log blocks are named by their places in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The next page of a log block.
    Append(usize),
    /// A log block that is opened for it.
    Open { owner: u32, used_for: LogUse },
    /// None before a log block is reclaimed.
    Reclaim(usize),
}

/// A rule of association.
pub(crate) trait Association: Send {
    /// Where an update goes. After `Open` and after a log block was reclaimed the association is asked again.
    fn place(&self, view: &LogView<'_>, update: Update) -> Place;

    /// The log block that is reclaimed when free blocks are wanted; none where there is none.
    fn victim(&self, view: &LogView<'_>) -> Option<usize>;

    /// Log blocks that a plane may have.
    fn most_logs(&self) -> u32;

    /// The group that a logical block, numbered among those of its plane, belongs to.
    fn owner(&self, in_plane: u32) -> u32;

    /// The group of a log block that was found after a power cut, and what it is for: it holds current pages of a logical block, numbered among those of its plane, and nothing but
    /// these, each at its own offset, where `is_in_place`.
    fn found(&self, view: &LogView<'_>, in_plane: u32, is_in_place: bool) -> (u32, LogUse);

    /// Whether a write is of a sequence, as far as its command says that.
    fn is_sequential(&self, _write: &PageRequest) -> bool {
        false
    }

    /// Whether [`LogView::writes_since`] is asked: each page of a log block for updates then has the number of its write.
    fn numbers_writes(&self) -> bool {
        false
    }

    /// Log blocks for pages that are written often, of those that a plane may have, before anything was written.
    fn first_hot_logs(&self) -> u32 {
        0
    }

    /// The same, when a log block is about to be reclaimed.
    fn adapted_hot_logs(&self, view: &LogView<'_>) -> u32 {
        view.hot_logs
    }
}
