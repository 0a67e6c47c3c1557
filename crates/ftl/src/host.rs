//! Host requests under any mapping: reads, covered and un-covered writes, TRIM (allocation specification, 5; FTL
//! specification, 6.1).

use wordline_nand::Ppn;
use wordline_units::SimTime;

use crate::inflight::{InFlight, NO_TOKEN, Newest, PendingProgram, WriteStart};
use crate::map::HostMap;
use crate::plan::{Cause, Lpn, Outcome, Plan, Route, Step, Target, Work, count_sectors};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::FlashSpace;

/// What serves the requests of the host.
pub(crate) struct HostRequests<'a, M, T> {
    pub(crate) space: &'a mut FlashSpace,
    pub(crate) map: &'a mut M,
    pub(crate) inflight: &'a mut InFlight,
    /// Whether TRIM has an effect.
    pub(crate) trims: bool,
    /// Whether a page keeps its plane for life, so that it may be updated by copy-back.
    pub(crate) is_static: bool,
    /// Where a host write goes.
    pub(crate) target: T,
}

impl<M: HostMap, T: FnMut(&PageRequest) -> Target> HostRequests<'_, M, T> {
    /// Answers one page request.
    #[inline]
    pub(crate) fn plan(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let user_pages = self.space.capacity.user_pages;
        if lpn >= user_pages || request.pages > user_pages - lpn {
            return Answer::Refused(Refusal::OutOfRange);
        }
        match request.op {
            PageOp::Write => self.write(request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request),
            PageOp::Zone(_) => Answer::Refused(Refusal::InvalidField),
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
                let target = (self.target)(request);
                self.plan_write(
                    request.lpn,
                    target,
                    PendingProgram::Write {
                        placement: request.placement,
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
                let target = (self.target)(request);
                let program = PendingProgram::Write {
                    placement: request.placement,
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
        if self.is_static && self.space.copy_back.allows(page) {
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

    fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let (answer, wanted) = match self.inflight.newest(lpn, request.bitmap) {
            Newest::OnMedium => (Answer::Accepted, request.bitmap),
            Newest::Mixed(on_medium) => (Answer::PartlyInMemory, on_medium),
            Newest::Unmapped => return Answer::Unmapped,
            Newest::InMemory => return Answer::InMemory,
        };
        // a read materializes nothing: that would touch two memory pages that may never have been touched
        let Some((page, valid)) = self.map.get(lpn).filter(|(_, valid)| valid & wanted != 0) else {
            return Answer::Unmapped;
        };
        self.space.record_host_access(page, now);
        let read = Step {
            work: Work::Read {
                page: Ppn(page),
                bitmap: valid & wanted,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: true,
            after: 0,
            lpn: request.lpn,
            token: NO_TOKEN,
        };
        self.space.tenants.plan_read(&self.space.geometry, read, plan);
        answer
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
            let valid = self.map.get(lpn).map_or(0, |(_, valid)| valid);
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
pub(crate) fn host_program(lpn: Lpn, target: Target, token: u32, after: u64) -> Step {
    Step {
        work: Work::Program {
            target,
            sectors: count_sectors(after) as u8,
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
pub(crate) fn read_then_write(page: u64, missing: u64, program: Step, plan: &mut Plan) {
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

/// The program that a step which has ended made pending; none of steps that change no map, whose failures are counted.
#[inline]
pub(crate) fn pending_program(
    space: &mut FlashSpace,
    inflight: &InFlight,
    step: &Step,
    outcome: Outcome,
) -> Option<PendingProgram> {
    match step.work {
        Work::Program { .. } | Work::CopyBack { .. } => inflight.get(step.token),
        Work::Read { .. } => {
            if outcome.is_unreadable() && !step.cause.is_of_host() {
                space.counters.unreadable_moves += 1;
            }
            None
        }
        Work::Erase { .. } | Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => None,
    }
}

/// A host write is on the medium: it takes effect unless a newer one has. The page whose data it replaces, if any.
#[inline]
pub(crate) fn commit_write<M: HostMap>(
    space: &mut FlashSpace,
    map: &mut M,
    inflight: &mut InFlight,
    now: SimTime,
    (lpn, version, after): (u64, u32, u64),
    page: u64,
) -> Option<u64> {
    let block = space.blocks.block_of(page);
    let mut replaced = None;
    if inflight.commit(lpn, version) {
        space.blocks.validate(block, 1);
        replaced = map.map(lpn, page, after);
        if let Some(old) = replaced {
            space.invalidate(old, now);
        }
    } else {
        space.counters.overtaken_writes += 1;
    }
    space.end_program(now, block);
    replaced
}

/// The program of a host write failed or was declined: the same again through the controller.
pub(crate) fn retry_write<M: HostMap>(map: &M, step: &Step, (after, new): (u64, u64), plan: &mut Plan) {
    match (step.work, map.get(step.lpn.0)) {
        (Work::CopyBack { target, .. }, Some((old, _))) => {
            let program = host_program(step.lpn, target, step.token, after);
            read_then_write(old, after & !new, program, plan);
        }
        (Work::Program { target, .. } | Work::CopyBack { target, .. }, _) => {
            plan.push(host_program(step.lpn, target, step.token, after));
        }
        _ => {}
    }
}
