//! Deltas as whoever executes plans sees them.

use wordline_nand::Ppn;

use crate::plan::Lpn;

/// A mapping that keeps what differs between two versions of a page.
pub trait DeltaPages {
    /// The page of flash with the delta of a logical page, which applies to the page of [`Inspect::lookup`](super::Inspect::lookup); none where it has none, or the controller has it.
    fn delta_page(&self, lpn: Lpn) -> Option<Ppn>;

    /// Whether reads brought what was written, and what is written is there, where the mapping keeps the bytes of pages.
    ///
    /// # Errors
    /// What was found that is not what was written: a defect of the mapping.
    fn check_data(&self) -> Result<(), String>;

    /// Encoders and decoders that the mapping asks the controller to have.
    fn codecs(&self) -> Codecs;
}

/// Encoders and decoders, each of which works on one page at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Codecs {
    /// Groups, each with work of its own: one for each channel, or one for the drive; none where there are none.
    pub groups: u32,
    /// Codecs of each group.
    pub each: u32,
}
