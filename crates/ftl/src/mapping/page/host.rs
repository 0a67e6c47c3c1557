//! Host requests: reads, covered and un-covered writes, TRIM (allocation specification, 5; FTL
//! specification, 6.1).

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use crate::inflight::{NO_TOKEN, Newest, PendingProgram, WriteStart};
use crate::plan::{Cause, Lpn, Plan, Route, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};

impl PageFtl {
    /// Answers one page request.
    #[inline]
    pub(super) fn plan_request(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let user_pages = self.space.capacity.user_pages;
        if lpn >= user_pages || request.pages > user_pages - lpn {
            return Answer::Refused(Refusal::OutOfRange);
        }
        match request.op {
            PageOp::Write => self.write(now, request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request),
        }
    }

    /// Sub-pages that hold data and are not among those written must be read first.
    fn write(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let new = request.bitmap & self.space.geometry.full_bitmap();
        if new == 0 {
            return Answer::Accepted;
        }
        match self.inflight.start_write(lpn, new) {
            WriteStart::Wait => return Answer::Wait,
            WriteStart::Covers(version) => {
                self.space.counters.covered_writes += 1;
                let target = self.host_target(now, request);
                self.plan_write(
                    request.lpn,
                    target,
                    PendingProgram::Write {
                        version,
                        after: new,
                        new,
                    },
                    plan,
                );
            }
            WriteStart::Alone => {
                let old = self.map.resolve(lpn);
                if let Some((page, _)) = old {
                    // the old page's entry is emptied when the new one is on the medium
                    self.map.prefetch_physical(page);
                }
                let after = old.map_or(0, |(_, valid)| valid) | new;
                self.inflight.begin_write(lpn, new, after);
                let target = self.host_target(now, request);
                let program = PendingProgram::Write {
                    version: 1,
                    after,
                    new,
                };
                match old {
                    Some((page, valid)) if valid & !new != 0 => {
                        self.space.counters.uncovered_writes += 1;
                        self.plan_uncovered(request.lpn, target, page, program, plan);
                    }
                    _ => {
                        if old.is_some() {
                            self.space.counters.covered_writes += 1;
                        } else {
                            self.space.counters.first_writes += 1;
                        }
                        self.plan_write(request.lpn, target, program, plan);
                    }
                }
            }
        }
        Answer::Accepted
    }

    /// One program.
    fn plan_write(&mut self, lpn: Lpn, target: Target, program: PendingProgram, plan: &mut Plan) {
        let PendingProgram::Write { after, .. } = program else {
            return;
        };
        let token = self.inflight.add(program);
        plan.push(host_program(lpn, target, token, after));
    }

    /// A read of what is missing and a program, or a copy-back with the new data put in where
    /// source and target share the plane (SSDsim).
    fn plan_uncovered(
        &mut self,
        lpn: Lpn,
        target: Target,
        page: u64,
        program: PendingProgram,
        plan: &mut Plan,
    ) {
        let PendingProgram::Write { after, new, .. } = program else {
            return;
        };
        let token = self.inflight.add(program);
        let step = host_program(lpn, target, token, after);
        if self.placement.is_static() && self.space.copy_back.allows(page) {
            plan.push(Step {
                work: Work::CopyBack {
                    source: Ppn(page),
                    target,
                    new_sectors: new.count_ones() as u8,
                },
                ..step
            });
        } else {
            read_then_write(page, after & !new, step, plan);
        }
    }

    #[inline]
    fn host_target(&mut self, now: SimTime, request: &PageRequest) -> Target {
        Target::Frontier {
            frontier: self.separation.frontier(now, request),
            scope: self.placement.scope(request.lpn),
        }
    }

    fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        match self.inflight.newest(lpn, request.bitmap) {
            Newest::OnMedium => {}
            Newest::Unmapped => return Answer::Unmapped,
            Newest::InMemory => return Answer::InMemory,
            Newest::Mixed => return Answer::Wait,
        }
        // a read materializes nothing: that would touch two memory pages that may never have been touched
        let Some((page, valid)) = self.map.get(lpn).filter(|(_, valid)| valid & request.bitmap != 0) else {
            return Answer::Unmapped;
        };
        self.space.note_host_access(page, now);
        plan.push(Step {
            work: Work::Read {
                page: Ppn(page),
                bitmap: valid & request.bitmap,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: true,
            after: 0,
            lpn: request.lpn,
            token: NO_TOKEN,
        });
        Answer::Accepted
    }

    fn trim(&mut self, now: SimTime, request: &PageRequest) -> Answer {
        if !self.trims {
            return Answer::Accepted;
        }
        let range = request.lpn.0..request.lpn.0 + request.pages.max(1);
        if self.inflight.overlaps(&range) {
            return Answer::Wait;
        }
        let full = self.space.geometry.full_bitmap();
        let bitmap = if request.pages > 1 {
            full
        } else {
            request.bitmap & full
        };
        for lpn in range {
            let valid = self.map.bitmap(lpn);
            if valid & bitmap == 0 {
                continue;
            }
            self.space.counters.trimmed_pages += 1;
            if let Some(page) = self.map.forget(lpn, bitmap) {
                self.space.invalidate(page, now);
            }
        }
        Answer::Accepted
    }
}

/// The program of a host write.
pub(super) fn host_program(lpn: Lpn, target: Target, token: u32, after: u64) -> Step {
    Step {
        work: Work::Program {
            target,
            sectors: after.count_ones() as u8,
            route: Route::Controller,
        },
        cause: Cause::Host,
        acknowledges: true,
        after: 0,
        lpn,
        token,
    }
}

/// The steps of an un-covered update through the controller: the `missing` sub-pages are read before the program.
pub(super) fn read_then_write(page: u64, missing: u64, program: Step, plan: &mut Plan) {
    let before = 1 << plan.len();
    plan.push(Step {
        work: Work::Read {
            page: Ppn(page),
            bitmap: missing,
            route: Route::Controller,
        },
        acknowledges: false,
        token: NO_TOKEN,
        ..program
    });
    plan.push(Step {
        after: before,
        ..program
    });
}
