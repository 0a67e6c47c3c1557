//! Plans: the few steps with which an FTL serves a command or a job.

mod frontier;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, ChannelId, ChipId, DieId, Geometry, PlaneId, Ppn};

pub use frontier::Frontier;
pub(crate) use frontier::{FIXED, GC, HOST, WEAR, host_frontier, next_colder, temperature_of};

/// A logical page number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lpn(pub u64);

/// Why an operation happens. Every flash operation carries its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cause {
    /// A host command asked for it.
    Host,
    /// Garbage collection.
    Gc,
    /// Move of data from a block in SLC mode to one in the normal mode.
    Fold,
    /// Merge of log blocks.
    Merge,
    /// Wear levelling.
    Wear,
    /// Look-up or update of a map kept on flash.
    Mapping,
    /// Journal, checkpoint, summary pages.
    Metadata,
    /// Retention or read-disturb refresh.
    Refresh,
    /// Delta encoding.
    Delta,
    /// Parity of a stripe.
    Parity,
    /// Padding of a partial stripe or block.
    Padding,
    /// Relocation away from a failing block.
    Repair,
    /// Recovery after a power cut.
    Recovery,
}

impl Cause {
    /// Every cause, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::Host,
        Self::Gc,
        Self::Fold,
        Self::Merge,
        Self::Wear,
        Self::Mapping,
        Self::Metadata,
        Self::Refresh,
        Self::Delta,
        Self::Parity,
        Self::Padding,
        Self::Repair,
        Self::Recovery,
    ];

    /// Whether a step serves the host side: its programs leave the reserve of collection alone.
    #[must_use]
    pub const fn is_of_host(self) -> bool {
        matches!(self, Self::Host | Self::Padding)
    }

    /// Whether programs for this cause are those of write amplification proper: they hold data of the host, at its first
    /// or a further place. Programs of the map, of metadata, parity, padding and recovery are not; they are in the
    /// total alone.
    #[must_use]
    pub const fn is_data(self) -> bool {
        match self {
            Self::Host
            | Self::Gc
            | Self::Fold
            | Self::Merge
            | Self::Wear
            | Self::Refresh
            | Self::Delta
            | Self::Repair => true,
            Self::Mapping | Self::Metadata | Self::Parity | Self::Padding | Self::Recovery => false,
        }
    }

    /// Whether programs for this cause keep data safe (FTL specification, 6.3: data-integrity writes): no write of the host and no space made for it asks for them.
    #[must_use]
    pub const fn is_data_integrity(self) -> bool {
        matches!(
            self,
            Self::Refresh | Self::Parity | Self::Padding | Self::Metadata | Self::Repair
        )
    }

    /// The name used in summaries (`ftl.pages_programmed.<cause>`).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Gc => "gc",
            Self::Fold => "fold",
            Self::Merge => "merge",
            Self::Wear => "wear",
            Self::Mapping => "mapping",
            Self::Metadata => "metadata",
            Self::Refresh => "refresh",
            Self::Delta => "delta",
            Self::Parity => "parity",
            Self::Padding => "padding",
            Self::Repair => "repair",
            Self::Recovery => "recovery",
        }
    }
}

/// The planes that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// Any plane of the drive.
    Drive,
    /// Any plane on a channel.
    Channel(ChannelId),
    /// Any plane of a chip.
    Chip(ChipId),
    /// Any plane of a die.
    Die(DieId),
    /// One plane.
    Plane(PlaneId),
}

impl Scope {
    /// The planes of a drive that belong to it.
    #[must_use]
    pub fn planes(self, geometry: &Geometry) -> Range<u32> {
        let (group, size) = match self {
            Self::Drive => (0, geometry.planes()),
            Self::Channel(channel) => (channel.0, geometry.planes() / geometry.channels),
            Self::Chip(chip) => (chip.0, geometry.planes() / geometry.chips()),
            Self::Die(die) => (die.0, geometry.planes_per_die),
            Self::Plane(plane) => (plane.0, 1),
        };
        group * size..(group + 1) * size
    }
}

/// Where a program goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A page fixed by the FTL (block-mapped schemes, merges). It waits for the programs planned
    /// before it in its block.
    Page(Ppn),
    /// The next page of a frontier's open block, bound when the program starts.
    Frontier {
        /// The stream or role.
        frontier: Frontier,
        /// The planes it may use.
        scope: Scope,
    },
    /// The next page of the open superblock of a frontier, which the mapping chooses ([`crate::Ftl::place`]) as soon as the step is ready,
    /// whatever its plane is doing. From then on it waits for the programs placed before it in its block, as for a page that is fixed.
    Stripe {
        /// The stream or role.
        frontier: Frontier,
        /// The planes it may use, as the mapping numbers them.
        scope: Scope,
    },
}

/// How far the data of an operation travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Over the channel, to or from the controller.
    Controller,
    /// Over the bus of the package only, between a die and the controller of the package.
    Package,
    /// Not out of the die's registers.
    Die,
}

