//! The mode of an SLC cache, as a drive describes it to its FTL.

use wordline_nand::Mode;

/// What a drive says of its SLC cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlcMode {
    /// The mode of its pages.
    pub mode: Mode,
    /// Name of the mode.
    pub name: String,
    /// Bits of a cell in the normal mode; a block in SLC mode has as many times fewer pages.
    pub bits: u32,
    /// Modes of the drive, beside the normal one.
    pub modes: Vec<String>,
}
