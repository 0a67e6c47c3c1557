//! Host requests: reads, covered and un-covered writes, TRIM (allocation specification, 5; FTL
//! specification, 6.1).

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use crate::inflight::{NO_TOKEN, Newest, PendingProgram, WriteStart};
use crate::plan::{Cause, Lpn, Plan, Route, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::HOST;

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
            PageOp::Write => self.write(request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request),
        }
    }

    /// Sub-pages that hold data and are not among those written must be read first.
    fn write(&mut self, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let new = request.bitmap & self.space.geometry.full_bitmap();
        if new == 0 {
            return Answer::Accepted;
        }
        match self.inflight.start_write(lpn, new) {
            WriteStart::Wait => return Answer::Wait,
            WriteStart::Covers(version) => {
                self.space.counters.covered_writes += 1;
                self.plan_write(request.lpn, version, new, new, plan);
            }
            WriteStart::Alone => {
                let old = self.map.resolve(lpn);
                if let Some((page, _)) = old {
                    // the old page's entry is emptied when the new one is on the medium
                    self.map.prefetch_physical(page);
                }
                let after = old.map_or(0, |(_, valid)| valid) | new;
                self.inflight.begin_write(lpn, new, after);
                match old {
                    Some((page, valid)) if valid & !new != 0 => {
                        self.space.counters.uncovered_writes += 1;
                        self.plan_uncovered(request.lpn, page, after, new, plan);
                    }
                    _ => {
                        if old.is_some() {
                            self.space.counters.covered_writes += 1;
                        } else {
                            self.space.counters.first_writes += 1;
                        }
                        self.plan_write(request.lpn, 1, after, new, plan);
                    }
                }
            }
        }
        Answer::Accepted
    }

    /// One program.
    fn plan_write(&mut self, lpn: Lpn, version: u32, after: u64, new: u64, plan: &mut Plan) {
        let token = self.inflight.add(PendingProgram::Write { version, after, new });
        plan.push(self.host_program(lpn, token, after, 0));
    }

    /// A read of what is missing and a program, or a copy-back with the new data put in where
    /// source and target share the plane (SSDsim).
    fn plan_uncovered(&mut self, lpn: Lpn, page: u64, after: u64, new: u64, plan: &mut Plan) {
        let version = 1;
        let token = self.inflight.add(PendingProgram::Write { version, after, new });
        if self.placement.is_static() && self.space.copy_back.allows(page) {
            let target = self.host_target(lpn);
            let new_sectors = new.count_ones() as u8;
            plan.push(Step {
                work: Work::CopyBack {
                    source: Ppn(page),
                    target,
                    new_sectors,
                },
                cause: Cause::Host,
                acknowledges: true,
                after: 0,
                lpn,
                token,
            });
        } else {
            self.read_then_write(lpn, page, token, after, new, plan);
        }
    }

    /// The steps of an un-covered update through the controller.
    pub(super) fn read_then_write(
        &self,
        lpn: Lpn,
        page: u64,
        token: u32,
        after: u64,
        new: u64,
        plan: &mut Plan,
    ) {
        let before = 1 << plan.len();
        plan.push(Step {
            work: Work::Read {
                page: Ppn(page),
                bitmap: after & !new,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: false,
            after: 0,
            lpn,
            token: NO_TOKEN,
        });
        plan.push(self.host_program(lpn, token, after, before));
    }

    /// The program of a host write.
    pub(super) fn host_program(&self, lpn: Lpn, token: u32, after: u64, dependencies: u64) -> Step {
        Step {
            work: Work::Program {
                target: self.host_target(lpn),
                sectors: after.count_ones() as u8,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: true,
            after: dependencies,
            lpn,
            token,
        }
    }

    #[inline]
    fn host_target(&self, lpn: Lpn) -> Target {
        Target::Frontier {
            frontier: HOST,
            scope: self.placement.scope(lpn),
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
