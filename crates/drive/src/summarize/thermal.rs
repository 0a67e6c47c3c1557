//! The temperature of the drive, where it has one.

use wordline_metrics::{Summary, ThermalColumns};

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `thermal.*`.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    if let Some(thermal) = drive.thermal() {
        thermal.record().summarize(summary);
    }
}

/// The temperature over time; empty where the drive has none.
pub(super) fn columns<F: Features>(drive: &Drive<F>) -> ThermalColumns {
    drive
        .thermal()
        .map(|thermal| thermal.record().columns())
        .unwrap_or_default()
}
