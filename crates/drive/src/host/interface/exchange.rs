//! Commands on their way through queues and link.

use wordline_ftl::{MemoryAccess, PageOp, PageRequest};
use wordline_units::{Duration, SimTime};
use wordline_workload::HostOp;

use super::bytes;
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::host::Host;

impl<F: Features> Host<F> {
    /// The host hands a command to its queue, or straight to the drive where there is no interface: then true.
    #[inline]
    pub(crate) fn hand_over(&mut self, id: u32, clock: &mut Clock) -> bool {
        let client = self.requests[id].client;
        match self.interface.as_mut() {
            None => true,
            Some(interface) => {
                let queue = interface.queue_of(client);
                interface.queues[queue].outside.push_back(id);
                self.submit_commands(queue, clock);
                false
            }
        }
    }

    /// Puts waiting commands into a queue while it has room, and rings the doorbell.
    fn submit_commands(&mut self, queue: usize, clock: &mut Clock) {
        while let Some(interface) = self.interface.as_mut() {
            let entry = &mut interface.queues[queue];
            if entry.taken >= interface.depth {
                return;
            }
            let Some(id) = entry.outside.pop_front() else {
                return;
            };
            entry.taken += 1;
            if interface.doorbell > Duration::ZERO {
                let seen = clock.now() + interface.doorbell;
                clock.schedule(seen, Event::Doorbell(id));
            } else {
                self.doorbell(id, clock);
            }
        }
    }

    /// The controller sees a command in its queue.
    pub(crate) fn doorbell(&mut self, id: u32, clock: &mut Clock) {
        let client = self.requests[id].client;
        if let Some(interface) = self.interface.as_mut() {
            let queue = interface.queue_of(client);
            interface.queues[queue].ring.push_back(id);
            self.fetch_commands(clock);
        }
    }

    /// Fetches from the queue whose turn it is, unless a fetch is on its way or no slot is free.
    pub(crate) fn fetch_commands(&mut self, clock: &mut Clock) {
        let now = clock.now();
        let Some(interface) = self.interface.as_mut() else {
            return;
        };
        if interface.fetching {
            return;
        }
        let queues = &mut interface.queues;
        let waiting = |queue: usize| queues[queue].ring.len() as u32;
        let Some((queue, count)) = interface.arbiter.next(interface.slots, waiting) else {
            return;
        };
        interface
            .fetched
            .extend(queues[queue].ring.drain(..count as usize));
        interface.slots -= count;
        interface.fetching = true;
        interface.fetch_from = now;
        let moved = interface.link.commands(now, count);
        let done = moved.max(now + interface.fetch);
        clock.schedule(done, Event::Fetched);
    }

    /// The commands that were being fetched, which are in the drive now; [`Self::fetched`] takes the list back.
    pub(crate) fn take_fetched(&mut self, now: SimTime) -> Vec<u32> {
        let Some(interface) = self.interface.as_mut() else {
            return Vec::new();
        };
        interface.fetching = false;
        let fetched = std::mem::take(&mut interface.fetched);
        let fetch_ns = (now.since(interface.fetch_from) + interface.doorbell).ns();
        for &id in &fetched {
            self.requests[id].fetch_ns = fetch_ns;
        }
        fetched
    }

    /// The commands of the last fetch are admitted: the next fetch begins.
    pub(crate) fn fetched(&mut self, mut commands: Vec<u32>, clock: &mut Clock) {
        commands.clear();
        if let Some(interface) = self.interface.as_mut() {
            interface.fetched = commands;
        }
        self.fetch_commands(clock);
    }

    /// When the data of a piece are in the drive: now, but for those of a write that come over the link.
    #[inline]
    pub(crate) fn data_in(&mut self, now: SimTime, id: u32, piece: &PageRequest) -> SimTime {
        let Some(interface) = self.interface.as_mut() else {
            return now;
        };
        let request = &mut self.requests[id];
        if piece.op != PageOp::Write || !request.command.op.sends_data() {
            return now;
        }
        let sectors = piece.bitmap.count_ones();
        let first = request.unmoved == request.command.sectors;
        request.unmoved -= sectors;
        interface.link.data_in(now, bytes(sectors), first)
    }

    /// Sectors of a read have left the flash: they go to the host while others are still on their way.
    #[inline]
    pub(crate) fn data_out(&mut self, now: SimTime, id: u32, sectors: u32) {
        let Some(interface) = self.interface.as_mut() else {
            return;
        };
        let request = &mut self.requests[id];
        let sectors = sectors.min(request.unmoved);
        if request.command.op == HostOp::Read && sectors > 0 {
            let first = request.unmoved == request.command.sectors;
            request.unmoved -= sectors;
            interface.link.data_out(now, bytes(sectors), first);
        }
    }

    /// The controller reads or writes memory that the host lends it: when it has the data, or these are on their way's end; none
    /// without a link.
    pub(crate) fn access_memory(
        &mut self,
        now: SimTime,
        access: MemoryAccess,
        bytes: u32,
    ) -> Option<SimTime> {
        let link = &mut self.interface.as_mut()?.link;
        Some(match access {
            MemoryAccess::Read => link.data_in(now, u64::from(bytes), false),
            MemoryAccess::Write => link.data_out(now, u64::from(bytes), false),
        })
    }

    /// The drive has done what a command asked for: the rest of its data, and the completion, go to
    /// the host. True where the host has them at once.
    #[inline]
    pub(crate) fn answer(&mut self, id: u32, clock: &mut Clock) -> bool {
        // what the flash did not have: buffered and unmapped sectors
        self.data_out(clock.now(), id, u32::MAX);
        let is_read = self.requests[id].command.op == HostOp::Read;
        match self.interface.as_mut() {
            None => true,
            Some(interface) => {
                let done = interface.link.completion(clock.now(), is_read) + interface.completion;
                clock.schedule(done, Event::Answered(id));
                false
            }
        }
    }

    /// A command is completed: its place in the queue and in the controller is free.
    #[inline]
    pub(crate) fn free_slot(&mut self, client: u32, clock: &mut Clock) {
        if let Some(interface) = self.interface.as_mut() {
            let queue = interface.queue_of(client);
            interface.queues[queue].taken -= 1;
            interface.slots += 1;
            self.submit_commands(queue, clock);
            self.fetch_commands(clock);
        }
    }

    /// Time that the link was busy towards the drive and towards the host, where there is a link.
    pub(crate) fn link_busy(&self) -> Option<(Duration, Duration)> {
        let link = &self.interface.as_ref()?.link;
        Some((link.busy_to_drive, link.busy_to_host))
    }
}
