//! Cutting of commands into page-sized pieces.

use wordline_ftl::{Lpn, PageOp, PageRequest};
use wordline_metrics::Part;
use wordline_units::SimTime;
use wordline_workload::HostCommand;

use super::SubRequest;
use crate::drive::{Drive, Event};
use crate::operation::Owner;

impl Drive {
    /// Cuts a read or write into the pages that it touches.
    pub(super) fn cut(&mut self, request: u32, command: &HostCommand, op: PageOp, fetched: SimTime) {
        let per_page = self.host.sectors_per_page;
        let mut sector = command.sector;
        let end = sector + u64::from(command.sectors);
        while sector < end {
            let lpn = self.host.page_of(sector);
            let first = sector - lpn * per_page;
            let count = (per_page - first).min(end - sector);
            let page = PageRequest {
                op,
                lpn: Lpn(lpn),
                pages: 1,
                bitmap: (u64::MAX >> (64 - count)) << first,
                placement: command.placement,
                command_sectors: command.sectors,
            };
            let moved = self.data_in(request, op, page.bitmap.count_ones());
            match self
                .interface
                .as_mut()
                .and_then(|interface| interface.gather.as_mut())
            {
                Some(gather) if moved > self.now => {
                    if gather.is_over(moved) {
                        self.release_group(request, command.fua, fetched);
                    }
                    self.gather(page, moved);
                }
                _ => self.piece(request, page, command.fua, fetched, moved),
            }
            sector += count;
        }
        self.release_group(request, command.fua, fetched);
    }

    /// Adds a page whose data are in the drive at `moved` to the group that is being made.
    fn gather(&mut self, page: PageRequest, moved: SimTime) {
        if let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        {
            gather.add(page, moved);
        }
    }

    /// Hands the pages of a group on together, when the data of the last are there.
    fn release_group(&mut self, request: u32, fua: bool, fetched: SimTime) {
        let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        else {
            return;
        };
        let group = gather.take();
        if let Some(&(_, last)) = group.last() {
            for &(page, _) in &group {
                self.piece(request, page, fua, fetched, last);
            }
        }
        if let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        {
            gather.give_back(group);
        }
    }

    /// Cuts a TRIM into its partial first and last page and the run of whole pages between.
    pub(super) fn cut_trim(&mut self, request: u32, command: &HostCommand, fetched: SimTime) {
        let per_page = self.host.sectors_per_page;
        let whole = self.flash.geometry.full_bitmap();
        let end = command.sector + u64::from(command.sectors);
        let mut sector = command.sector;
        while sector < end {
            let lpn = sector / per_page;
            let first = sector - lpn * per_page;
            let (pages, bitmap) = if first == 0 && end - sector >= per_page {
                ((end - sector) / per_page, whole)
            } else {
                let count = (per_page - first).min(end - sector);
                (1, (u64::MAX >> (64 - count)) << first)
            };
            let page = PageRequest {
                op: PageOp::Trim,
                lpn: Lpn(lpn),
                pages,
                bitmap,
                placement: command.placement,
                command_sectors: command.sectors,
            };
            self.piece(request, page, false, fetched, self.now);
            sector = (lpn + pages) * per_page;
        }
    }

    /// Hands one page-sized piece on, after the firmware has looked it up; its data are in the drive at `moved`.
    fn piece(&mut self, request: u32, page: PageRequest, fua: bool, fetched: SimTime, moved: SimTime) {
        self.requests_wait_for(request, 1);
        let account = self.open_account(request);
        let sub = SubRequest {
            owner: Owner::Request(request),
            page,
            fua,
            account,
        };
        if self.firmware.enabled() {
            let cost = &self.firmware.cost;
            let allocation = if page.op == PageOp::Write {
                cost.allocation
            } else {
                0
            };
            let cycles = cost.buffer + cost.map_lookup + allocation;
            let cost_of_fetch = cost.fetch_and_split;
            let ready = self.charge_request(request, cycles).max(fetched);
            if moved <= ready {
                let all = cycles + cost_of_fetch;
                self.charge_firmware(account, all, ready);
            }
            self.charge(account, Part::Link, moved);
            let ready = ready.max(moved);
            let id = self.sub_requests.insert(sub);
            self.schedule(ready, Event::SubRequestReady(id));
        } else if moved > self.now {
            self.charge(account, Part::Link, moved);
            let id = self.sub_requests.insert(sub);
            self.schedule(moved, Event::SubRequestReady(id));
        } else {
            self.serve(&sub);
        }
    }
}
