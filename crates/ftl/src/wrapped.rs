//! A mapping with something around it, which sees what passes and changes a part of it; everything else is left to the mapping inside.

mod mapping;
mod persist;

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockUse, Census, CleanSpace};
use crate::contract::{Facts, FlushMark, Flushing, Ftl, Inspect, Mapping, Part, PartMut, Subject};
use crate::counters::FtlCounters;
use crate::map::OwnersByRule;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step};
use crate::recovery::Written;
use crate::request::{Answer, PageRequest};
use crate::state::archive::{Archive, ArchiveError, Extent};
use crate::table_cost::TableCost;

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

    /// [`Inspect::mode_of`].
    fn mode_of(&self, inner: &dyn Mapping, page: Ppn) -> Mode {
        inner.mode_of(page)
    }

    /// [`Inspect::mode_of_block`].
    fn mode_of_block(&self, inner: &dyn Mapping, block: BlockId) -> Option<Mode> {
        inner.mode_of_block(block)
    }

    /// [`Inspect::read_only_since`].
    fn read_only_since(&self) -> Option<SimTime> {
        None
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

    /// [`Persist::modes`].
    fn modes<'a>(&'a self, inner: &'a dyn Mapping) -> &'a [String] {
        inner.modes()
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

    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        self.inner.written(step, page)
    }

    fn prefetch(&self, lpn: Lpn) {
        self.inner.prefetch(lpn);
    }

    fn prefetch_next(&self, lpn: Lpn) {
        self.inner.prefetch_next(lpn);
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

    fn take_write_fault(&mut self) -> bool {
        self.inner.take_write_fault()
    }

    fn may_fail(&self, step: &Step) -> bool {
        self.inner.may_fail(step)
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

    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        self.inner.owners_by_rule()
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

    fn is_unsettled(&self, block: BlockId) -> bool {
        self.inner.is_unsettled(block)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.wrapper.block_use(&*self.inner, block)
    }

    fn mode_of(&self, page: Ppn) -> Mode {
        self.wrapper.mode_of(&*self.inner, page)
    }

    fn mode_of_block(&self, block: BlockId) -> Option<Mode> {
        self.wrapper.mode_of_block(&*self.inner, block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.inner.home(lpn)
    }

    fn pools(&self) -> u32 {
        self.inner.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.inner.collected_geometry()
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        self.inner.collected_block(block)
    }

    fn census(&self) -> Census {
        self.inner.census()
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.inner.usable_pages(pool)
    }

    fn class_of(&self, step: &Step) -> u8 {
        self.inner.class_of(step)
    }

    fn free_pages_of_class(&self, plane: PlaneId, class: u8) -> u32 {
        self.inner.free_pages_of_class(plane, class)
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        self.inner.clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.inner.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.inner.least_blocks()
    }

    fn read_only_since(&self) -> Option<SimTime> {
        self.wrapper
            .read_only_since()
            .or_else(|| self.inner.read_only_since())
    }

    fn counters(&self) -> FtlCounters {
        let mut counters = self.inner.counters();
        self.wrapper.count(&mut counters);
        counters
    }

    fn table_cost(&self) -> Option<TableCost> {
        self.inner.table_cost()
    }
}
