//! What an FTL tells of pages that were moved, and of flushes.

use wordline_nand::Ppn;

/// Pages that were moved, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relocated {
    /// Where they were, each in a page of its own; none where parts of pages were moved.
    pub from: Vec<Ppn>,
    /// Pages that were read before others were programmed, where parts of them were moved.
    pub read: Vec<Ppn>,
    /// Where they are.
    pub to: Vec<Run>,
}

/// Successive pages of a block to which pages were moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: Ppn,
    /// How many there are.
    pub pages: u32,
    /// Whether they were copied inside their plane; otherwise they went through the controller.
    pub copied_back: bool,
}

/// How far the writes of an FTL have come: [`Ftl::is_flushed`](super::Ftl::is_flushed) compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlushMark(pub u64);

/// What a flush has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushing {
    /// What to ask [`Ftl::is_flushed`](super::Ftl::is_flushed) about.
    pub mark: FlushMark,
    /// Whether another call has more to plan.
    pub goes_on: bool,
}

impl Flushing {
    /// Nothing waits in the controller, and nothing acknowledged is under way.
    pub const DONE: Self = Self {
        mark: FlushMark(0),
        goes_on: false,
    };
}
