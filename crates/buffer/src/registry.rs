//! The replacement policies that come with Wordline.

use std::sync::LazyLock;

use wordline_keys::{AnyTable, Entry, Registered, Row, Table};

use crate::policy::{self, BufferRow, bpac, bplru, ccf_lru, cflru, fab, fifo, lru, lru_wsr, pt_lru, slru};

static POLICIES: LazyLock<Table<BufferRow>> = LazyLock::new(|| {
    Table::new(
        BufferRow::SELECTOR,
        [
            policy::NONE,
            fifo::FIFO,
            lru::LRU,
            slru::SLRU,
            cflru::CFLRU,
            lru_wsr::LRU_WSR,
            ccf_lru::CCF_LRU,
            pt_lru::PT_LRU,
            fab::FAB,
            bplru::BPLRU,
            bpac::BPAC,
        ],
    )
});

impl Registered for BufferRow {
    const SELECTOR: &'static str = "buffer.policy";
    const DEFAULT: &'static str = "none";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &POLICIES
    }
}

impl Row for BufferRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// The table of replacement policies.
#[must_use]
pub fn policies() -> &'static dyn AnyTable {
    &*POLICIES
}
