//! Zones, in a summary.

use wordline_ftl::{Subjects, ZoneState};
use wordline_metrics::{Status, Summary};

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `workload.zones.*`, where the host collects zones.
fn set_collection<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let clients = drive.host().clients();
    let Some(counts) = clients.iter().find_map(|client| client.source.collection()) else {
        return;
    };
    summary.set("workload.zones.logical_pages", counts.logical_pages);
    summary.set("workload.zones.user_pages", counts.user_pages);
    summary.set("workload.zones.moved_pages", counts.moved_pages);
    summary.set("workload.zones.resets", counts.resets);
    summary.set("workload.zones.unwritten_reads", counts.unwritten_reads);
    summary.set("workload.zones.write_amplification", counts.write_amplification());
}

/// Sets `ftl.zones.*`, where the drive has zones; `fails` says whether programs and erases do.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>, fails: bool) {
    let ftl = drive.control().ftl();
    let Some(zoned) = ftl.zoned_host() else {
        return;
    };
    let totals = zoned.totals();
    set_collection(summary, drive);
    summary.set("ftl.zones.writes", totals.writes);
    summary.set("ftl.zones.appends", totals.appends);
    summary.set("ftl.zones.resets", totals.resets);
    summary.set("ftl.zones.finishes", totals.finishes);
    summary.set("ftl.zones.finished_pages", totals.finished_pages);
    summary.set("ftl.zones.opens", totals.opens);
    summary.set("ftl.zones.closes", totals.closes);
    summary.set("ftl.zones.implicit_closes", totals.implicit_closes);
    let zones = zoned.zones();
    for state in ZoneState::ALL {
        let count = zones.iter().filter(|zone| zone.state == state).count() as u64;
        summary.set(&format!("ftl.zones.state.{}", state.name()), count);
    }
    let recorder = drive.observe().recorder();
    if fails {
        summary.set("ftl.zones.write_faults", recorder.ended(Status::WriteFault));
    }
    for status in Status::ALL {
        if status.is_refused() && status != Status::Refused {
            let name = Status::NAMES[status.index()];
            summary.set(&format!("ftl.zones.refused.{name}"), recorder.ended(status));
        }
    }
}
