//! The way to flash: evictions, flushes, and background writes above a watermark.

mod flushing;

use wordline_buffer::{BufferConfig, Frame, Links, List};
use wordline_nand::Geometry;

/// Why a page is written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Room is needed.
    Eviction,
    /// A flush or a forced access asked.
    Flush,
    /// Too many pages are dirty.
    Background,
}

/// Listed dirty pages in the order in which they were last written.
#[derive(Debug, Default)]
pub(super) struct WriteOrder {
    /// Only a buffer that keeps clean pages chooses by it.
    kept: bool,
    links: Links,
    list: List,
    member: Vec<bool>,
}

impl WriteOrder {
    pub(super) fn put(&mut self, slot: u32) {
        if !self.kept {
            return;
        }
        let index = slot as usize;
        if index >= self.member.len() {
            self.member.resize(index + 1, false);
        }
        if std::mem::replace(&mut self.member[index], true) {
            self.list.touch(&mut self.links, slot);
        } else {
            self.list.push(&mut self.links, slot);
        }
    }

    fn oldest(&self) -> Option<u32> {
        self.list.oldest()
    }

    pub(super) fn remove(&mut self, slot: u32) {
        if let Some(member) = self.member.get_mut(slot as usize)
            && std::mem::take(member)
        {
            self.list.remove(&mut self.links, slot);
        }
    }
}

/// Write-back between two watermarks.
#[derive(Debug)]
pub(super) struct Background {
    /// Dirty pages, or sectors where the buffer counts those, above which it starts, and at which it stops.
    high: u64,
    low: u64,
    /// Pages under way at once.
    limit: u64,
    running: bool,
    pub(super) order: WriteOrder,
}

impl Background {
    /// Dirty pages, or sectors, above which it starts.
    pub(super) fn high(&self) -> u64 {
        self.high
    }

    pub(super) fn new(config: &BufferConfig, frame: &Frame, geometry: &Geometry) -> Option<Self> {
        let high = config.dirty_high?;
        let units = |share: f64| (share * frame.capacity as f64).floor() as u64;
        let limit = config.background_limit.unwrap_or_else(|| geometry.planes());
        Some(Self {
            high: units(high),
            low: units(config.dirty_low.unwrap_or(high)),
            limit: u64::from(limit.max(1)),
            running: false,
            order: WriteOrder {
                kept: config.read_cache,
                ..WriteOrder::default()
            },
        })
    }
}
