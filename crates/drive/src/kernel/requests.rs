//! Requests that wait for their turn before they are let into the flash, where the scheduler has them wait.

use wordline_ftl::Lpn;
use wordline_scheduler::RequestKind;
use wordline_units::{Duration, SimTime};
use wordline_workload::HostOp;

use super::Drive;
use crate::features::Features;

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
        let mut next = requests.take_next(now);
        if next.is_none() && nothing_follows {
            next = requests.take_first(now);
        }
        while let Some((id, shares)) = next {
            self.admit(id);
            let Some(requests) = self.requests.as_mut() else {
                return;
            };
            for share in shares {
                let unit = share.unit as usize;
                requests.units_mut()[unit] = self.array.unit_load(unit, now);
            }
            next = requests.take_next(now);
        }
    }
}
