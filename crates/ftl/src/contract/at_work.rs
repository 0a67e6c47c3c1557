//! An FTL at work: what an executor of its plans calls.

use wordline_nand::{Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::{Facts, FlushMark, Flushing, Part, PartMut, Subject};
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Step};
use crate::request::{Answer, PageRequest};

/// How far ahead of its request a logical page is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Many requests come before it.
    Far,
    /// It is next but for a few, and was announced before.
    Near,
}

/// A flash translation layer at work.
///
/// The executor submits page requests in admission order; runs the steps of each plan when their dependencies are done; calls `bind` when a program on a frontier starts; calls `done` for every step, exactly once; drains `notices` after each call and asks the jobs for plans.
pub trait Ftl: Send {
    /// The array that the FTL works on.
    fn geometry(&self) -> &Geometry;

    /// The array as the map sees it: its pages are mapping units, which `Inspect` numbers, and a logical page has the size of one. Blocks have the same numbers as in `geometry`.
    fn unit_geometry(&self) -> &Geometry {
        self.geometry()
    }

    /// What does not change of it.
    fn facts(&self) -> Facts {
        Facts::of_pages(self.unit_geometry())
    }

    /// Logical pages that the drive exports.
    fn user_pages(&self) -> u64;

    /// A request for a logical page comes soon: a chance to fetch what will be needed into the cache. Changes nothing that can be observed.
    fn prefetch(&self, _lpn: Lpn, _ahead: Ahead) {}

    /// Has everything that waits in the controller for company in its page programmed, padded: appends the programs to `plan`, at most 64 of them. What was acknowledged before this call is on flash once [`Self::is_flushed`] says so of
    /// the mark that is returned.
    fn flush(&mut self, _now: SimTime, _plan: &mut Plan) -> Flushing {
        Flushing::DONE
    }

    /// Whether what a call of [`Self::flush`] concerned is on flash.
    fn is_flushed(&self, _mark: FlushMark) -> bool {
        true
    }

    /// The trait of a subject, where the FTL has to do with it; see [`Subjects`](super::Subjects).
    fn part(&self, subject: Subject) -> Option<Part<'_>>;

    /// The same, to be changed by.
    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>>;

    /// Answers one page request: appends steps to `plan` (empty on entry).
    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer;

    /// Chooses the page for a program or copy-back of `step` that is about to start in `plane`.
    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind;

    /// Chooses the page of a program with [`crate::Target::Stripe`] that is ready. Further steps may be appended to `plan` (empty on entry), which are planned at once. `NoSpace` is asked again when space was freed.
    fn place(&mut self, _now: SimTime, _step: &Step, _plan: &mut Plan) -> Bind {
        Bind::Declined
    }

    /// Chooses aligned pages for one multi-plane program of the steps that `pairs` names with their planes (of one die, distinct, oldest step first). On success writes one entry per
    /// pair to `bound`, `None` for a pair that cannot be aligned, at least two `Some`. Returns false, and changes nothing, where no two can be aligned.
    fn bind_aligned(
        &mut self,
        _now: SimTime,
        _pairs: &[(Step, PlaneId)],
        _bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        false
    }

    /// Tells how a step ended and, for a program or copy-back, at which page; commits the map.
    /// May append further steps to `plan` (empty on entry).
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan);

    /// Moves the pending job notices to the end of `notices`.
    fn notices(&mut self, notices: &mut Vec<JobNotice>);

    /// Asks a job for its next plan (`plan` is empty on entry).
    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState;
}
