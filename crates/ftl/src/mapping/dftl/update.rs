//! Updates of the map: entries that a program, a move or a TRIM has changed.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::Dftl;
use super::data::{Brought, DataFtl};
use crate::notice::{JobId, JobState};
use crate::plan::{Lpn, Outcome, Plan, Step, Work};

/// Translation pages that one plan updates: two steps each, beside the erase of the block that the pages were moved from; a plan
/// holds 64.
const MOST_UPDATES: usize = 31;

impl<D: DataFtl> Dftl<D> {
    /// A step on the data has ended.
    #[inline]
    pub(super) fn end_data_step(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let own = self.region.step_of_region(*step);
        let page = page.and_then(|page| self.region.page_of_region(page));
        let mut pages = std::mem::take(&mut self.brought);
        pages.clear();
        let programmed = matches!(step.work, Work::Program { .. } | Work::CopyBack { .. });
        let brought = programmed.then(|| self.data.brought(&own, &mut pages)).flatten();
        self.data.done(now, &own, page, outcome, plan);
        self.all_of_drive(plan);
        if let (Some(brought), Some(page), Some(_)) = (brought, page, &self.cache) {
            let first = page.0 * u64::from(self.units.pages_per_program);
            for (lpn, place) in pages.iter().copied().zip(first..) {
                if self.data.lookup(Lpn(lpn)) == Some(Ppn(place)) {
                    match brought {
                        Brought::Writes => self.change_entry(lpn, plan),
                        Brought::Moves(pool) => self.move_entry(lpn, pool, plan),
                    }
                }
            }
            self.plan_late_updates(now, plan);
        }
        self.brought = pages;
    }

    /// The entry of a logical page is another one: in the cache, or, if it left there meanwhile, on flash, which [`Self::plan_late_updates`]
    /// plans.
    pub(super) fn change_entry(&mut self, lpn: u64, plan: &mut Plan) {
        let (key, page) = (self.key(lpn), self.translation_page(lpn));
        match self.cache.as_mut().map(|cache| cache.change(key)) {
            Some(true) => self.write_entry(page, plan),
            Some(false) if !self.late.contains(&page) => self.late.push(page),
            _ => {}
        }
    }

    /// Plans the updates of translation pages whose entries had left the cache when they were changed, each once.
    pub(super) fn plan_late_updates(&mut self, now: SimTime, plan: &mut Plan) {
        while let Some(page) = self.late.pop() {
            self.counters.late_updates += 1;
            self.table.plan_update(now, page, 0, plan);
        }
    }

    /// A page was moved for the job of a pool: its entry is changed in the cache, or on flash before the block is erased.
    fn move_entry(&mut self, lpn: u64, pool: u32, plan: &mut Plan) {
        let (key, page) = (self.key(lpn), self.translation_page(lpn));
        match self.cache.as_mut().map(|cache| cache.change(key)) {
            Some(true) => self.write_entry(page, plan),
            Some(false) => self.outdated[pool as usize].add(page),
            None => {}
        }
    }

    /// The next plan of a job of the data. Before a block is erased, the translation pages of what was moved from it are
    /// updated, each once; those of more pages than a plan can have, in plans before.
    pub(super) fn advance_data(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let pool = job.pool() as usize;
        if self
            .outdated
            .get(pool)
            .is_some_and(|pages| pages.len() > MOST_UPDATES)
        {
            self.plan_updates(now, pool, plan);
            return JobState::Yielded;
        }
        let state = self.data.advance(now, job, plan);
        self.all_of_drive(plan);
        let [
            Step {
                work: Work::Erase { .. },
                ..
            },
        ] = plan[..]
        else {
            return state;
        };
        let erase = plan.pop();
        let updated = self.plan_updates(now, pool, plan);
        plan.extend(erase.map(|step| Step {
            after: updated,
            ..step
        }));
        state
    }

    /// Plans updates of the translation pages that a pool has outdated; the steps after which flash has them.
    fn plan_updates(&mut self, now: SimTime, pool: usize, plan: &mut Plan) -> u64 {
        let mut updated = 0;
        for page in self.outdated[pool].take(MOST_UPDATES) {
            self.counters.collection_updates += 1;
            updated |= self.table.plan_update(now, page, 0, plan);
        }
        updated
    }
}
