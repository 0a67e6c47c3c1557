//! Reclaim groups: parts of the drive in which a host can have its data (NVM Express TP4146), each with reclaim units of its own for every handle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_nand::{ChannelId, ChipId, DieId, Geometry};

use crate::plan::Scope;

/// No handle: the identifier, and in a reclaim group the handle, of writes without a directive, and of data of no handle in particular.
pub(crate) const NO_HANDLE: u16 = 0;

/// What a reclaim group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupSpan {
    /// The drive.
    #[default]
    Drive,
    /// The dies of a channel.
    Channel,
    /// The dies of a chip.
    Chip,
    /// A die.
    Die,
}

impl GroupSpan {
    /// The name used in configurations.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::Channel => "channel",
            Self::Chip => "chip",
            Self::Die => "die",
        }
    }
}

/// The reclaim groups of a drive, and how placement identifiers name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReclaimGroups {
    span: GroupSpan,
    count: u32,
    planes: u32,
}

impl ReclaimGroups {
    pub(crate) const fn new(geometry: &Geometry, span: GroupSpan) -> Self {
        let count = match span {
            GroupSpan::Drive => 1,
            GroupSpan::Channel => geometry.channels,
            GroupSpan::Chip => geometry.chips(),
            GroupSpan::Die => geometry.dies(),
        };
        Self {
            span,
            count,
            planes: geometry.planes() / count,
        }
    }

    /// How many there are.
    pub(crate) const fn count(self) -> u32 {
        self.count
    }

    /// Planes of each, which follow each other.
    pub(crate) const fn planes(self) -> u32 {
        self.planes
    }

    /// Bits of an identifier that are the handle: those below the number of the reclaim group (RGIF).
    const fn handle_bits(self) -> u32 {
        let of_group = u32::BITS - (self.count - 1).leading_zeros();
        u16::BITS.saturating_sub(of_group)
    }

    /// Whether identifiers have room for the groups and so many handles.
    pub(crate) const fn fit(self, handles: u16) -> bool {
        let bits = self.handle_bits();
        self.count <= 1 << u16::BITS && (bits == u16::BITS || handles as u32 <= 1 << bits)
    }

    /// The reclaim group and the handle of an identifier; none of a group that there is not.
    pub(crate) fn split(self, identifier: u16) -> Option<(u32, u16)> {
        let bits = self.handle_bits();
        let (group, handle) = match bits {
            u16::BITS => (0, identifier),
            bits => (u32::from(identifier >> bits), identifier & ((1 << bits) - 1)),
        };
        (group < self.count).then_some((group, handle))
    }

    /// The same of a write with a directive.
    pub(crate) fn asked(self, identifier: u16) -> Option<(u32, u16)> {
        self.split(identifier).filter(|_| identifier != NO_HANDLE)
    }

    /// The identifier of a handle in a reclaim group.
    pub(crate) const fn join(self, group: u32, handle: u16) -> u16 {
        match self.handle_bits() {
            u16::BITS => handle,
            bits => ((group as u16) << bits) | handle,
        }
    }

    /// The planes of a reclaim group.
    pub(crate) const fn scope(self, group: u32) -> Scope {
        match self.span {
            GroupSpan::Drive => Scope::Drive,
            GroupSpan::Channel => Scope::Channel(ChannelId(group)),
            GroupSpan::Chip => Scope::Chip(ChipId(group)),
            GroupSpan::Die => Scope::Die(DieId(group)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nand::GeometryConfig;

    fn groups(span: GroupSpan) -> (Geometry, ReclaimGroups) {
        let config = GeometryConfig {
            channels: 3,
            chips_per_channel: 2,
            dies_per_chip: 2,
            planes_per_die: 2,
            ..GeometryConfig::default()
        };
        let geometry = Geometry::new(&config).unwrap();
        (geometry, ReclaimGroups::new(&geometry, span))
    }

    /// Three channels need two bits, six chips three, twelve dies four; what is left is the handle.
    #[test]
    fn identifiers_have_the_group_in_their_upper_bits() {
        for (span, count, bits) in [
            (GroupSpan::Drive, 1, 16),
            (GroupSpan::Channel, 3, 14),
            (GroupSpan::Chip, 6, 13),
            (GroupSpan::Die, 12, 12),
        ] {
            let (geometry, groups) = groups(span);
            assert_eq!((groups.count(), groups.handle_bits()), (count, bits));
            let mut planes = Vec::new();
            for group in 0..count {
                let identifier = groups.join(group, 5);
                assert_eq!(u32::from(identifier), (group << bits) % (1 << 16) + 5);
                assert_eq!(groups.split(identifier), Some((group, 5)));
                let scope = groups.scope(group).planes(&geometry);
                assert_eq!(scope.len() as u32, groups.planes());
                planes.extend(scope);
            }
            assert!(planes.into_iter().eq(0..geometry.planes()));
        }
        let (_, channels) = groups(GroupSpan::Channel);
        // the fourth group of two bits does not exist
        assert_eq!(channels.split(0xC005), None);
        assert_eq!(channels.split(0xBFFF), Some((2, 0x3FFF)));
        assert!(channels.fit(1 << 14) && !channels.fit((1 << 14) + 1));
        // a group of each identifier, and one more
        let most = ReclaimGroups {
            count: 1 << 16,
            ..channels
        };
        let more = ReclaimGroups {
            count: (1 << 16) + 1,
            ..channels
        };
        assert!(most.fit(1) && !most.fit(2) && !more.fit(1));
    }
}
