//! What the FTL of the units plans, as steps on pages; and the pages of programs that start.

use wordline_nand::{PlaneId, Ppn};
use wordline_units::SimTime;

use super::LargeUnitFtl;
use super::programs::{Data, Program};
use crate::contract::Ftl;
use crate::map::HostMap;
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Step, Target, Work};

impl LargeUnitFtl {
    /// Plans for pages what the FTL of the units has planned, after the steps of the mask `before`.
    pub(super) fn expand(&mut self, steps: &[Step], before: u64, data: Option<Data>, plan: &mut Plan) {
        let mut data = data;
        let mut masks: Vec<u64> = Vec::with_capacity(steps.len());
        for step in steps {
            let earlier = masks.iter().enumerate();
            let after = earlier
                .filter(|(at, _)| step.after >> at & 1 == 1)
                .fold(before, |after, (_, mask)| after | mask);
            let first = plan.len();
            match step.work {
                Work::Read { page, .. } => self.expand_read(step, page.0, after, plan),
                Work::Program { .. } => self.expand_program(step, data.take(), after, plan),
                _ => plan.push(Step { after, ..*step }),
            }
            masks.push((first..plan.len()).fold(0, |mask, at| mask | 1 << at));
        }
    }

    /// The pages of a unit that hold data are read.
    fn expand_read(&self, step: &Step, place: u64, after: u64, plan: &mut Plan) {
        let pages = self.first_of(step.lpn.0)..self.first_of(step.lpn.0 + 1);
        for (lpn, page) in pages.zip(self.first_of(place)..) {
            let bitmap = self.valid_on_flash(lpn);
            let mut work = step.work;
            if let Work::Read {
                page: read,
                bitmap: wanted,
                ..
            } = &mut work
            {
                (*read, *wanted) = (Ppn(page), bitmap);
            }
            if bitmap != 0 {
                plan.push(Step {
                    work,
                    after,
                    lpn: Lpn(lpn),
                    ..*step
                });
            }
        }
    }

    /// Every page of a unit is programmed, those without data too.
    fn expand_program(&mut self, step: &Step, data: Option<Data>, after: u64, plan: &mut Plan) {
        let first = self.first_of(step.lpn.0);
        let pages: Vec<u64> = match &data {
            Some(data) => data.after.clone(),
            None => (first..)
                .take(self.per_unit as usize)
                .map(|lpn| self.valid_on_flash(lpn))
                .collect(),
        };
        let token = self.programs.add(Program {
            step: *step,
            data,
            place: None,
            begun: 0,
            left: self.per_unit,
            outcome: Outcome::Good,
        });
        for (lpn, valid) in (first..).zip(pages) {
            let mut work = step.work;
            if let Work::Program { sectors, .. } = &mut work {
                *sectors = valid.count_ones() as u8;
            }
            plan.push(Step {
                work,
                after,
                lpn: Lpn(lpn),
                token,
                ..*step
            });
        }
    }

    /// The page for a program that is about to start: the first of a unit takes the place of all, the others follow in order.
    pub(super) fn bind_page(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let (token, (_, at)) = (step.token, self.split(step.lpn.0));
        let Some(mut program) = self.programs.take(token) else {
            return Bind::Declined;
        };
        let bind = self.bind_next(now, &mut program, (token, at), plane);
        self.programs.put_back(token, program);
        bind
    }

    fn bind_next(
        &mut self,
        now: SimTime,
        program: &mut Program,
        (token, at): (u32, usize),
        plane: PlaneId,
    ) -> Bind {
        if program.outcome != Outcome::Good {
            return Bind::Declined;
        }
        if program.begun as usize != at {
            return Bind::NoSpace;
        }
        let place = match program.place {
            Some(place) => place,
            None => match self.take_place(now, program, token, plane) {
                Ok(place) => place,
                Err(answer) => {
                    if answer == Bind::Declined {
                        program.outcome = Outcome::Declined;
                    }
                    return answer;
                }
            },
        };
        program.place = Some(place);
        program.begun += 1;
        if program.begun == self.per_unit {
            self.programs.all_begun(token);
        }
        Bind::Page(Bound {
            page: Ppn(self.first_of(place) + at as u64),
            skipped: 0,
        })
    }

    /// The place of a unit in the open block of its frontier.
    ///
    /// # Errors
    /// What `bind` answers where there is none now.
    fn take_place(
        &mut self,
        now: SimTime,
        program: &Program,
        token: u32,
        plane: PlaneId,
    ) -> Result<u64, Bind> {
        let step = self.units.placed(&program.step);
        if let Work::Program {
            target: Target::Frontier { frontier, .. },
            ..
        } = step.work
        {
            let space = &self.units.space;
            let frontier = space.frontier_in(plane.0, frontier, step.cause.is_of_host());
            let open = space.frontiers.active(plane.0, frontier);
            if open.is_some_and(|block| self.programs.has_unfinished(block)) {
                // a unit that has begun there goes on first
                return Err(Bind::NoSpace);
            }
        }
        match self.units.bind(now, &program.step, plane) {
            Bind::Page(bound) => {
                let block = self.units.space.blocks.block_of(bound.page.0);
                self.programs.begin_in(block, token);
                Ok(bound.page.0)
            }
            other => Err(other),
        }
    }

    /// Where a unit is now.
    pub(super) fn place_of(&self, unit: u64) -> Option<u64> {
        self.units.map.get(unit).map(|(place, _)| place)
    }
}
