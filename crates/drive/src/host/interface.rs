//! The host interface: submission queues, the fetching of commands, the way of the data.
//!
//! NVMe has a queue pair for each client and arbitration between them; SATA has one queue for all. In
//! both a command waits at the host while its queue is full, in its queue until the controller fetches
//! it, and is in the drive from then on. Where `host.interface = "ideal"` there is none of this.

use std::collections::VecDeque;

use wordline_ftl::PageOp;
use wordline_units::{Duration, SECTOR_BYTES, SimTime};
use wordline_workload::HostOp;

use super::arbiter::Arbiter;
use super::clients::Tenant;
use super::gather::Gather;
use super::link::Link;
use crate::config::{HostConfig, InterfaceKind};
use crate::drive::{Drive, Event};

/// Queues and link.
#[derive(Debug)]
pub(crate) struct Interface {
    pub(crate) link: Link,
    /// Which pages of a write wait for each other, if any do.
    pub(crate) gather: Option<Gather>,
    queues: Vec<Queue>,
    arbiter: Arbiter,
    /// Commands of a queue submitted and not completed at most.
    depth: u32,
    /// Commands that the controller could still take.
    slots: u32,
    doorbell: Duration,
    fetch: Duration,
    completion: Duration,
    fetching: bool,
    /// When the fetch began.
    fetch_from: SimTime,
    /// The commands that are being fetched.
    fetched: Vec<u32>,
}

/// A submission queue and what stands before it.
#[derive(Debug, Default)]
struct Queue {
    /// Commands that wait at the host for a place in the queue.
    outside: VecDeque<u32>,
    /// Commands that the controller knows of and has not fetched.
    ring: VecDeque<u32>,
    /// Commands in the queue, on their way to it, or fetched and not completed.
    taken: u32,
}

impl Interface {
    /// The interface of `[host]` for these clients, unless it is ideal.
    pub(crate) fn new(config: &HostConfig, tenants: &[Tenant], gather: Option<Gather>) -> Option<Self> {
        let nvme = &config.nvme;
        let (link, queues, arbiter, depth, slots, doorbell, fetch, completion) = match config.interface {
            InterfaceKind::Ideal => return None,
            InterfaceKind::Nvme => {
                let priorities: Vec<_> = tenants.iter().map(|tenant| tenant.priority).collect();
                (
                    Link::pcie(&config.pcie),
                    tenants.len(),
                    Arbiter::new(nvme, &priorities),
                    nvme.queue_depth,
                    nvme.command_slots,
                    nvme.doorbell,
                    nvme.fetch,
                    nvme.completion,
                )
            }
            InterfaceKind::Sata => {
                let (none, tags) = (Duration::ZERO, config.sata.tags);
                (
                    Link::sata(&config.sata),
                    1,
                    Arbiter::single(),
                    tags,
                    tags,
                    none,
                    none,
                    none,
                )
            }
        };
        Some(Self {
            link,
            gather,
            queues: (0..queues).map(|_| Queue::default()).collect(),
            arbiter,
            depth,
            slots,
            doorbell,
            fetch,
            completion,
            fetching: false,
            fetch_from: SimTime::ZERO,
            fetched: Vec::new(),
        })
    }

    /// The queue of a client.
    fn queue_of(&self, client: u32) -> usize {
        (client as usize).min(self.queues.len() - 1)
    }
}

fn bytes(sectors: u32) -> u64 {
    u64::from(sectors) * u64::from(SECTOR_BYTES)
}

impl Drive {
    /// The host hands a command to its queue, or straight to the drive where there is no interface.
    pub(super) fn hand_over(&mut self, id: u32) {
        let client = self.requests[id].client;
        match &mut self.interface {
            None => self.admit(id),
            Some(interface) => {
                let queue = interface.queue_of(client);
                interface.queues[queue].outside.push_back(id);
                self.submit_commands(queue);
            }
        }
    }

    /// Puts waiting commands into a queue while it has room, and rings the doorbell.
    fn submit_commands(&mut self, queue: usize) {
        while let Some(interface) = &mut self.interface {
            let entry = &mut interface.queues[queue];
            if entry.taken >= interface.depth {
                return;
            }
            let Some(id) = entry.outside.pop_front() else {
                return;
            };
            entry.taken += 1;
            if interface.doorbell > Duration::ZERO {
                let seen = self.now + interface.doorbell;
                self.schedule(seen, Event::Doorbell(id));
            } else {
                self.doorbell(id);
            }
        }
    }

    /// The controller sees a command in its queue.
    pub(crate) fn doorbell(&mut self, id: u32) {
        let client = self.requests[id].client;
        if let Some(interface) = &mut self.interface {
            let queue = interface.queue_of(client);
            interface.queues[queue].ring.push_back(id);
            self.fetch_commands();
        }
    }

    /// Fetches from the queue whose turn it is, unless a fetch is on its way or no slot is free.
    fn fetch_commands(&mut self) {
        let now = self.now;
        let Some(interface) = &mut self.interface else {
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
        self.schedule(done, Event::Fetched);
    }

    /// The commands that were being fetched are in the drive.
    pub(crate) fn commands_fetched(&mut self) {
        let Some(interface) = &mut self.interface else {
            return;
        };
        interface.fetching = false;
        let mut fetched = std::mem::take(&mut interface.fetched);
        let fetch_ns = (self.now.since(interface.fetch_from) + interface.doorbell).ns();
        for &id in &fetched {
            self.requests[id].fetch_ns = fetch_ns;
            self.admit(id);
        }
        fetched.clear();
        if let Some(interface) = &mut self.interface {
            interface.fetched = fetched;
        }
        self.fetch_commands();
    }

    /// When the data of a piece of a write are in the drive.
    pub(super) fn data_in(&mut self, id: u32, op: PageOp, sectors: u32) -> SimTime {
        let Some(interface) = &mut self.interface else {
            return self.now;
        };
        let request = &mut self.requests[id];
        if op != PageOp::Write || request.command.op != HostOp::Write {
            return self.now;
        }
        let first = request.unmoved == request.command.sectors;
        request.unmoved -= sectors;
        interface.link.data_in(self.now, bytes(sectors), first)
    }

    /// Sectors of a read have left the flash: they go to the host while others are still on their way.
    pub(crate) fn data_out_to_host(&mut self, id: u32, sectors: u32) {
        let Some(interface) = &mut self.interface else {
            return;
        };
        let request = &mut self.requests[id];
        let sectors = sectors.min(request.unmoved);
        if request.command.op == HostOp::Read && sectors > 0 {
            let first = request.unmoved == request.command.sectors;
            request.unmoved -= sectors;
            interface.link.data_out(self.now, bytes(sectors), first);
        }
    }

    /// The drive has done what a command asked for: the rest of its data, and the completion, go to
    /// the host.
    pub(crate) fn answer(&mut self, id: u32) {
        // what the flash did not have: buffered and unmapped sectors
        self.data_out_to_host(id, u32::MAX);
        match &mut self.interface {
            None => self.finish_command(id),
            Some(interface) => {
                let done = interface.link.completion(self.now) + interface.completion;
                self.schedule(done, Event::Answered(id));
            }
        }
    }

    /// A command is completed: its place in the queue and in the controller is free.
    pub(super) fn free_slot(&mut self, client: u32) {
        if let Some(interface) = &mut self.interface {
            let queue = interface.queue_of(client);
            interface.queues[queue].taken -= 1;
            interface.slots += 1;
            self.submit_commands(queue);
            self.fetch_commands();
        }
    }
}
