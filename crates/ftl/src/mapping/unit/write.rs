//! Host requests: writes are collected in page registers until they fill a page.

use wordline_units::SimTime;

use super::UnitFtl;
use super::pages::{Change, Unit};
use crate::contract::{Flushing, Ftl};
use crate::host::HostRequests;
use crate::map::HostMap;
use crate::plan::{Cause, Frontier, Plan, Route, Scope, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::{NoUnit, place_write};

/// Most programs that one flush plans.
const MOST_PROGRAMS: usize = 64;

impl UnitFtl {
    /// Answers one request.
    pub(super) fn serve(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let (lpn, user) = (request.lpn.0, self.user_pages());
        if lpn >= user || request.pages > user - lpn {
            return Answer::Refused(Refusal::OutOfRange);
        }
        match request.op {
            PageOp::Write => self.write(now, request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request, plan),
            PageOp::Zone(_) => Answer::Refused(Refusal::InvalidField),
        }
    }

    fn write(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let new = request.bitmap & self.units.geometry().full_bitmap();
        if new == 0 {
            return Answer::Accepted;
        }
        let scope = self.units.placement.scope(request.lpn);
        let found = self.pages.find(lpn, scope);
        let pending = self.units.inflight.pending(lpn).filter(|_| found.is_none());
        if pending.is_some_and(|pending| pending & !new != 0) {
            return self.wait_for(lpn);
        }
        let (space, inflight) = (&mut self.units.space, &self.units.inflight);
        let place = match place_write(space, now, request.placement, inflight) {
            Ok(place) => place,
            Err(NoUnit) => return Answer::Refused(Refusal::NoUnit),
        };
        self.units.locate(request.lpn);
        if let Some((token, at)) = found {
            // the classifier hears of every write
            self.units.separation.frontier(now, request);
            self.units.space.counters.covered_writes += 1;
            let unit = &mut self.pages.page_mut(token).units[at];
            unit.sectors |= new;
            if let Change::Write { here, number, .. } = &mut unit.change {
                *here |= new;
                *number = self.number;
            }
            return Answer::Accepted;
        }
        let (sectors, missing) = match pending {
            Some(_) => (new, None),
            None => match self.units.map.resolve(lpn) {
                Some((place, valid)) if valid & !new != 0 => (valid | new, Some((place, valid & !new))),
                old => {
                    if let Some((place, _)) = old {
                        // the old place's entry is emptied when the new one is on the medium
                        self.units.map.prefetch_physical(place);
                    }
                    (new, None)
                }
            },
        };
        let of_temperature = self.units.separation.frontier(now, request);
        let frontier = place.frontier.unwrap_or(of_temperature);
        let identifier = place.frontier.map_or(0, |_| place.identifier);
        if let Some(other) = self.pages.open_of_other(frontier, scope, identifier) {
            self.close_padded(other, plan);
        }
        let token = self.pages.open(frontier, scope, identifier);
        let counted = missing.is_some();
        let change = Change::Write {
            here: new,
            version: 0,
            counted,
            number: self.number,
        };
        let most = self.units_of_register();
        let page = self.pages.page_mut(token);
        page.units.push(Unit { lpn, sectors, change });
        let is_full = page.units.len() == most;
        if let Some((place, missing)) = missing {
            page.reads += 1;
            self.units.space.counters.uncovered_writes += 1;
            plan.push(Step {
                work: Work::Read {
                    page: self.page_of(place),
                    bitmap: self.in_page(place, missing),
                    route: Route::Controller,
                },
                cause: Cause::Host,
                acknowledges: true,
                after: 0,
                lpn: request.lpn,
                token,
            });
        }
        if is_full {
            self.close(token, plan);
        }
        Answer::Accepted
    }

    /// A page takes no more units: its program is planned, or follows the last read that it waits for.
    fn close(&mut self, token: u32, plan: &mut Plan) {
        self.pages.close(token);
        let page = self.pages.page_mut(token);
        for unit in &mut page.units {
            if let Change::Write { here, version, .. } = &mut unit.change {
                *version = self.units.inflight.begin_covering(unit.lpn, *here, unit.sectors);
            }
        }
        if page.reads == 0 {
            self.plan_programs(token, plan);
        }
    }

    /// Plans the programs of the pages that the units of a closed register fill.
    pub(super) fn plan_programs(&mut self, token: u32, plan: &mut Plan) {
        let per_page = self.per_page as usize;
        while self.pages.page_mut(token).units.len() > per_page {
            let first = self.pages.split(token, per_page);
            plan.push(self.pages.page_mut(first).program(first, 0));
        }
        plan.push(self.pages.page_mut(token).program(token, 0));
    }

    /// Plans the programs of the pages in the registers, padded.
    pub(super) fn program_registers(&mut self, plan: &mut Plan) -> Flushing {
        let most = MOST_PROGRAMS + 1 - self.together as usize;
        while let Some(token) = self.pages.next_register().filter(|_| plan.len() < most) {
            self.close_padded(token, plan);
        }
        Flushing {
            mark: self.pages.mark(),
            goes_on: self.pages.next_register().is_some(),
        }
    }

    /// A page takes no more units, although it may not be full.
    fn close_padded(&mut self, token: u32, plan: &mut Plan) {
        let used = self.pages.page_mut(token).units.len() as u64;
        let whole = used.next_multiple_of(u64::from(self.per_page));
        self.units.space.counters.padding.host_units += whole - used;
        self.close(token, plan);
    }

    fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let scope = self.units.placement.scope(request.lpn);
        if let Some((token, at)) = self.pages.find(lpn, scope) {
            let unit = self.pages.unit(token, at);
            let wanted = request.bitmap & unit.sectors;
            return match unit.change {
                _ if wanted == 0 => Answer::Unmapped,
                Change::Write { here, .. } if wanted & !here != 0 => {
                    let rest = PageRequest {
                        bitmap: wanted & !here,
                        ..*request
                    };
                    match self.read_units(now, &rest, plan) {
                        Answer::Accepted => Answer::PartlyInMemory,
                        answer => answer,
                    }
                }
                _ => Answer::InMemory,
            };
        }
        self.read_units(now, request, plan)
    }

    /// Reads what no register has.
    fn read_units(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.ask_units(now, request, plan);
        for step in plan {
            if let Work::Read { page, bitmap, .. } = &mut step.work {
                *bitmap = self.in_page(page.0, *bitmap);
                *page = self.page_of(page.0);
            }
        }
        answer
    }

    fn trim(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let range = lpn..lpn + request.pages.max(1);
        if self.units.trims && !self.units.inflight.overlaps(&range) {
            let full = self.units.geometry().full_bitmap();
            let bitmap = if request.pages > 1 { full } else { request.bitmap };
            let open: Vec<u32> = self.pages.registers().map(|(_, token)| token).collect();
            for token in open {
                self.pages.page_mut(token).units.retain_mut(|unit| {
                    if range.contains(&unit.lpn) {
                        unit.sectors &= !bitmap;
                        if let Change::Write { here, .. } = &mut unit.change {
                            *here &= !bitmap;
                        }
                    }
                    unit.sectors != 0
                });
            }
        }
        match self.ask_units(now, request, plan) {
            Answer::Wait if request.pages == 1 => self.wait_for(lpn),
            answer => answer,
        }
    }

    /// What the page-level FTL of units answers to what is no write.
    fn ask_units(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let units = &mut self.units;
        let mut requests = HostRequests {
            space: &mut units.space,
            map: &mut units.map,
            inflight: &mut units.inflight,
            trims: units.trims,
            is_static: false,
            target: |_: &PageRequest| Target::Frontier {
                frontier: Frontier(0),
                scope: Scope::Drive,
            },
        };
        requests.plan(now, request, plan)
    }

    /// A request waits for the program that has its logical page.
    fn wait_for(&self, lpn: u64) -> Answer {
        match self.pages.lead_of(lpn) {
            Some(lead) if lead != lpn => Answer::WaitFor(crate::plan::Lpn(lead)),
            _ => Answer::Wait,
        }
    }
}
