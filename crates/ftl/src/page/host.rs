//! Host requests: reads, covered and un-covered writes, TRIM (allocation specification, 5; FTL
//! specification, 6.1).

use std::collections::hash_map::Entry;

use wordline_nand::{ChannelId, Ppn, Use};
use wordline_units::SimTime;

use super::frontiers::HOST;
use super::tasks::{Flight, Task};
use super::{NO_TOKEN, PageFtl, Placement};
use crate::contract::{Answer, PageOp, PageRequest, Refusal};
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Target, Work};

impl PageFtl {
    /// Serves one page request.
    #[inline]
    pub(super) fn serve(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let user_pages = self.capacity.user_pages;
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
        let new = request.bitmap & self.geometry.full_bitmap();
        if new == 0 {
            return Answer::Accepted;
        }
        match self.flights.entry(lpn) {
            Entry::Occupied(mut entry) => {
                let flight = entry.get_mut();
                if flight.pending & !new != 0 {
                    return Answer::Wait;
                }
                flight.newest += 1;
                flight.outstanding += 1;
                flight.pending = new;
                flight.bitmap = new;
                let version = flight.newest;
                self.facts.covered_writes += 1;
                self.plan_write(request.lpn, version, new, new, plan);
            }
            Entry::Vacant(entry) => {
                let old = self.map.recall(lpn);
                if let Some((page, _)) = old {
                    // the old page's entry is emptied when the new one is on the medium
                    self.map.prefetch_physical(page);
                }
                let valid = old.map_or(0, |(_, valid)| valid);
                let after = valid | new;
                entry.insert(Flight {
                    newest: 1,
                    committed: 0,
                    outstanding: 1,
                    pending: after,
                    bitmap: new,
                });
                match old {
                    Some((page, valid)) if valid & !new != 0 => {
                        self.facts.uncovered_writes += 1;
                        self.plan_uncovered(request.lpn, page, after, new, plan);
                    }
                    _ => {
                        if old.is_some() {
                            self.facts.covered_writes += 1;
                        } else {
                            self.facts.first_writes += 1;
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
        let token = self.tasks.add(Task::Write { version, after, new });
        plan.push(self.host_program(lpn, token, after, 0));
    }

    /// A read of what is missing and a program, or a copy-back with the new data put in where
    /// source and target share the plane (SSDsim).
    fn plan_uncovered(&mut self, lpn: Lpn, page: u64, after: u64, new: u64, plan: &mut Plan) {
        let version = 1;
        let token = self.tasks.add(Task::Write { version, after, new });
        let one_plane = matches!(self.placement, Placement::Static(_));
        if self.copyback != Use::Off && one_plane && self.may_hop(page) {
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
            scope: self.host_scope(lpn),
        }
    }

    /// Where allocation may put a logical page.
    #[inline]
    pub(super) fn host_scope(&self, lpn: Lpn) -> Scope {
        match &self.placement {
            Placement::Full => Scope::Drive,
            Placement::Static(order) => Scope::Plane(order.plane(lpn)),
            Placement::ChannelBound => {
                Scope::Channel(ChannelId((lpn.0 % u64::from(self.geometry.channels)) as u32))
            }
        }
    }

    fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        if !self.flights.is_empty()
            && let Some(flight) = self.flights.get(&lpn)
            // The newest write may have overtaken older ones: its data are on flash then.
            && flight.committed != flight.newest
        {
            let wanted = request.bitmap & flight.pending;
            return if wanted == 0 {
                Answer::Unmapped
            } else if wanted & !flight.bitmap == 0 {
                Answer::InMemory
            } else {
                Answer::Wait
            };
        }
        // a read notes nothing of the past: to note a page touches two memory pages that may never have been touched
        let Some((page, valid)) = self.map.get(lpn).filter(|(_, valid)| valid & request.bitmap != 0) else {
            return Answer::Unmapped;
        };
        if self.watches_idleness() {
            let pool = self.blocks.pool_of(self.blocks.block_of(page));
            self.pools[pool as usize].last_host = now;
        }
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
        if !self.config.trim.enabled {
            return Answer::Accepted;
        }
        let range = request.lpn.0..request.lpn.0 + request.pages.max(1);
        if self.flies_in(&range) {
            return Answer::Wait;
        }
        let full = self.geometry.full_bitmap();
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
            self.facts.trimmed_pages += 1;
            if let Some(page) = self.map.forget(lpn, bitmap) {
                self.invalidate(page, now);
            }
        }
        Answer::Accepted
    }

    /// Whether a write of a page in the range is under way.
    fn flies_in(&self, range: &std::ops::Range<u64>) -> bool {
        if (self.flights.len() as u64) < range.end - range.start {
            self.flights.keys().any(|lpn| range.contains(lpn))
        } else {
            range.clone().any(|lpn| self.flights.contains_key(&lpn))
        }
    }
}
