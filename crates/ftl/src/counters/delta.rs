//! Counters of overwrites as compressed differences.

use serde::{Deserialize, Serialize};

/// Overwrites as compressed differences (Delta-FTL specification, 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaCounters {
    /// Writes of pages that are write-hot and read-cold.
    pub candidates: u64,
    /// Those that the gate turned away.
    pub turned_away: u64,
    /// Those for which there was no room for another page of deltas.
    pub without_room: u64,
    /// Writes that were encoded.
    pub encoded: u64,
    /// Bytes of what that made.
    pub encoded_bytes: u64,
    /// Those that were written as pages, as their deltas were too large.
    pub too_large: u64,
    /// Writes that are kept as deltas.
    pub deltas: u64,
    /// Their bytes.
    pub delta_bytes: u64,
    /// Deltas that another delta of their page replaced.
    pub superseded: u64,
    /// Deltas that a write of their page as a whole made needless.
    pub dropped: u64,
    /// Pages of deltas that the host filled.
    pub log_programs: u64,
    /// Bytes of them that are taken, with entries.
    pub log_bytes: u64,
    /// Pages of deltas into which collection packed others.
    pub repacked_pages: u64,
    /// Those others.
    pub repacked_from: u64,
    /// Pages that were programmed by merges.
    pub merge_programs: u64,
    /// Pages merged as they had become read-hot.
    pub merged_reads: u64,
    /// Pages merged as they were no longer write-hot.
    pub merged_cold: u64,
    /// Pages merged as collection emptied the block of the page.
    pub merged_pages: u64,
    /// Pages merged as collection emptied the block of the delta.
    pub merged_logs: u64,
    /// Victims of collection that were filled with deltas.
    pub log_victims: u64,
    /// Bytes of victims of collection that were not current.
    pub victim_gain_bytes: u64,
    /// Those of victims that were filled with deltas.
    pub log_victim_gain_bytes: u64,
    /// Reads of pages with a delta.
    pub reads: u64,
    /// Those whose delta the controller had.
    pub reads_in_memory: u64,
    /// Whether pages have content.
    #[serde(skip)]
    pub has_content: bool,
    /// Reads whose bytes were compared with what was written, of pages that have content.
    #[serde(skip)]
    pub reads_checked: u64,
    /// Pages that have a delta now.
    pub kept: u64,
    /// Pages of deltas that there are now, those in the controller included.
    pub log_pages: u64,
}

impl DeltaCounters {
    /// What was counted since `before`; what there is now stays.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            candidates: self.candidates - before.candidates,
            turned_away: self.turned_away - before.turned_away,
            without_room: self.without_room - before.without_room,
            encoded: self.encoded - before.encoded,
            encoded_bytes: self.encoded_bytes - before.encoded_bytes,
            too_large: self.too_large - before.too_large,
            deltas: self.deltas - before.deltas,
            delta_bytes: self.delta_bytes - before.delta_bytes,
            superseded: self.superseded - before.superseded,
            dropped: self.dropped - before.dropped,
            log_programs: self.log_programs - before.log_programs,
            log_bytes: self.log_bytes - before.log_bytes,
            repacked_pages: self.repacked_pages - before.repacked_pages,
            repacked_from: self.repacked_from - before.repacked_from,
            merge_programs: self.merge_programs - before.merge_programs,
            merged_reads: self.merged_reads - before.merged_reads,
            merged_cold: self.merged_cold - before.merged_cold,
            merged_pages: self.merged_pages - before.merged_pages,
            merged_logs: self.merged_logs - before.merged_logs,
            log_victims: self.log_victims - before.log_victims,
            victim_gain_bytes: self.victim_gain_bytes - before.victim_gain_bytes,
            log_victim_gain_bytes: self.log_victim_gain_bytes - before.log_victim_gain_bytes,
            reads: self.reads - before.reads,
            reads_in_memory: self.reads_in_memory - before.reads_in_memory,
            reads_checked: self.reads_checked - before.reads_checked,
            has_content: self.has_content,
            kept: self.kept,
            log_pages: self.log_pages,
        }
    }
}
