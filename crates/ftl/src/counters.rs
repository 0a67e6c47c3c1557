//! What an FTL counts.

mod delta;

use serde::{Deserialize, Serialize};

pub use delta::DeltaCounters;

/// Counts since the drive was built or `reset_counters` was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FtlCounters {
    /// Writes of logical pages without data.
    pub first_writes: u64,
    /// Updates that cover all valid sub-pages, writes that overtake older ones included.
    pub covered_writes: u64,
    /// Updates that need the old page read.
    pub uncovered_writes: u64,
    /// Logical pages of which TRIM took sub-pages.
    pub trimmed_pages: u64,
    /// Writes that had taken effect too late: a newer version was there before them.
    pub overtaken_writes: u64,
    /// Blocks chosen by garbage collection.
    pub gc_victims: u64,
    /// Valid pages in them when they were chosen.
    pub gc_victim_valid_pages: u64,
    /// Pages relocated by garbage collection.
    pub gc_moves: u64,
    /// Relocations that a host write superseded, before or after the copy was made.
    pub superseded_moves: u64,
    /// Blocks whose content static wear levelling moved.
    pub wear_swaps: u64,
    /// Pages relocated by static wear levelling.
    pub wear_moves: u64,
    /// Pages that either of them moved although their data could not be corrected.
    pub unreadable_moves: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Pages given up for the parity of blind copy-backs.
    pub skipped_copy_back: u64,
    /// Pages given up to align blind multi-plane programs.
    pub skipped_multi_plane: u64,
    /// Blocks retired after a failed erase or program.
    pub retired_blocks: u64,
    /// Programs that failed.
    pub failed_programs: u64,
    /// Erases that failed.
    pub failed_erases: u64,
    /// Free blocks of the pool, summed over the host programs bound.
    pub free_blocks_sum: u64,
    /// Host programs bound.
    pub host_programs: u64,
    /// Times a host program found no space in its plane.
    pub no_space: u64,
    /// Merges of a mapping of blocks; none under one of pages.
    pub merges: MergeCounts,
    /// Look-ups of a map on flash; none where the controller's memory has all of it.
    pub table: TableCounters,
    /// Mapping units that were programmed without data; none where the unit is the page.
    pub padding: PaddingCounters,
    /// Placement by the host; none where handles are ignored.
    pub placement: PlacementCounters,
    /// Overwrites as deltas; none under mappings without them.
    pub delta: DeltaCounters,
    /// The SLC cache; none without one.
    pub slc: SlcCounters,
    /// The parity of superpages; none without it.
    pub parity: ParityCounters,
    /// Checkpoints of the map that were completed; none without a journal. Not saved here: the journal counts them.
    #[serde(skip)]
    pub checkpoints: u64,
}

/// What the parity of superpages has brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParityCounters {
    /// Reads whose data were computed from the other pages of their superpage.
    pub recovered: u64,
    /// Reads that could not be corrected, and for which one of the others could not be read either or which had none.
    pub unrecovered: u64,
    /// Pages without data that completed a superpage.
    pub padded: u64,
    /// Reads that were not attempted, as their block is not read any more.
    pub degraded: u64,
    /// Blocks that are not read any more, as too many of their pages could not be.
    pub unreadable_members: u64,
    /// Pages that were computed and programmed on a spare block.
    pub rebuilt_pages: u64,
    /// Members of superblocks all of whose pages were.
    pub rebuilt_members: u64,
    /// Pages that were programmed anew after the host had read them and their data had been computed.
    pub rewritten: u64,
}

impl ParityCounters {
    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            recovered: self.recovered - before.recovered,
            unrecovered: self.unrecovered - before.unrecovered,
            padded: self.padded - before.padded,
            degraded: self.degraded - before.degraded,
            unreadable_members: self.unreadable_members - before.unreadable_members,
            rebuilt_pages: self.rebuilt_pages - before.rebuilt_pages,
            rebuilt_members: self.rebuilt_members - before.rebuilt_members,
            rewritten: self.rewritten - before.rewritten,
        }
    }
}

/// The work of an SLC cache, in pages or mapping units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlcCounters {
    /// Of the host, programmed in SLC mode.
    pub cached_pages: u64,
    /// Of the host, programmed in the normal mode.
    pub direct_pages: u64,
    /// Moved to blocks in the normal mode.
    pub folded_pages: u64,
    /// Blocks that were chosen for that.
    pub folded_blocks: u64,
    /// Times a host program waited until a block had been folded.
    pub waits: u64,
}

