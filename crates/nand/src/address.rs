//! Typed flat numbers of the levels, and the full physical address.
//!
//! Every level is numbered flat over the drive, channel outermost, so that what lies below a
//! level is a contiguous range: planes of a die, blocks of a plane, pages of a block.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! flat_number {
    ($(#[$doc:meta] $name:ident($int:ty) $what:literal;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $int);

        impl $name {
            /// The number as an index.
            #[must_use]
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($what, " {}"), self.0)
            }
        }
    )*};
}

flat_number! {
    /// A channel, 0..channels.
    ChannelId(u32) "channel";
    /// A chip (ONFI target), flat over the drive.
    ChipId(u32) "chip";
    /// A die (ONFI LUN), flat over the drive.
    DieId(u32) "die";
    /// A plane, flat over the drive.
    PlaneId(u32) "plane";
    /// A block, flat over the drive.
    BlockId(u32) "block";
    /// A physical page number, flat over the drive.
    Ppn(u64) "page";
}

/// A physical page spelled out by level, each number relative to the level above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageAddress {
    /// Channel in the drive.
    pub channel: u32,
    /// Chip on the channel.
    pub chip: u32,
    /// Die in the chip.
    pub die: u32,
    /// Plane in the die.
    pub plane: u32,
    /// Block in the plane.
    pub block: u32,
    /// Page in the block.
    pub page: u32,
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "channel {} chip {} die {} plane {} block {} page {}",
            self.channel, self.chip, self.die, self.plane, self.block, self.page
        )
    }
}
