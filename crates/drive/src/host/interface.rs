//! The host interface: submission queues, the fetching of commands, the way of the data.
//!
//! NVMe has a queue pair for each client and arbitration between them; SATA, UFS and eMMC have one queue for all. In
//! each a command waits at the host while its queue is full, in its queue until the controller fetches
//! it, and is in the drive from then on. Where `host.interface = "ideal"` there is none of this.

mod exchange;

use std::collections::VecDeque;

use wordline_config::{HostConfig, InterfaceKind};
use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use super::arbiter::Arbiter;
use super::clients::Tenant;
use super::gather::Gather;
use super::link::Link;

/// Queues and link.
#[derive(Debug)]
pub(crate) struct Interface {
    pub(super) link: Link,
    /// Which pages of a write wait for each other, if any do.
    pub(super) gather: Option<Gather>,
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
            InterfaceKind::Sata | InterfaceKind::Ufs | InterfaceKind::Emmc => {
                let none = Duration::ZERO;
                let (link, tags) = match config.interface {
                    InterfaceKind::Ufs => (Link::ufs(&config.ufs), config.ufs.tags),
                    InterfaceKind::Emmc => (Link::emmc(&config.emmc), config.emmc.tags),
                    _ => (Link::sata(&config.sata), config.sata.tags),
                };
                (link, 1, Arbiter::single(), tags, tags, none, none, none)
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
