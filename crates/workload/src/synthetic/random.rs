//! `kind = "random"`: addresses uniform over the region.

use wordline_units::Stream;

use super::generator::Addresses;
use super::slots::{Slots, below};

/// Uniform addresses.
pub(crate) struct Random {
    slots: Slots,
    stream: Stream,
}

impl Random {
    pub(crate) const fn new(slots: Slots, stream: Stream) -> Self {
        Self { slots, stream }
    }
}

impl Addresses for Random {
    #[inline]
    fn next(&mut self, _: u32) -> u64 {
        self.slots.sector(below(self.slots.count(), &mut self.stream))
    }
}
