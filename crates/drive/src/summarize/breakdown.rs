//! Write amplification by cause, in a summary (FTL specification, 6.3).

use wordline_ftl::Cause;
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.write_breakdown.*`: pages programmed for each cause, and for all that keep data safe, for each page that the host wrote.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let ledger = &drive.observe().recorder().ledger;
    for cause in Cause::ALL {
        let share = ledger.per_host_write(ledger.pages_programmed(cause));
        summary.set(&format!("ftl.write_breakdown.{}", cause.name()), share);
    }
    let safe = Cause::ALL.into_iter().filter(|cause| cause.is_data_integrity());
    let programmed = safe.map(|cause| ledger.pages_programmed(cause)).sum();
    summary.set(
        "ftl.write_breakdown.data_integrity",
        ledger.per_host_write(programmed),
    );
}
