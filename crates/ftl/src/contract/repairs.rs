//! Data that are brought back where a page cannot be read.

use wordline_nand::Ppn;

use crate::plan::Step;

/// A mapping that can compute the data of a page from those of others.
pub trait ReadRepair {
    /// Whether the mapping brings back the data of a read that could not be corrected, with steps that follow it. Asked before [`Ftl::done`](super::Ftl::done) tells
    /// it of the outcome; steps that need the data are declined until they are there.
    fn recovers(&self, step: &Step) -> bool;

    /// Whether more is done about pages that cannot be read than to compute their data: blocks that are not read any more, pages that are programmed anew.
    fn repairs_flash(&self) -> bool;

    /// The page whose data a read is to bring: another one than it reads where the data of a page are computed from those of others.
    fn page_wanted(&self, step: &Step) -> Option<Ppn>;
}
