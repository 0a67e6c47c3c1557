//! Subjects of an FTL by name.

use wordline_nand::{Mode, Ppn};
use wordline_units::SimTime;

use super::subjects::{Part, PartMut, Subject, for_all_subjects};
use super::{
    Ageable, Batches, CachedWrites, ClassedBlocks, CollectedSpace, DeltaPages, Ftl, LookupTable, PageModes,
    ProgramTimes, ReadRepair, Recoverable, WriteProtection, ZonedHost,
};
use crate::host_work::LoadObserver;
use crate::refresh::Refreshing;
use crate::space::PlacedWrites;

macro_rules! by_name {
    ($($(#[$doc:meta])* $subject:ident, $part:ident, $part_mut:ident: $offered:ident;)*) => {
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

            /// The mode in which a page was programmed last.
            fn mode_of(&self, page: Ppn) -> Mode {
                self.page_modes().map_or(Mode::NORMAL, |modes| modes.page_mode(page))
            }

            /// Since when the drive takes no more writes, as too few of its blocks are usable.
            fn read_only_since(&self) -> Option<SimTime> {
                self.write_protection().and_then(WriteProtection::read_only_since)
            }

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

for_all_subjects!(by_name);

impl<T: Ftl + ?Sized> Subjects for T {}