/// A part of the controller that works on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A firmware core; the amount is in cycles.
    Core,
    /// An encoder or decoder; the amount is in nanoseconds.
    Codec {
        /// Sub-pages of the result that leave for the host when it is done, where a request waits for it.
        sectors: u8,
        /// Which group of the mapping's codecs works on it.
        group: u16,
    },
    /// The DRAM; the amount is in bytes.
    Dram,
}

/// What the controller does with memory that the host lends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryAccess {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Read a page and move the sub-pages of `bitmap`.
    Read {
        /// The page.
        page: Ppn,
        /// Sub-pages moved: bit i stands for sub-page i; without any, only the spare area is looked at.
        bitmap: u64,
        /// Where the data go.
        route: Route,
    },
    /// Program a page with `sectors` sub-pages of data.
    Program {
        /// Where to.
        target: Target,
        /// Sub-pages moved, 0 to 64.
        sectors: u8,
        /// Where the data come from.
        route: Route,
    },
    /// Copy a page inside its plane, replacing `new_sectors` sub-pages by new data.
    CopyBack {
        /// The page read.
        source: Ppn,
        /// Where to; in the plane of `source`.
        target: Target,
        /// Sub-pages of new data moved over the channel.
        new_sectors: u8,
    },
    /// Erase a block, once no operation is outstanding on it.
    Erase {
        /// The block.
        block: BlockId,
    },
    /// Work of the controller.
    Compute {
        /// Who works.
        unit: Unit,
        /// How much, in the unit's own measure.
        amount: u32,
    },
    /// An access to memory that the host lends the controller for tables of a mapping, over the link (NVMe: host memory buffer).
    HostMemory {
        /// What is done.
        access: MemoryAccess,
        /// Bytes that are moved.
        bytes: u32,
    },
    /// Work of the controller of a package, which has cores and a queue of its own.
    Local {
        /// The package.
        chip: ChipId,
        /// How much, in cycles.
        cycles: u32,
    },
}

/// Sub-pages of a bitmap. Most often it is of the first ones, which are counted faster than others where the processor has no
/// instruction for that.
#[inline]
#[must_use]
pub fn count_sectors(bitmap: u64) -> u32 {
    if bitmap & bitmap.wrapping_add(1) == 0 {
        bitmap.trailing_ones()
    } else {
        bitmap.count_ones()
    }
}

impl Work {
    /// The page that the work concerns from the moment at which it is planned: the page read, the source of a
    /// copy-back, the page fixed for a program.
    #[inline]
    #[must_use]
    pub fn planned_page(&self) -> Option<Ppn> {
        match *self {
            Self::Read { page, .. }
            | Self::CopyBack { source: page, .. }
            | Self::Program {
                target: Target::Page(page),
                ..
            } => Some(page),
            Self::Program { .. }
            | Self::Erase { .. }
            | Self::Compute { .. }
            | Self::HostMemory { .. }
            | Self::Local { .. } => None,
        }
    }

    /// Whether it is a read that brings data to the controller: not one of the spare area alone, nor one whose data stay
    /// on their die.
    #[inline]
    #[must_use]
    pub fn brings_data(&self) -> bool {
        matches!(
            self,
            Self::Read {
                bitmap: 1..,
                route: Route::Controller,
                ..
            }
        )
    }
}

/// One step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub work: Work,
    /// Why.
    pub cause: Cause,
    /// Whether the acknowledgement of the command waits for this step.
    pub acknowledges: bool,
    /// The steps of the same plan that must be done before: bit i stands for step i.
    pub after: u64,
    /// The logical page concerned: what the spare area of a programmed page names as its owner.
    pub lpn: Lpn,
    /// The FTL's own mark, handed back by `Ftl::done`.
    pub token: u32,
}

/// Most steps of a plan: `Step::after` has a bit for each.
pub(crate) const MOST_STEPS: usize = 64;

/// A plan: at most 64 steps, in an order compatible with their dependencies.
pub type Plan = Vec<Step>;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As wanted.
    Good,
    /// A program or erase failed.
    Failed,
    /// A read could not be corrected.
    Uncorrectable,
    /// A read has found a page that was programmed without its data: they were lost before, and the page says so.
    Lost,
    /// The step was not started: `Ftl::bind` declined it. The FTL answers with other steps.
    Declined,
}

impl Outcome {
    /// Whether a read has not brought the data that it was to bring.
    #[must_use]
    pub const fn is_unreadable(self) -> bool {
        matches!(self, Self::Uncorrectable | Self::Lost)
    }
}

/// A page chosen for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The page to program.
    pub page: Ppn,
    /// Pages of its block given up without being programmed to get there.
    pub skipped: u32,
}

/// How an FTL answers when a program on a frontier is about to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// Program this page.
    Page(Bound),
    /// The plane has no page for this frontier now; ask again when space was freed.
    NoSpace,
    /// Do not run this step at all (a wise copy-back whose parity does not fit): report it as
    /// `Outcome::Declined`.
    Declined,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sectors_are_the_bits_that_are_set(bits in any::<u64>(), first in 0_u32..65) {
            for bitmap in [bits, u64::MAX.checked_shr(first).unwrap_or(0), 1 << (bits % 64)] {
                prop_assert_eq!(count_sectors(bitmap), bitmap.count_ones());
            }
        }
    }
}
