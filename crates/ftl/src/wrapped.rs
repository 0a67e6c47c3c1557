//! A mapping with something around it, which sees what passes and changes a part of it; everything else is left to the mapping inside.

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockUse, Census};
use crate::contract::{
    Ahead, Facts, FlushMark, Flushing, Ftl, Identity, Inspect, Mapping, Part, PartMut, Persist, Subject,
};
use crate::counters::FtlCounters;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step};
use crate::request::{Answer, PageRequest};
use crate::state::archive::{Archive, ArchiveError, Extent};

/// What is around a mapping. What it does not implement goes to the mapping as it is.
pub(crate) trait Wrapper: Send + 'static {
    /// A plan has been made.
    fn planned(&mut self, _inner: &dyn Mapping, _now: SimTime, _plan: &Plan) {}

    /// [`Ftl::submit`].
    fn submit(
        &mut self,
        inner: &mut dyn Mapping,
        now: SimTime,
        request: &PageRequest,
        plan: &mut Plan,
    ) -> Answer {
        inner.submit(now, request, plan)
    }

    /// [`Ftl::bind`].
    fn bind(&mut self, inner: &mut dyn Mapping, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        inner.bind(now, step, plane)
    }

    /// [`Ftl::place`].
    fn place(&mut self, inner: &mut dyn Mapping, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        inner.place(now, step, plan)
    }

    /// [`Ftl::bind_aligned`].
    fn bind_aligned(
        &mut self,
        inner: &mut dyn Mapping,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        inner.bind_aligned(now, pairs, bound)
    }

    /// [`Ftl::notices`].
    fn notices(&mut self, inner: &mut dyn Mapping, notices: &mut Vec<JobNotice>) {
        inner.notices(notices);
    }

    /// [`Ftl::advance`].
    fn advance(&mut self, inner: &mut dyn Mapping, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        inner.advance(now, job, plan)
    }

    /// A step has ended: whether it was its own, of which the mapping is not told.
    fn done(&mut self, _inner: &mut dyn Mapping, _now: SimTime, _step: &Step, _page: Option<Ppn>) -> bool {
        false
    }

    /// [`Inspect::block`].
    fn block(&self, inner: &dyn Mapping, block: BlockId) -> BlockFacts {
        inner.block(block)
    }

    /// [`Inspect::block_use`].
    fn block_use(&self, inner: &dyn Mapping, block: BlockId) -> BlockUse {
        inner.block_use(block)
    }

    /// How a step ends for the mapping, before that is told.
    fn outcome(
        &mut self,
        _inner: &dyn Mapping,
        _now: SimTime,
        _step: &Step,
        _page: Option<Ppn>,
        outcome: Outcome,
    ) -> Outcome {
        outcome
    }

    /// Adds its own counts to those of the mapping.
    fn count(&self, _counters: &mut FtlCounters) {}

    /// Its own counts begin at zero again.
    fn reset_counters(&mut self) {}

    /// [`Ftl::part`] of its own.
    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }

    /// [`Ftl::part_mut`] of its own.
    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }

    /// Passes its own state to a file or takes it from one, after that of the mapping.
    fn archive(&mut self, _extent: Extent, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// A mapping and what is around it. Work of many pages at once is not offered: every step passes.
pub(crate) struct Wrapped<W> {
    inner: Box<dyn Mapping>,
    wrapper: W,
}

impl<W: Wrapper> Wrapped<W> {
    pub(crate) fn new(inner: Box<dyn Mapping>, wrapper: W) -> Self {
        Self { inner, wrapper }
    }
}

impl<W: Wrapper> Ftl for Wrapped<W> {
    fn geometry(&self) -> &Geometry {
        self.inner.geometry()
    }

    fn unit_geometry(&self) -> &Geometry {
        self.inner.unit_geometry()
    }

    fn facts(&self) -> Facts {
        self.inner.facts()
    }

    fn user_pages(&self) -> u64 {
        self.inner.user_pages()
    }

    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.inner.prefetch(lpn, ahead);
    }

    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        match subject {
            Subject::Batches => None,
            _ => self.wrapper.part(subject).or_else(|| self.inner.part(subject)),
        }
    }

    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>> {
        let Self { inner, wrapper } = self;
        match subject {
            Subject::Batches => None,
            _ => wrapper.part_mut(subject).or_else(|| inner.part_mut(subject)),
        }
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let Self { inner, wrapper } = self;
        let answer = wrapper.submit(&mut **inner, now, request, plan);
        wrapper.planned(&**inner, now, plan);
        answer
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.inner.flush(now, plan);
        self.wrapper.planned(&*self.inner, now, plan);
        flushing
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.inner.is_flushed(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.wrapper.bind(&mut *self.inner, now, step, plane)
    }

    fn place(&mut self, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        let bind = self.wrapper.place(&mut *self.inner, now, step, plan);
        self.wrapper.planned(&*self.inner, now, plan);
        bind
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        self.wrapper.bind_aligned(&mut *self.inner, now, pairs, bound)
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        let Self { inner, wrapper } = self;
        if wrapper.done(&mut **inner, now, step, page) {
            return;
        }
        let outcome = wrapper.outcome(&**inner, now, step, page, outcome);
        inner.done(now, step, page, outcome, plan);
        wrapper.planned(&**inner, now, plan);
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.wrapper.notices(&mut *self.inner, notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let state = self.wrapper.advance(&mut *self.inner, now, job, plan);
        self.wrapper.planned(&*self.inner, now, plan);
        state
    }
}

impl<W: Wrapper> Inspect for Wrapped<W> {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.inner.lookup(lpn)
    }

    fn mapped_pages(&self) -> u64 {
        self.inner.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.inner.owner(page)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        self.inner.units_of(step, units);
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.inner.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.wrapper.block(&*self.inner, block)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.wrapper.block_use(&*self.inner, block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.inner.home(lpn)
    }

    fn census(&self) -> Census {
        self.inner.census()
    }

    fn counters(&self) -> FtlCounters {
        let mut counters = self.inner.counters();
        self.wrapper.count(&mut counters);
        counters
    }

    fn reset_counters(&mut self) {
        self.inner.reset_counters();
        self.wrapper.reset_counters();
    }
}

impl<W: Wrapper> Persist for Wrapped<W> {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        self.inner.archive(now, extent, archive)?;
        self.wrapper.archive(extent, archive)
    }

    fn latest(&self) -> SimTime {
        self.inner.latest()
    }

    fn identity(&self) -> Identity {
        self.inner.identity()
    }
}