impl SlcCounters {
    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            cached_pages: self.cached_pages - before.cached_pages,
            direct_pages: self.direct_pages - before.direct_pages,
            folded_pages: self.folded_pages - before.folded_pages,
            folded_blocks: self.folded_blocks - before.folded_blocks,
            waits: self.waits - before.waits,
        }
    }
}

/// What became of the placement handles of host writes (FTL specification, 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacementCounters {
    /// Times that a handle was given open blocks of its own.
    pub opened: u64,
    /// Those for which another handle lost them.
    pub evicted: u64,
    /// Times that the host released a handle that had some.
    pub released: u64,
    /// Blocks that were opened for handles, by the host or collection.
    pub blocks_opened: u64,
    /// Blocks that were closed before they were full, since their handle lost them or was released.
    pub blocks_closed: u64,
    /// Pages with a handle that were written among those without one, as no open blocks were left.
    pub defaulted: u64,
    /// Pages whose write was refused, as no open blocks were left.
    pub refused: u64,
}

impl PlacementCounters {
    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            opened: self.opened - before.opened,
            evicted: self.evicted - before.evicted,
            released: self.released - before.released,
            blocks_opened: self.blocks_opened - before.blocks_opened,
            blocks_closed: self.blocks_closed - before.blocks_closed,
            defaulted: self.defaulted - before.defaulted,
            refused: self.refused - before.refused,
        }
    }
}

/// Places of mapping units in programmed pages that hold nothing from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaddingCounters {
    /// In pages of host writes, which a flush had programmed before they were full.
    pub host_units: u64,
    /// In pages of relocated units.
    pub moved_units: u64,
}

impl PaddingCounters {
    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            host_units: self.host_units - before.host_units,
            moved_units: self.moved_units - before.moved_units,
        }
    }
}

/// Use of a map that is on flash (FTL specification, 2.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCounters {
    /// Entries that requests of the host looked up.
    pub lookups: u64,
    /// Those that were in the cache.
    pub hits: u64,
    /// Translation pages read to bring an entry.
    pub fetched_pages: u64,
    /// Entries that came beside the one that was looked up.
    pub prefetched: u64,
    /// Entries (translation pages, where the cache holds these) that left the cache.
    pub evicted: u64,
    /// Those that were changed: a translation page was written.
    pub evicted_dirty: u64,
    /// Translation pages written because collection had moved pages whose entries were not cached.
    pub collection_updates: u64,
    /// Translation pages written because an entry had left the cache before the write of its page was done.
    pub late_updates: u64,
    /// Bytes of the cache that were read from memory of the host.
    pub host_bytes_read: u64,
    /// Bytes of the cache that were written to memory of the host.
    pub host_bytes_written: u64,
}

impl TableCounters {
    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            lookups: self.lookups - before.lookups,
            hits: self.hits - before.hits,
            fetched_pages: self.fetched_pages - before.fetched_pages,
            prefetched: self.prefetched - before.prefetched,
            evicted: self.evicted - before.evicted,
            evicted_dirty: self.evicted_dirty - before.evicted_dirty,
            collection_updates: self.collection_updates - before.collection_updates,
            late_updates: self.late_updates - before.late_updates,
            host_bytes_read: self.host_bytes_read - before.host_bytes_read,
            host_bytes_written: self.host_bytes_written - before.host_bytes_written,
        }
    }
}

/// Merges by kind, and what they copied (FTL specification, section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeCounts {
    /// The older block had no current page left: it is erased, nothing is copied.
    pub switch: u64,
    /// The newest block took the pages that it lacked.
    pub partial: u64,
    /// All current pages were copied to another block.
    pub full: u64,
    /// Pages copied.
    pub pages: u64,
}

impl MergeCounts {
    /// Whether there were none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all() + self.pages == 0
    }

    /// Merges of any kind: each freed a block at least.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.switch + self.partial + self.full
    }

    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            switch: self.switch - before.switch,
            partial: self.partial - before.partial,
            full: self.full - before.full,
            pages: self.pages - before.pages,
        }
    }
}

