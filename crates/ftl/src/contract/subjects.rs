//! Subjects beyond the core of the contract. A mapping hands out the trait of each subject that it has to do with; what is around a mapping passes the question on.

use super::batches::Batches;
use super::deltas::DeltaPages;
use super::repairs::ReadRepair;
use super::{CachedWrites, Ftl};
use crate::host_work::LoadObserver;
use crate::refresh::Refreshing;
use crate::space::PlacedWrites;
use crate::zone::ZonedHost;

macro_rules! subjects {
    ($($(#[$doc:meta])* $subject:ident, $part:ident, $part_mut:ident: $offered:ident;)*) => {
        /// What a mapping can have to do with, beside mapping pages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Subject {
            $($(#[$doc])* $subject,)*
        }

        /// The trait of a subject, to be asked.
        #[derive(Clone, Copy)]
        #[allow(missing_debug_implementations, reason = "mappings cannot be printed")]
        pub enum Part<'a> {
            $($(#[$doc])* $subject(&'a dyn $offered),)*
        }

        /// The trait of a subject, to be changed by.
        #[allow(missing_debug_implementations, reason = "mappings cannot be printed")]
        pub enum PartMut<'a> {
            $($(#[$doc])* $subject(&'a mut dyn $offered),)*
        }

        /// Every FTL's subjects by name: none where it has nothing to do with one.
        pub trait Subjects: Ftl {
            $(
                $(#[$doc])*
                #[inline]
                fn $part(&self) -> Option<&dyn $offered> {
                    match self.part(Subject::$subject) {
                        Some(Part::$subject(part)) => Some(part),
                        _ => None,
                    }
                }

                $(#[$doc])*
                #[inline]
                fn $part_mut(&mut self) -> Option<&mut dyn $offered> {
                    match self.part_mut(Subject::$subject) {
                        Some(PartMut::$subject(part)) => Some(part),
                        _ => None,
                    }
                }
            )*

            /// What the FTL counts of its subjects begins anew.
            fn restart_subject_counts(&mut self) {
                if let Some(zoned) = self.zoned_host_mut() {
                    zoned.restart_counts();
                }
                if let Some(placed) = self.placed_writes_mut() {
                    placed.restart_counts();
                }
                if let Some(refreshing) = self.refreshing_mut() {
                    refreshing.restart_counts();
                }
                if let Some(cached) = self.cached_writes_mut() {
                    cached.restart_counts();
                }
            }
        }
    };
}

subjects! {
    /// Writes, reads and moves of many pages at once, for an executor without a clock.
    Batches, batches, batches_mut: Batches;
    /// Zones, whose commands are admitted as wholes.
    Zones, zoned_host, zoned_host_mut: ZonedHost;
    /// Placement handles and reclaim groups, by which host writes are told apart.
    Placement, placed_writes, placed_writes_mut: PlacedWrites;
    /// Blocks that are refreshed before their data fade.
    Refresh, refreshing, refreshing_mut: Refreshing;
    /// What else the host wants of the drive, by which the modes of pages are chosen.
    HostLoad, load_observer, load_observer_mut: LoadObserver;
    /// Deltas, which stand for what differs between two versions of a page.
    Deltas, delta_pages, delta_pages_mut: DeltaPages;
    /// Data that are computed where they cannot be read.
    Repairs, read_repair, read_repair_mut: ReadRepair;
    /// An SLC cache that host writes go to first.
    SlcCache, cached_writes, cached_writes_mut: CachedWrites;
}

impl<T: Ftl + ?Sized> Subjects for T {}
