//! The map on flash: translation pages, kept by a page-level FTL in blocks of their own.
//!
//! Where each translation page is (the directory of the paper) is the map of that FTL. To the drive, translation page t is
//! the logical pages from U + t n on, behind the U that the host sees, where a page of flash has n mapping units, and the first of
//! them names its operations. Every operation on it has the cause `Mapping`.

use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::block::BlockFacts;
use crate::contract::{CollectedSpace, Ftl, Inspect};
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::mapping::page::PageFtl;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Cause, Lpn, Outcome, Plan, Step, Work};
use crate::request::{Answer, PageOp, PageRequest};
use crate::space::Region;

/// The translation pages of a drive.
pub(super) struct Table {
    pub(super) ftl: PageFtl,
    pub(super) region: Region,
    /// Mapping units of a page of flash, and so logical pages as which a translation page is known.
    per_page: u64,
    /// The first logical page as which the first translation page is known.
    first: u64,
    /// Number of the first job.
    first_job: u32,
    /// Kept for its space.
    steps: Plan,
}

impl Table {
    /// Translation pages that an FTL keeps in a region, each known as `per_page` logical pages from `first` on, with jobs from
    /// `first_job` on.
    pub(super) const fn new(ftl: PageFtl, region: Region, per_page: u32, first: u64, first_job: u32) -> Self {
        Self {
            ftl,
            region,
            per_page: per_page as u64,
            first,
            first_job,
            steps: Plan::new(),
        }
    }

    /// The first logical page as which a translation page is known.
    pub(super) const fn lpn(&self, page: u32) -> Lpn {
        Lpn(self.first + page as u64 * self.per_page)
    }

    /// Logical pages as which the translation pages are known.
    pub(super) fn logical_pages(&self) -> u64 {
        self.ftl.user_pages() * self.per_page
    }

    /// The logical pages that a step is about: those of its translation page, but for an erase, which names one.
    pub(super) fn units_of(&self, step: &Step) -> impl Iterator<Item = Lpn> + use<> {
        let count = match step.work {
            Work::Erase { .. } => 1,
            _ => self.per_page,
        };
        (step.lpn.0..step.lpn.0 + count).map(Lpn)
    }

    /// The state of a block, in mapping units.
    pub(super) fn block(&self, block: BlockId) -> BlockFacts {
        let facts = self
            .ftl
            .block(self.region.block_of_region(block).unwrap_or(block));
        let units = |pages: u32| pages * self.per_page as u32;
        BlockFacts {
            valid: units(facts.valid),
            invalid: units(facts.invalid),
            free: units(facts.free),
            skipped: units(facts.skipped),
            ..facts
        }
    }

    /// Whether a step is one of the map.
    #[inline]
    pub(super) fn owns(&self, step: &Step) -> bool {
        match step.work {
            Work::Erase { block } => self.region.block_of_region(block).is_some(),
            _ => step.lpn.0 >= self.first,
        }
    }

    /// Whether so many of its blocks are bad that the translation pages cannot be written for ever.
    pub(super) fn is_worn_out(&self) -> bool {
        let needed = u64::from(self.ftl.least_blocks()) * u64::from(self.region.geometry.pages_per_block);
        (0..self.ftl.pools()).any(|pool| self.ftl.usable_pages(pool) < needed)
    }

    /// Whether a write of a translation page is under way.
    pub(super) fn is_being_written(&self, page: u32) -> bool {
        self.ftl.is_being_written(Lpn(u64::from(page)))
    }

    fn request(&mut self, now: SimTime, op: PageOp, page: u32) -> Answer {
        let full = self.region.geometry.full_bitmap();
        let request = PageRequest {
            op,
            lpn: Lpn(u64::from(page)),
            pages: 1,
            bitmap: full,
            placement: 0,
            class: 0,
            command_sectors: full.count_ones(),
        };
        self.steps.clear();
        self.ftl.submit(now, &request, &mut self.steps)
    }

    /// Plans the read of a translation page; its mask. None if flash has no such page, or a newer version is still in the
    /// controller. The read waits for nothing: a program of the map may wait until the block of the page has been erased, and that
    /// waits for the read.
    pub(super) fn plan_read(&mut self, now: SimTime, page: u32, token: u32, plan: &mut Plan) -> Option<u64> {
        self.request(now, PageOp::Read, page);
        let read = self.steps.pop()?;
        plan.push(Step {
            token,
            ..self.of_drive(read)
        });
        Some(1 << (plan.len() - 1))
    }

