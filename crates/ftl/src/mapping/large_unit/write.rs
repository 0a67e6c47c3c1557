//! Host requests: writes are collected in unit registers, and a unit is read as far as it must be when it is programmed.

use std::ops::Range;

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::LargeUnitFtl;
use super::programs::Data;
use super::registers::UnitWrites;
use crate::contract::Flushing;
use crate::inflight::NO_TOKEN;
use crate::map::HostMap;
use crate::plan::{Cause, Lpn, Plan, Route, Step, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::place_write;

/// Steps of a plan.
const MOST_STEPS: usize = 64;

impl LargeUnitFtl {
    pub(super) fn write(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let full = self.flash.full_bitmap();
        let new = request.bitmap & full;
        if new == 0 {
            return Answer::Accepted;
        }
        let (unit, at) = self.split(request.lpn.0);
        if let Some(register) = self.registers.of_mut(unit) {
            register.new[at] |= new;
            register.number = self.number;
            let is_whole = register.new.iter().all(|new| *new == full);
            self.units.space.counters.covered_writes += 1;
            if is_whole {
                // nothing of it is read: earlier writes of the unit may be under way
                self.close(now, unit, plan);
            }
            return Answer::Accepted;
        }
        let inflight = &self.units.inflight;
        let Ok(place) = place_write(&mut self.units.space, now, request.placement, inflight) else {
            return Answer::Refused(Refusal::NoUnit);
        };
        if let Some(oldest) = self.registers.in_turn() {
            self.close_or_postpone(now, oldest, plan);
        }
        let mut pages = vec![0; self.per_unit as usize];
        pages[at] = new;
        self.registers
            .open(unit, pages, (request.command_sectors, self.number));
        if let Some(register) = self.registers.of_mut(unit) {
            register.placement = place.identifier;
        }
        Answer::Accepted
    }

    /// Programs the unit of a register, at once or after an earlier write of the unit that has what it needs.
    fn close_or_postpone(&mut self, now: SimTime, unit: u64, plan: &mut Plan) {
        if self.needs_earlier_write(unit) {
            self.registers.postpone(unit);
        } else {
            self.close(now, unit, plan);
        }
    }

    /// Whether sub-pages of a unit that its register lacks are part of a write that is under way.
    fn needs_earlier_write(&self, unit: u64) -> bool {
        let (Some(writes), Some(register)) = (self.writes.get(&unit), self.registers.of(unit)) else {
            return false;
        };
        let lacks =
            |(lpn, (new, brought)): (u64, (&u64, &u64))| (self.valid_on_flash(lpn) | brought) & !new != 0;
        (self.first_of(unit)..)
            .zip(register.new.iter().zip(&writes.brought))
            .any(lacks)
    }

    /// Plans the reads of what the register of a unit lacks, and the programs of the unit.
    pub(super) fn close(&mut self, now: SimTime, unit: u64, plan: &mut Plan) {
        let Some((register, closed)) = self.registers.take(unit) else {
            return;
        };
        let place = self.units.map.resolve(unit).map(|(place, _)| place);
        let (mut read, mut pages) = (0, 0);
        let mut after = Vec::with_capacity(register.new.len());
        for (at, new) in register.new.iter().enumerate() {
            let lpn = self.first_of(unit) + at as u64;
            let valid = self.valid_on_flash(lpn);
            if let (Some(place), missing @ 1..) = (place, valid & !new) {
                read |= 1 << plan.len();
                let page = Ppn(self.first_of(place) + at as u64);
                plan.push(read_of_page(page, missing, Lpn(lpn), false));
            }
            after.push(valid | new);
            pages |= u64::from(valid | new != 0) << at;
        }
        let whole = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(unit),
            pages: 1,
            bitmap: pages,
            placement: 0,
            class: 0,
            command_sectors: register.command_sectors,
        };
        let mut steps = std::mem::take(&mut self.steps);
        // it covers all that the unit holds: one program
        let place = self.units.space.tenants.place_again(register.placement);
        let answer = self.units.submit_placed(now, &whole, place, &mut steps);
        debug_assert_eq!((answer, steps.len()), (Answer::Accepted, 1));
        if read != 0 {
            let counters = &mut self.units.space.counters;
            counters.covered_writes -= 1;
            counters.uncovered_writes += 1;
        }
        let writes = self.writes.entry(unit).or_insert_with(|| UnitWrites {
            count: 0,
            brought: vec![0; register.new.len()],
        });
        writes.count += 1;
        for (brought, new) in writes.brought.iter_mut().zip(&register.new) {
            *brought |= new;
        }
        let number = register.number;
        let data = Data {
            after,
            closed,
            number,
        };
        self.expand(&steps, read, Some(data), plan);
        steps.clear();
        self.steps = steps;
    }

    /// Closes registers, as many as a plan holds.
    pub(super) fn close_registers(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let of_unit = 2 * self.per_unit as usize;
        let open: Vec<u64> = self.registers.open_units().collect();
        for unit in open {
            if plan.len() + of_unit > MOST_STEPS {
                break;
            }
            self.close_or_postpone(now, unit, plan);
        }
        Flushing {
            mark: self.registers.mark(),
            goes_on: self.registers.open_units().next().is_some(),
        }
    }

    pub(super) fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let here = self.in_controller(lpn);
        let on_flash = request.bitmap & self.valid_on_flash(lpn) & !here;
        let (unit, at) = self.split(lpn);
        let place = self.units.map.get(unit).filter(|_| on_flash != 0);
        let Some((place, _)) = place else {
            return if request.bitmap & here == 0 {
                Answer::Unmapped
            } else {
                Answer::InMemory
            };
        };
        self.units.space.record_host_access(place, now);
        let page = Ppn(self.first_of(place) + at as u64);
        plan.push(read_of_page(page, on_flash, request.lpn, true));
        Answer::Accepted
    }

    pub(super) fn trim(&mut self, now: SimTime, request: &PageRequest, pages: Range<u64>) -> Answer {
        if !self.units.trims {
            return Answer::Accepted;
        }
        let (first, last) = (self.split(pages.start).0, self.split(pages.end - 1).0);
        if let Some(unit) = self.written_among(first, last) {
            // the last page of a unit is programmed last
            return Answer::WaitFor(Lpn(self.first_of(unit + 1) - 1));
        }
        let full = self.flash.full_bitmap();
        let sectors = if request.pages > 1 {
            full
        } else {
            request.bitmap & full
        };
        for lpn in pages {
            self.trim_page(now, lpn, sectors);
        }
        Answer::Accepted
    }

    /// A unit of a range of which writes are under way.
    fn written_among(&self, first: u64, last: u64) -> Option<u64> {
        if self.writes.is_empty() {
            return None;
        }
        let mut units = self.writes.keys().copied();
        units.find(|unit| (first..=last).contains(unit))
    }

    fn trim_page(&mut self, now: SimTime, lpn: u64, sectors: u64) {
        let (unit, at) = self.split(lpn);
        let valid = self.valid_on_flash(lpn);
        if (valid | self.in_controller(lpn)) & sectors == 0 {
            return;
        }
        self.units.space.counters.trimmed_pages += 1;
        self.registers.forget(unit, at, sectors);
        if valid & sectors == 0 {
            return;
        }
        let left = valid & !sectors;
        if left != 0 {
            self.partial.insert(lpn, left);
            return;
        }
        self.partial.remove(&lpn);
        if let Some(place) = self.units.map.forget(unit, 1 << at) {
            self.units.space.invalidate(place, now);
        }
    }
}

/// The read of a page for the host: of data that it asked for, or of those that a write of their unit lacks.
fn read_of_page(page: Ppn, bitmap: u64, lpn: Lpn, acknowledges: bool) -> Step {
    Step {
        work: Work::Read {
            page,
            bitmap,
            route: Route::Controller,
        },
        cause: Cause::Host,
        acknowledges,
        after: 0,
        lpn,
        token: NO_TOKEN,
    }
}
