//! The schedulers that come with Wordline.

use std::sync::LazyLock;

use wordline_keys::{AnyTable, Entry, Registered, Row, Table};

use crate::policy::{
    SchedulerRow, batches, dlv, dlv_pes, fcfs, out_of_order, pes, pv_allocation, pv_reorder, reads_first,
    roo, woo,
};

static SCHEDULERS: LazyLock<Table<SchedulerRow>> = LazyLock::new(|| {
    Table::new(
        SchedulerRow::SELECTOR,
        [
            fcfs::FCFS,
            reads_first::READS_FIRST,
            out_of_order::OUT_OF_ORDER,
            pes::PES,
            batches::BATCHES,
            dlv::DLV,
            dlv_pes::DLV_PES,
            woo::WOO,
            roo::ROO,
            pv_reorder::PV_REORDER,
            pv_allocation::PV_ALLOCATION,
        ],
    )
});

impl Registered for SchedulerRow {
    const SELECTOR: &'static str = "scheduler.policy";
    const DEFAULT: &'static str = "reads_first";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &SCHEDULERS
    }
}

impl Row for SchedulerRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// The table of schedulers.
#[must_use]
pub fn schedulers() -> &'static dyn AnyTable {
    &*SCHEDULERS
}
