//! Whose turn it is among the channels, chips, dies and planes of a drive with dynamic allocation.

use wordline_nand::{ChannelId, DieId, PlaneId};

use super::DynamicOrder;

/// The turns that a drive with a clock and an executor without one take up from each other.
#[derive(Clone, Debug)]
pub struct ChannelTurns {
    /// The turns within each channel.
    pub order: DynamicOrder,
    /// The channel that is looked at first.
    pub first: u32,
}

impl ChannelTurns {
    /// Turns at their start.
    #[must_use]
    pub const fn new(order: DynamicOrder) -> Self {
        Self { order, first: 0 }
    }

    /// The plane of an idle die whose turn it is, in the first channel that has one; it has had its turn then.
    #[inline]
    pub(crate) fn next_idle(&mut self, idle: impl Fn(PlaneId) -> bool) -> Option<PlaneId> {
        let geometry = self.order.geometry();
        let (channels, planes) = (geometry.channels, geometry.planes_per_die);
        let idle = |DieId(die)| idle(PlaneId(die * planes));
        let mut in_turn = (self.first..channels).chain(0..self.first);
        let plane = in_turn.find_map(|channel| self.order.first_slot(ChannelId(channel), idle))?;
        self.order.advance(plane);
        Some(plane)
    }

    /// So many pages are being programmed: the first channel goes on (array specification, section 2.3).
    #[inline]
    pub(crate) fn programs_issued(&mut self, pages: u64) {
        let channels = u64::from(self.order.geometry().channels);
        self.first = ((u64::from(self.first) + pages) % channels) as u32;
    }
}
