//! `dlv_pes`: `dlv` on a drive whose reads suspend programs and erases, as with `pes`.

use wordline_keys::Entry;

use super::dlv::DLV;
use super::{SchedulerRow, reads_first};

/// `scheduler.policy = "dlv_pes"`.
pub(crate) const DLV_PES: SchedulerRow = SchedulerRow {
    entry: Entry {
        name: "dlv_pes",
        help: "As `dlv`, and reads suspend programs and erases, for which they are let into the flash at once.",
        ..DLV.entry
    },
    order: reads_first::ORDER,
    suspends: true,
    ..DLV
};