    /// Plans the program of a translation page after the steps of the mask `after`; its own mask.
    pub(super) fn plan_program(&mut self, now: SimTime, page: u32, after: u64, plan: &mut Plan) -> u64 {
        self.request(now, PageOp::Write, page);
        let Some(program) = self.steps.pop() else { return 0 };
        plan.push(Step {
            after,
            ..self.of_drive(program)
        });
        1 << (plan.len() - 1)
    }

    /// Plans that a translation page is read, changed and programmed, the latter after the steps of the mask `after`; the mask of
    /// the program.
    pub(super) fn plan_update(&mut self, now: SimTime, page: u32, after: u64, plan: &mut Plan) -> u64 {
        let read = self.plan_read(now, page, NO_TOKEN, plan);
        self.plan_program(now, page, read.unwrap_or(0) | after, plan)
    }

    /// A translation page has no entry any more.
    pub(super) fn forget(&mut self, now: SimTime, page: u32) {
        self.request(now, PageOp::Trim, page);
    }

    /// A step as the drive knows it.
    #[inline]
    fn of_drive(&self, step: Step) -> Step {
        Step {
            cause: Cause::Mapping,
            acknowledges: false,
            lpn: Lpn(self.first + step.lpn.0 * self.per_page),
            ..self.region.step_of_drive(step)
        }
    }

    fn all_of_drive(&self, plan: &mut Plan) {
        for step in plan {
            *step = self.of_drive(*step);
        }
    }

    /// A step as the FTL of the map knows it.
    fn of_table(&self, step: &Step) -> Step {
        let cause = match self.ftl.pending(step.token) {
            Some(PendingProgram::Move { .. }) => Cause::Gc,
            _ => Cause::Host,
        };
        Step {
            cause,
            lpn: Lpn(step.lpn.0.saturating_sub(self.first) / self.per_page),
            ..self.region.step_of_region(*step)
        }
    }

    pub(super) fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let own = self.of_table(step);
        bound_in(&self.region, self.ftl.bind(now, &own, plane))
    }

    pub(super) fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let own: Vec<_> = pairs
            .iter()
            .map(|(step, plane)| (self.of_table(step), *plane))
            .collect();
        let aligned = self.ftl.bind_aligned(now, &own, bound);
        all_bound_in(&self.region, bound);
        aligned
    }

    /// A step of the map has ended.
    pub(super) fn done(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let own = self.of_table(step);
        let page = page.and_then(|page| self.region.page_of_region(page));
        self.ftl.done(now, &own, page, outcome, plan);
        self.all_of_drive(plan);
    }

    /// Passes the notices of jobs on.
    #[inline]
    pub(super) fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        let before = notices.len();
        self.ftl.notices(notices);
        for notice in &mut notices[before..] {
            notice.job = JobId(notice.job.0 + self.first_job);
        }
    }

    /// The next plan of a job, if it is one of the map.
    pub(super) fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> Option<JobState> {
        let own = JobId(job.0.checked_sub(self.first_job)?);
        let state = self.ftl.advance(now, own, plan);
        self.all_of_drive(plan);
        Some(state)
    }

    /// Where a logical page that is a part of a translation page is.
    pub(super) fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let own = lpn.0.checked_sub(self.first)?;
        let page = self.ftl.lookup(Lpn(own / self.per_page))?;
        let page = self.region.page_of_drive(page);
        Some(Ppn(page.0 * self.per_page + own % self.per_page))
    }

    /// The logical page whose part of a translation page a place of the region holds.
    pub(super) fn owner(&self, place: Ppn) -> Option<Lpn> {
        let own = self.region.page_of_region(Ppn(place.0 / self.per_page))?;
        let page = self.ftl.owner(own)?;
        Some(Lpn(self.first + page.0 * self.per_page + place.0 % self.per_page))
    }
}

/// A binding in a region, as the drive numbers its page.
#[inline]
pub(super) fn bound_in(region: &Region, bind: Bind) -> Bind {
    match bind {
        Bind::Page(Bound { page, skipped }) => Bind::Page(Bound {
            page: region.page_of_drive(page),
            skipped,
        }),
        other => other,
    }
}

/// Bindings in a region, as the drive numbers their pages.
pub(super) fn all_bound_in(region: &Region, bound: &mut [Option<Bound>]) {
    for bound in bound.iter_mut().flatten() {
        bound.page = region.page_of_drive(bound.page);
    }
}
