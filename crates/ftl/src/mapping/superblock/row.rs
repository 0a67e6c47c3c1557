//! The row of the mapping with superblocks.

use wordline_keys::{Entry, Keys};

use super::SuperblockFtl;
use super::keys::{Limits, SuperblockKeys};
use crate::mapping::MappingRow;
use crate::mapping::whole_blocks::{READS, RECOVERS, capacity, check_filled_share};

/// `ftl.mapping = "superblock"`.
pub(crate) const SUPERBLOCK: MappingRow = MappingRow {
    entry: Entry {
        name: "superblock",
        help: "Groups of logical blocks with a map of pages each, which is kept in spare areas.",
        keys: Keys::of::<SuperblockKeys>(),
        reads: READS,
    },
    knows: &[],
    has_closed_form: false,
    recovers: RECOVERS,
    recovers_units: false,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| {
        Limits::of(input.config)?;
        Ok(capacity(input)?.user_pages)
    },
    check_filled: check_filled_share,
    build: |input, rules| {
        let limits = Limits::of(input.config)?;
        Ok(Box::new(SuperblockFtl::new(limits, input, rules)?))
    },
};
