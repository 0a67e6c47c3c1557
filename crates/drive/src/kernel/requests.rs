//! Requests that wait for their turn before they are let into the flash, where the scheduler has them wait.

use wordline_ftl::{Lpn, PageOp, PageRequest};
use wordline_nand::PlaneId;
use wordline_scheduler::{RequestKind, UnitLoad};
use wordline_units::{Duration, SimTime};
use wordline_workload::HostOp;

use super::Drive;
use crate::array::classes::{CLASSES, HOST_PROGRAMS};
use crate::features::Features;
use crate::operation::NONE;

impl<F: Features> Drive<F> {
    /// A command enters the drive, or waits for its turn.
    #[inline]
    pub(super) fn enter(&mut self, id: u32) {
        if !self.requests.is_some() || !self.wait_for_turn(id) {
            self.admit(id);
        }
    }

    /// Has a command wait for its turn. False where it needs none: it has no pages, or will be refused.
    #[inline(never)]
    fn wait_for_turn(&mut self, id: u32) -> bool {
        let Some((command, pages)) = self.host.pages_of_command(id) else {
            return false;
        };
        let kind = match command.op {
            HostOp::Read => RequestKind::Read,
            HostOp::Write => RequestKind::Write,
            HostOp::WriteZeroes if !self.host.trims() => RequestKind::Write,
            HostOp::WriteZeroes | HostOp::Trim => RequestKind::Other,
            HostOp::Flush => return false,
        };
        let Some(requests) = self.requests.as_mut() else {
            return false;
        };
        let program = self.array.operation_times().program;
        let lived = self.control.lifetime(self.clock.now());
        let mut times: Vec<(u32, Duration)> = Vec::new();
        for page in pages.clone() {
            let flash = self.array.flash();
            let (unit, time) = match kind {
                RequestKind::Write => (flash.unit_of_plane(requests.plane(page)), program),
                // a page that holds nothing takes no time of the flash
                RequestKind::Read => match self.control.ftl().lookup(Lpn(page)) {
                    Some(page) => {
                        let (_, die) = flash.place_of(page);
                        (flash.unit_of(die), self.array.estimated_read(page, lived))
                    }
                    None => continue,
                },
                RequestKind::Other => break,
            };
            times.push((unit as u32, time));
        }
        requests.push((id, kind, command.arrival), pages, times.into_iter());
        true
    }

    /// Lets requests in that may go now, where any wait and something has changed.
    #[inline]
    pub(super) fn admit_waiting(&mut self) {
        let Some(requests) = self.requests.as_mut() else {
            return;
        };
        let changed = !self.array.flash().marked.is_empty();
        let nothing_follows = !changed && self.clock.next_time() == SimTime::NEVER;
        if requests.begin_look(changed || nothing_follows) {
            self.choose_requests(self.clock.now(), nothing_follows);
        }
    }

    /// Lets requests in as the scheduler chooses; the first that may go, where it chooses none and nothing else will ever happen.
    #[inline(never)]
    fn choose_requests(&mut self, now: SimTime, nothing_follows: bool) {
        let Some(requests) = self.requests.as_mut() else {
            return;
        };
        self.array.unit_loads(now, requests.units_mut());
        for unit in 0..self.array.flash().units.len() {
            self.tell_strong_pages(unit);
        }
        let Some(requests) = self.requests.as_mut() else {
            return;
        };
        let mut next = requests.take_next(now);
        if next.is_none() && nothing_follows {
            next = requests.take_first(now);
        }
        while let Some((id, shares)) = next {
            self.admit(id);
            let Some(requests) = self.requests.as_mut() else {
                return;
            };
            for share in &shares {
                let unit = share.unit as usize;
                requests.units_mut()[unit] = self.array.unit_load(unit, now);
            }
            for share in shares {
                self.tell_strong_pages(share.unit as usize);
            }
            let Some(requests) = self.requests.as_mut() else {
                return;
            };
            next = requests.take_next(now);
        }
    }

    /// Where blocks have classes, adds to the load of a unit what strong blocks change of it: programs that wait and go to such blocks take
    /// less time, and the pages that are promised to them are no longer offered.
    fn tell_strong_pages(&mut self, unit: usize) {
        let Some(requests) = self.requests.as_mut() else {
            return;
        };
        let classes = requests.savings().len();
        if classes == 0 {
            return;
        }
        let (flash, ftl) = (self.array.flash(), self.control.ftl());
        let mut load: UnitLoad = requests.units_mut()[unit];
        for (class, free) in (1..).zip(&mut load.strong[..classes]) {
            let of_plane = |plane: u32| ftl.free_pages_of_class(PlaneId(plane), class);
            *free = flash.planes_in_unit(unit).map(of_plane).sum();
        }
        let mut op = flash.queues[unit * CLASSES + HOST_PROGRAMS].head;
        while op != NONE {
            let class = ftl.class_of(&self.array.ops()[op].step);
            if class > 0 {
                let place = usize::from(class) - 1;
                load.strong[place] = load.strong[place].saturating_sub(1);
                load.idle_from = SimTime(load.idle_from.ns() - requests.savings()[place].ns());
            }
            op = self.array.next_of(op);
        }
        requests.units_mut()[unit] = load;
    }

    /// A page of a request that is let in, with the class of blocks that the scheduler has chosen for it.
    #[inline]
    pub(super) fn with_class(&mut self, page: PageRequest) -> PageRequest {
        if page.op != PageOp::Write || !self.requests.is_some() {
            return page;
        }
        self.classified(page)
    }

    #[inline(never)]
    fn classified(&mut self, page: PageRequest) -> PageRequest {
        let Some(requests) = self.requests.as_mut() else {
            return page;
        };
        let unit = self.array.flash().unit_of_plane(requests.plane(page.lpn.0));
        PageRequest {
            class: requests.take_class(unit as u32),
            ..page
        }
    }
}
