//! Work of many pages at once, for an executor without a clock.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use crate::allocation::{KeptDies, RoundRobin};
use crate::notice::JobId;
use crate::plan::Lpn;
use crate::request::TimedRequest;

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

/// A mapping that works on many pages at once, as `submit`, `bind`, `advance` and `done` would with nothing between them.
pub trait Batches {
    /// Writes whole logical pages one after the other, each at its time but not before `now`, to the plane whose turn it is, for as long as that is all that there is to do.
    /// Says how many it wrote, and which pages were programmed: one for each, or, where several share a page, one at most, with
    /// the last of them. Dies that are `kept` have no turn. Ends before a request that asks for more than that, and after a write that gives a job work.
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize;

    /// Reads sectors of a logical page where that is all that there is to do, and says on which page they are. None where there is more to it.
    fn read_at_once(&mut self, _now: SimTime, _lpn: Lpn, _bitmap: u64) -> Option<Ppn> {
        None
    }

    /// Moves pages for a job, as far as it can, and says which (`relocated` is empty on entry); the rest is left to plans. A job that gives way to the host moves those of one plan, and
    /// every job `most` at most.
    fn relocate_at_once(
        &mut self,
        _now: SimTime,
        _job: JobId,
        _most: usize,
        _turns: &mut RoundRobin,
        _relocated: &mut Relocated,
    ) {
    }
}
