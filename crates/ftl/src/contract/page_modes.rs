//! Modes in which pages are programmed.

use wordline_nand::{BlockId, Mode, Ppn};

/// A mapping whose pages are programmed in one of several modes.
pub trait PageModes {
    /// The names of the modes beside the normal one.
    fn mode_names(&self) -> &[String];

    /// The mode in which a page was programmed last; that of a program is decided when its page is chosen.
    fn page_mode(&self, page: Ppn) -> Mode;

    /// The mode of all pages of a block, where they have one in common and it need not be looked up page by page.
    fn block_mode(&self, block: BlockId) -> Option<Mode>;
}
