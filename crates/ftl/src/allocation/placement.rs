//! Where allocation may put a logical page.

use wordline_nand::{ChannelId, Geometry};

use super::{AllocationConfig, AllocationMode, DynamicMode, StaticOrder};
use crate::plan::{Lpn, Scope};

/// The planes that the host writes of a logical page may go to.
#[derive(Clone, Debug)]
pub(crate) enum HostPlacement {
    /// The plane that the logical page number gives.
    Static(StaticOrder),
    /// Any plane.
    Full,
    /// Any plane of the channel that the logical page number gives, of so many channels.
    ChannelBound(u32),
}

impl HostPlacement {
    pub(crate) fn new(geometry: &Geometry, config: &AllocationConfig) -> Self {
        match (config.mode, config.dynamic) {
            (AllocationMode::Static, _) => Self::Static(StaticOrder::new(geometry, config.order)),
            (AllocationMode::Dynamic, DynamicMode::Full) => Self::Full,
            (AllocationMode::Dynamic, DynamicMode::ChannelBound) => Self::ChannelBound(geometry.channels),
        }
    }

    /// The planes for a logical page.
    #[inline]
    pub(crate) fn scope(&self, lpn: Lpn) -> Scope {
        match self {
            Self::Full => Scope::Drive,
            Self::Static(order) => Scope::Plane(order.plane(lpn)),
            Self::ChannelBound(channels) => Scope::Channel(ChannelId((lpn.0 % u64::from(*channels)) as u32)),
        }
    }

    /// How many scopes logical pages have, by their numbers.
    pub(crate) const fn scopes(&self, geometry: &Geometry) -> u32 {
        match self {
            Self::Full => 1,
            Self::Static(_) => geometry.planes(),
            Self::ChannelBound(channels) => *channels,
        }
    }

    /// Whether a logical page keeps its plane for life.
    pub(crate) const fn is_static(&self) -> bool {
        matches!(self, Self::Static(_))
    }
}
