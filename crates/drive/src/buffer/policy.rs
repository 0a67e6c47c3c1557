//! Replacement policies of the buffer: which page, or group of pages, leaves next.
//!
//! A policy knows slots: where the pages are kept, which requests they serve and how they get to
//! flash is the buffer's affair. Every policy is a value behind one trait; one table maps the names
//! of the configuration to constructors. Each operation is O(1) or O(log n), amortised.

mod bpac;
mod bplru;
mod ccf_lru;
mod cflru;
mod fab;
mod fifo;
mod ghosts;
mod groups;
mod list;
mod lru;
mod lru_wsr;
mod pt_lru;
mod slru;
#[cfg(test)]
mod tests;

pub(super) use list::{Links, List};

use wordline_units::Seed;

use crate::config::{BufferConfig, BufferPolicy};

/// How a page is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// What a policy lets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eviction {
    /// One page.
    Page,
    /// All buffered pages of a group, in the order of their addresses.
    Group,
    /// The same; what the group lacks is read from flash and written with it.
    PaddedGroup,
}

/// A replacement policy. It lists every slot that it was given, once, until the slot is removed or
/// evicted; a page is dirty from a write until it is cleaned.
pub(super) trait Policy: Send + std::fmt::Debug {
    /// Page `lpn` has entered in `slot`: dirty by a write, clean by a read.
    fn insert(&mut self, slot: u32, lpn: u64, access: Access);
    /// A listed page is used.
    fn hit(&mut self, slot: u32, access: Access);
    /// A listed page is on flash now, or on its way there, and stays.
    fn cleaned(&mut self, _slot: u32) {}
    /// A listed page leaves for a reason of its own.
    fn remove(&mut self, slot: u32);
    /// Chooses what leaves next, takes it out of the lists and appends its slots to `victims`;
    /// `None` when nothing is listed.
    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction>;
    /// Every listed slot, for audit and tests.
    fn listed(&self) -> Vec<u32>;
}

/// What a policy must know beside its keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Pages that the buffer holds.
    pub(super) capacity: usize,
    /// Logical pages of a group.
    pub(super) group_pages: u64,
    pub(super) seed: Seed,
}

impl Frame {
    /// A share of the capacity in pages, rounded to the nearest.
    fn pages(&self, share: f64) -> usize {
        (share * self.capacity as f64).round() as usize
    }
}

/// The table of policies.
pub(super) fn policy(config: &BufferConfig, frame: &Frame) -> Option<Box<dyn Policy>> {
    Some(match config.policy {
        BufferPolicy::None => return None,
        BufferPolicy::Fifo => Box::new(fifo::Fifo::default()),
        BufferPolicy::Lru => Box::new(lru::Lru::default()),
        BufferPolicy::Slru => Box::new(slru::Slru::new(frame.pages(config.protected))),
        BufferPolicy::Cflru => Box::new(cflru::Cflru::new(frame.pages(config.window))),
        BufferPolicy::LruWsr => Box::new(lru_wsr::LruWsr::default()),
        BufferPolicy::CcfLru => Box::new(ccf_lru::CcfLru::default()),
        BufferPolicy::PtLru => Box::new(pt_lru::PtLru::new(config.probability, frame.seed)),
        BufferPolicy::Fab => Box::new(fab::Fab::new(frame.group_pages)),
        BufferPolicy::Bplru => Box::new(bplru::Bplru::new(frame.group_pages)),
        BufferPolicy::Bpac => Box::new(bpac::Bpac::new(frame.capacity, frame.group_pages)),
    })
}
