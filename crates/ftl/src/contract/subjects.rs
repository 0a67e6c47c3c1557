//! Subjects beyond the core of the contract. A mapping hands out the trait of each subject that it has to do with; what is around a mapping passes the question on.

use super::{
    Ageable, Batches, CachedWrites, ClassedBlocks, CollectedSpace, DeltaPages, LookupTable, PageModes,
    ProgramTimes, ReadRepair, Recoverable, WriteProtection, ZonedHost,
};
use crate::host_work::LoadObserver;
use crate::refresh::Refreshing;
use crate::space::PlacedWrites;

/// Passes every subject to a macro: its name, how it is asked for and changed, and its trait.
macro_rules! for_all_subjects {
    ($with:ident) => {
        $with! {
            /// Writes, reads and moves of many pages at once, for an executor without a clock.
            Batches, batches, batches_mut: Batches;
            /// Zones, whose commands are admitted as wholes.
            Zones, zoned_host, zoned_host_mut: ZonedHost;
            /// Placement handles and reclaim groups, by which host writes are separated.
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
            /// Pools of blocks that are collected.
            Collection, collected_space, collected_space_mut: CollectedSpace;
            /// Modes in which pages are programmed.
            Modes, page_modes, page_modes_mut: PageModes;
            /// Classes of blocks that differ in strength.
            Classes, classed_blocks, classed_blocks_mut: ClassedBlocks;
            /// Building the FTL anew after a power cut.
            Recovery, recoverable, recoverable_mut: Recoverable;
            /// The end of writing when too few blocks are usable.
            WriteProtection, write_protection, write_protection_mut: WriteProtection;
            /// What the table of the mapping costs.
            Table, lookup_table, lookup_table_mut: LookupTable;
            /// Filling the drive from outside.
            Ageing, ageable, ageable_mut: Ageable;
            /// When blocks were last programmed.
            ProgramTimes, program_times, program_times_mut: ProgramTimes;
        }
    };
}
pub(super) use for_all_subjects;

macro_rules! parts {
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
    };
}

for_all_subjects!(parts);

/// The functions `part` and `part_mut` of a mapping: the subjects that it has to do with itself, some of them if a method of it says so, and those that it leaves to a mapping inside it.
///
/// `hand_out!(Batches, Refresh if has_refresh; inner: SlcCache, Table)`
#[macro_export]
macro_rules! hand_out {
    ($($subject:ident $(if $test:ident)?),* $(,)? $(; $inner:ident: $($passed:ident),+ $(,)?)?) => {
        fn part(&self, subject: $crate::Subject) -> Option<$crate::Part<'_>> {
            match subject {
                $($crate::Subject::$subject $(if self.$test())? => Some($crate::Part::$subject(self)),)*
                $($($crate::Subject::$passed)|+ => self.$inner.part(subject),)?
                _ => None,
            }
        }

        fn part_mut(&mut self, subject: $crate::Subject) -> Option<$crate::PartMut<'_>> {
            match subject {
                $($crate::Subject::$subject $(if self.$test())? => Some($crate::PartMut::$subject(self)),)*
                $($($crate::Subject::$passed)|+ => self.$inner.part_mut(subject),)?
                _ => None,
            }
        }
    };
}
