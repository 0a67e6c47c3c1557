//! What a replacement policy is: the trait, and its row. One file for each policy; their table is in `registry`.

pub(crate) mod bpac;
pub(crate) mod bplru;
pub(crate) mod ccf_lru;
pub(crate) mod cflru;
pub(crate) mod fab;
pub(crate) mod fifo;
mod ghosts;
mod groups;
mod list;
pub(crate) mod lru;
pub(crate) mod lru_wsr;
pub(crate) mod pt_lru;
mod sized;
pub(crate) mod slru;
#[cfg(test)]
mod tests;

pub use list::{Links, List};

use wordline_keys::{Entry, Keys, Parameters, RefusedValue};
use wordline_units::Seed;

/// How a page is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A read, of the host or from flash.
    Read,
    /// A write of the host.
    Write,
}

/// What a policy evicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// One page.
    Page,
    /// All buffered pages of a group, in the order of their addresses.
    Group,
    /// The same; what the group lacks is read from flash and written with it.
    PaddedGroup {
        /// Logical pages of a group, at least 1; the address of its first page is a multiple of it.
        pages: u64,
    },
}

/// A replacement policy. It lists every slot that it was given, once, until the slot is removed or
/// evicted; a page is dirty from a write until it is cleaned.
pub trait BufferPolicy: Send + std::fmt::Debug {
    /// Page `lpn` has entered in `slot`: dirty by a write, clean by a read. Slots are numbered from 0, and the numbers of
    /// slots that have left are used again.
    fn insert(&mut self, slot: u32, lpn: u64, access: Access);
    /// A listed page is used.
    fn hit(&mut self, slot: u32, access: Access);
    /// A listed page is on flash now, or on its way there, and stays.
    fn cleaned(&mut self, _slot: u32) {}
    /// A listed page takes so many sectors of the buffer now. Where the buffer counts sectors, this is told of every page
    /// right after it was inserted, and when it changes; where it counts pages, never.
    fn resized(&mut self, _slot: u32, _sectors: u32) {}
    /// A listed page leaves for a reason of its own.
    fn remove(&mut self, slot: u32);
    /// Chooses what leaves next, takes it out of the lists and appends its slots, at least one, to `victims`;
    /// `None` when nothing is listed.
    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction>;
    /// Every listed slot, for audit and tests.
    fn listed(&self) -> Vec<u32>;
}

/// The buffer that a policy is made for.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// What the buffer holds, at least a page: pages, or sectors where it counts those.
    pub capacity: usize,
    /// What a whole page takes of it, at least 1: one page, or its sectors.
    pub page: usize,
    /// Whether the buffer counts sectors.
    pub is_by_sector: bool,
    /// Pages of a block of the array.
    pub pages_per_block: u64,
    /// Seed of what a policy draws.
    pub seed: Seed,
}

impl Frame {
    /// A share of the capacity in its unit, rounded to the nearest number of whole pages.
    #[must_use]
    pub fn share(&self, share: f64) -> usize {
        (share * (self.capacity / self.page) as f64).round() as usize * self.page
    }
}

/// What makes a policy for a buffer.
pub type BuildBuffer = fn(&Parameters<BufferRow>, &Frame) -> Box<dyn BufferPolicy>;

/// A replacement policy in its table.
#[derive(Clone, Copy)]
pub struct BufferRow {
    /// What it says of itself. A policy that does not read `buffer.read_cache` holds only pages that are not on flash yet.
    pub entry: Entry,
    /// Whether it chooses between clean and dirty pages, so that it must have a read cache.
    pub needs_clean_pages: bool,
    /// What of it is reconstructed, where its source does not say all; notes of a run tell it.
    pub reconstructed: Option<&'static str>,
    /// Checks the values of its keys.
    pub check: fn(&Parameters<Self>) -> Result<(), RefusedValue>,
    /// Makes it; none where there is no buffer.
    pub build: Option<BuildBuffer>,
}

impl BufferRow {
    /// A policy of single pages without keys, with a read cache or without.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, build: BuildBuffer) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys: Keys::NONE,
                reads: &["buffer.read_cache"],
            },
            needs_clean_pages: false,
            reconstructed: None,
            check: |_| Ok(()),
            build: Some(build),
        }
    }

    /// The policy with these keys in `[buffer]`, and what checks them.
    #[must_use]
    pub const fn with_keys(
        mut self,
        keys: Keys,
        check: fn(&Parameters<Self>) -> Result<(), RefusedValue>,
    ) -> Self {
        self.entry.keys = keys;
        self.check = check;
        self
    }
}

/// `buffer.policy = "none"`.
pub(crate) const NONE: BufferRow = BufferRow {
    entry: Entry {
        name: "none",
        help: "No buffer: every request goes to the FTL.",
        keys: Keys::NONE,
        reads: &[],
    },
    needs_clean_pages: false,
    reconstructed: None,
    check: |_| Ok(()),
    build: None,
};

/// Checks that a share is from 0 to 1.
///
/// # Errors
/// It is not.
pub fn check_share(key: &'static str, share: f64) -> Result<(), RefusedValue> {
    if (0.0..=1.0).contains(&share) {
        Ok(())
    } else {
        Err(RefusedValue::new(key, share, "from 0 to 1"))
    }
}
