//! How a mapping with records answers: the mapping does, on its part of the drive, and what follows for the records is added.

use wordline_nand::{Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::journal::MOST_STEPS;
use super::step::is_own;
use super::{Recorded, Records, is_closed};
use crate::contract::{Ahead, Facts, FlushMark, Flushing, Ftl, Part, PartMut, Subject, Subjects};
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest};

impl Ftl for Recorded {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn unit_geometry(&self) -> &Geometry {
        &self.unit_geometry
    }

    fn facts(&self) -> Facts {
        let facts = self.inner.facts();
        Facts {
            programs_on_flush: facts.programs_on_flush || matches!(self.records, Records::Journal(_)),
            ..facts
        }
    }

    fn user_pages(&self) -> u64 {
        self.inner.user_pages()
    }

    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.inner.prefetch(lpn, ahead);
    }

    /// What names pages is translated; the zones of a mapping and its refresh have no records.
    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        let offered = self.inner.part(subject)?;
        match subject {
            Subject::Ageing => Some(Part::Ageing(self)),
            Subject::Collection => Some(Part::Collection(self)),
            Subject::Deltas => Some(Part::Deltas(self)),
            Subject::Modes => Some(Part::Modes(self)),
            Subject::ProgramTimes => Some(Part::ProgramTimes(self)),
            Subject::Recovery => Some(Part::Recovery(self)),
            Subject::Repairs => Some(Part::Repairs(self)),
            Subject::Placement | Subject::SlcCache | Subject::Table | Subject::WriteProtection => {
                Some(offered)
            }
            Subject::Batches | Subject::Classes | Subject::HostLoad | Subject::Refresh | Subject::Zones => {
                None
            }
        }
    }

    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>> {
        self.inner.part(subject)?;
        match subject {
            Subject::Ageing => Some(PartMut::Ageing(self)),
            Subject::Collection => Some(PartMut::Collection(self)),
            Subject::Deltas => Some(PartMut::Deltas(self)),
            Subject::Modes => Some(PartMut::Modes(self)),
            Subject::ProgramTimes => Some(PartMut::ProgramTimes(self)),
            Subject::Recovery => Some(PartMut::Recovery(self)),
            Subject::Repairs => Some(PartMut::Repairs(self)),
            Subject::Placement | Subject::SlcCache | Subject::Table | Subject::WriteProtection => {
                self.inner.part_mut(subject)
            }
            Subject::Batches | Subject::Classes | Subject::HostLoad | Subject::Refresh | Subject::Zones => {
                None
            }
        }
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        self.begin();
        let before = match (&self.records, request.op) {
            (Records::Journal(_), PageOp::Trim) => self.before_trim(request),
            _ => Vec::new(),
        };
        if request.op != PageOp::Read {
            let number = self.versions.newest + 1;
            if let Some(numbered) = self.inner.recoverable_mut() {
                numbered.number_write(number);
            }
        }
        let answer = self.inner.submit(now, request, plan);
        if answer == Answer::Accepted && request.op != PageOp::Read {
            let version = self.versions.next();
            if !self.has_units() {
                self.versions.write(plan, version);
            }
            let trimmed = self.trimmed_of(&before, version);
            if let Records::Journal(journal) = &mut self.records {
                for record in trimmed {
                    journal.record(record, version);
                }
            }
        }
        self.to_drive(plan);
        answer
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.inner.flush(now, plan);
        self.to_drive(plan);
        let Self {
            inner,
            places,
            records,
            ..
        } = self;
        let Records::Journal(journal) = records else {
            return flushing;
        };
        let mark = FlushMark(journal.recorded);
        self.inner_marks.retain(|_, mark| !inner.is_flushed(*mark));
        if !inner.is_flushed(flushing.mark) {
            self.inner_marks.insert(mark.0, flushing.mark);
        }
        let most = MOST_STEPS.saturating_sub(plan.len());
        if !plan.is_empty() && (flushing.goes_on || journal.pages_to_seal() > most) {
            // the programs of the mapping first
            return Flushing { mark, goes_on: true };
        }
        let steps = journal.flush(most, |block| is_closed(&**inner, &places.region, block));
        plan.extend(steps.into_iter().map(|step| Step {
            acknowledges: true,
            ..step
        }));
        self.tell(now);
        Flushing {
            mark,
            goes_on: flushing.goes_on,
        }
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        match &self.records {
            Records::Journal(journal) => {
                let mut before = self.inner_marks.range(..=mark.0);
                journal.is_on_flash(mark.0) && before.all(|(_, mark)| self.inner.is_flushed(*mark))
            }
            _ => self.inner.is_flushed(mark),
        }
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if is_own(step) {
            let page = match &mut self.records {
                Records::SpareAreas => None,
                Records::Summaries(summaries) => summaries.choose(step),
                Records::Journal(journal) => journal.choose(step),
            };
            return page.map_or(Bind::Declined, |page| Bind::Page(Bound { page, skipped: 0 }));
        }
        let own = self.places.region.step_of_region(*step);
        match self.inner.bind(now, &own, plane) {
            Bind::Page(bound) => Bind::Page(self.bound_in_drive(step, bound)),
            other => other,
        }
    }

    fn place(&mut self, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        let own = self.places.region.step_of_region(*step);
        let place = self.inner.place(now, &own, plan);
        self.to_drive(plan);
        match place {
            Bind::Page(bound) => {
                // programs that follow have their pages already
                for next in plan.iter() {
                    if let Work::Program {
                        target: Target::Page(page),
                        ..
                    } = next.work
                        && let Some(page) = self.places.region.page_of_region(page)
                    {
                        self.begin_placed(next, Bound { page, skipped: 0 });
                    }
                }
                Bind::Page(self.begin_placed(step, bound))
            }
            other => other,
        }
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        // pages of the FTL's own are programmed alone
        let is_data = |(step, _): &&(Step, PlaneId)| !is_own(step);
        let own = pairs.iter().filter(is_data);
        let own = own.map(|(step, plane)| (self.places.region.step_of_region(*step), *plane));
        let own: Vec<(Step, PlaneId)> = own.collect();
        let mut found = Vec::new();
        if own.len() < 2
            || pairs.first().is_none_or(|first| !is_data(&first))
            || !self.inner.bind_aligned(now, &own, &mut found)
        {
            return false;
        }
        let mut found = found.into_iter();
        for pair in pairs {
            let chosen = if is_data(&pair) {
                found.next().flatten()
            } else {
                None
            };
            let chosen = chosen.map(|chosen| self.bound_in_drive(&pair.0, chosen));
            bound.push(chosen);
        }
        true
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        if is_own(step) {
            self.end_own(step, outcome, plan);
            return;
        }
        if let (Work::Program { .. }, Some(page)) = (step.work, page) {
            self.placed.remove(&page);
        }
        let own = self.places.region.step_of_region(*step);
        let page = page.and_then(|page| self.places.region.page_of_region(page));
        let of_units = self.end_units(page, outcome);
        self.inner.done(now, &own, page, outcome, plan);
        if !self.has_units() {
            self.versions.ended(&own, page, outcome, plan);
        }
        self.to_drive(plan);
        let brought = of_units.unwrap_or_else(|| page.map(|page| (own.lpn, page)).into_iter().collect());
        self.end_of_mapping(&own, (page, &brought), outcome, plan);
        self.tell(now);
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        let before = notices.len();
        self.inner.notices(notices);
        if matches!(self.records, Records::Journal(_)) {
            for notice in &notices[before..] {
                self.told.insert(notice.job.0, *notice);
                if let Some(held) = self.held.get_mut(&notice.job.0) {
                    // what it said when it was held is out of date
                    held.state = JobState::Yielded;
                }
            }
        }
        notices.append(&mut self.notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        self.begin();
        if job == self.job {
            let Self {
                inner,
                places,
                logical,
                records: Records::Journal(journal),
                ..
            } = self
            else {
                return JobState::Finished;
            };
            let completed = journal.checkpoints.completed;
            let entry = |lpn| inner.lookup(Lpn(lpn)).map(|place| places.of_drive(place));
            let map = (entry, *logical);
            let state = journal.advance(plan, map);
            if journal.checkpoints.completed > completed {
                self.release_held();
            }
            return state;
        }
        let state = match self.held.remove(&job.0) {
            Some(held) => {
                *plan = held.plan;
                if held.is_told {
                    return held.state;
                }
                held.state
            }
            None => {
                let state = self.inner.advance(now, job, plan);
                self.to_drive(plan);
                state
            }
        };
        let state = self.guard_erases(job, plan, state);
        self.tell(now);
        state
    }
}