impl FtlCounters {
    /// What was counted since `before`.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            first_writes: self.first_writes - before.first_writes,
            covered_writes: self.covered_writes - before.covered_writes,
            uncovered_writes: self.uncovered_writes - before.uncovered_writes,
            trimmed_pages: self.trimmed_pages - before.trimmed_pages,
            overtaken_writes: self.overtaken_writes - before.overtaken_writes,
            gc_victims: self.gc_victims - before.gc_victims,
            gc_victim_valid_pages: self.gc_victim_valid_pages - before.gc_victim_valid_pages,
            gc_moves: self.gc_moves - before.gc_moves,
            superseded_moves: self.superseded_moves - before.superseded_moves,
            wear_swaps: self.wear_swaps - before.wear_swaps,
            wear_moves: self.wear_moves - before.wear_moves,
            unreadable_moves: self.unreadable_moves - before.unreadable_moves,
            erases: self.erases - before.erases,
            skipped_copy_back: self.skipped_copy_back - before.skipped_copy_back,
            skipped_multi_plane: self.skipped_multi_plane - before.skipped_multi_plane,
            retired_blocks: self.retired_blocks - before.retired_blocks,
            failed_programs: self.failed_programs - before.failed_programs,
            failed_erases: self.failed_erases - before.failed_erases,
            free_blocks_sum: self.free_blocks_sum - before.free_blocks_sum,
            host_programs: self.host_programs - before.host_programs,
            no_space: self.no_space - before.no_space,
            merges: self.merges.since(&before.merges),
            table: self.table.since(&before.table),
            padding: self.padding.since(&before.padding),
            placement: self.placement.since(&before.placement),
            delta: self.delta.since(&before.delta),
            slc: self.slc.since(&before.slc),
            parity: self.parity.since(&before.parity),
            checkpoints: self.checkpoints - before.checkpoints,
        }
    }

    /// F of the reserve correction (FTL specification, 9.2): mean free blocks of a pool, seen by
    /// host programs.
    #[must_use]
    pub fn mean_free_blocks(&self) -> Option<f64> {
        (self.host_programs > 0).then(|| self.free_blocks_sum as f64 / self.host_programs as f64)
    }

    /// Mean valid pages of a collected block.
    #[must_use]
    pub fn mean_victim_valid_pages(&self) -> Option<f64> {
        (self.gc_victims > 0).then(|| self.gc_victim_valid_pages as f64 / self.gc_victims as f64)
    }

    /// Share of writes that are un-covered updates.
    #[must_use]
    pub fn uncovered_ratio(&self) -> Option<f64> {
        let writes = self.first_writes + self.covered_writes + self.uncovered_writes;
        (writes > 0).then(|| self.uncovered_writes as f64 / writes as f64)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Counters whose first count is `first`, and each further one greater by the same.
    fn counted(first: u64) -> FtlCounters {
        fn fill(value: &mut Value, first: u64, last: &mut u64) {
            match value {
                Value::Object(counts) => counts.values_mut().for_each(|count| fill(count, first, last)),
                count => {
                    *last += first;
                    *count = json!(*last);
                }
            }
        }
        let mut counters = serde_json::to_value(FtlCounters::default()).unwrap();
        fill(&mut counters, first, &mut 0);
        let counters: FtlCounters = serde_json::from_value(counters).unwrap();
        FtlCounters {
            checkpoints: 100 * first,
            ..counters
        }
    }

    #[test]
    fn every_count_is_taken_since_another_state() {
        let mut expected = counted(5);
        // what there is now
        (expected.delta.kept, expected.delta.log_pages) = (counted(7).delta.kept, counted(7).delta.log_pages);
        assert_eq!(counted(7).since(&counted(2)), expected);
    }

    #[test]
    fn ratios_are_of_counts_and_do_not_exist_without_any() {
        let none = FtlCounters::default();
        assert_eq!(
            (
                none.uncovered_ratio(),
                none.mean_free_blocks(),
                none.mean_victim_valid_pages()
            ),
            (None, None, None)
        );
        let some = FtlCounters {
            first_writes: 1,
            covered_writes: 4,
            uncovered_writes: 3,
            gc_victims: 4,
            gc_victim_valid_pages: 10,
            free_blocks_sum: 9,
            host_programs: 6,
            ..none
        };
        assert_eq!(
            (
                some.uncovered_ratio(),
                some.mean_free_blocks(),
                some.mean_victim_valid_pages()
            ),
            (Some(0.375), Some(1.5), Some(2.5))
        );
    }
}
