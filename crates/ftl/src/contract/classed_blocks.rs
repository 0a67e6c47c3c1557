//! Classes of blocks that differ in strength.

use wordline_nand::PlaneId;

use crate::plan::Step;

/// A mapping that keeps blocks of several classes apart.
pub trait ClassedBlocks {
    /// The class of blocks to which the program of a step goes, if they have a page when it starts: 0 is the normal one, 1 the
    /// fastest of the strong ones.
    fn class_of(&self, step: &Step) -> u8;

    /// Pages of a strong class of blocks that host writes find in a plane now, those included that are promised to programs which
    /// have not started.
    fn free_pages_of_class(&self, plane: PlaneId, class: u8) -> u32;
}
