//! `kind = "hot_cold"`: two uniform parts, one of them asked for more often (Rosenblum and
//! Ousterhout, 1992).

use wordline_keys::RefusedValue;
use wordline_units::Stream;

use super::classes::{draw, share};
use super::generator::Addresses;
use super::slots::{Slots, below};
use crate::config::WorkloadConfig;

/// The first share of the region is hot.
pub(crate) struct HotCold {
    slots: Slots,
    hot: u64,
    hot_requests: u64,
    /// Placement handle of writes to the hot part, if it has its own, and whether the last request went there.
    hot_placement: Option<u16>,
    was_hot: bool,
    stream: Stream,
}

impl HotCold {
    /// # Errors
    /// A region with a single slot.
    pub(crate) fn new(slots: Slots, config: &WorkloadConfig, stream: Stream) -> Result<Self, RefusedValue> {
        if slots.count() < 2 {
            return Err(RefusedValue::new(
                "workload.kind",
                "hot_cold",
                "a region in which at least two requests find room, one hot and one cold",
            ));
        }
        let hot = (slots.count() as f64 * config.hot_space).round() as u64;
        Ok(Self {
            hot: hot.clamp(1, slots.count() - 1),
            hot_requests: share(config.hot_requests),
            hot_placement: config.hot_placement,
            was_hot: false,
            slots,
            stream,
        })
    }
}

impl Addresses for HotCold {
    #[inline]
    fn next(&mut self, _: u32) -> u64 {
        self.was_hot = draw(&mut self.stream) < self.hot_requests;
        let slot = if self.was_hot {
            below(self.hot, &mut self.stream)
        } else {
            self.hot + below(self.slots.count() - self.hot, &mut self.stream)
        };
        self.slots.sector(slot)
    }

    #[inline]
    fn placement(&self) -> Option<u16> {
        self.hot_placement.filter(|_| self.was_hot)
    }
}
