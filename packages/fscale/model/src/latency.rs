//! How long an operation takes in an idle drive.

use serde::Serialize;

use crate::drive::Drive;
use crate::hardware::Acknowledge;
use crate::paths::{Kind, Paths, Step};
use crate::rates::{Rates, weighted};

/// Mean times in an idle drive, in nanoseconds, until the host is answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// A read of the host, with the misses of the table in the mean.
    pub read: f64,
    /// A write of the host.
    pub write: f64,
    /// A page of the table, part of both after a miss.
    pub page_in: f64,
    /// The mean of reads and writes of the workload.
    pub mean: f64,
}

/// The kinds of writes of the host.
const WRITES: [Kind; 3] = [Kind::HostWrite, Kind::PartialWrite, Kind::MergedWrite];

impl Latency {
    /// The times of a drive.
    #[must_use]
    pub fn of(drive: &Drive, paths: &Paths, rates: &Rates) -> Self {
        let entry = entry(drive, paths);
        let page_in = sum(paths.of(Kind::PageIn), 0.0);
        let read = sum(paths.of(Kind::HostRead), entry);
        let whole = if drive.writes_parts() {
            Kind::PartialWrite
        } else {
            Kind::HostWrite
        };
        let write = match drive.workload.write_fraction {
            0.0 => sum(answered(paths, whole), entry),
            writes => {
                let all = WRITES.map(|kind| rates.of(kind) * sum(answered(paths, kind), entry));
                all.iter().sum::<f64>() / writes
            }
        };
        let writes = drive.workload.write_fraction;
        Self {
            read,
            write,
            page_in,
            mean: (1.0 - writes) * read + writes * write,
        }
    }

    /// Nanoseconds that the moves for an operation of the host occupy places of packages.
    pub(crate) fn ns_of_moves(drive: &Drive, paths: &Paths, rates: &Rates) -> f64 {
        rates.of(Kind::Move) * sum(paths.of(Kind::Move), entry(drive, paths))
    }

    /// Nanoseconds that an operation of the host occupies a place of the write buffer; 0 without one.
    pub(crate) fn ns_in_buffer(drive: &Drive, paths: &Paths, rates: &Rates) -> f64 {
        if drive.host.ack == Acknowledge::Media {
            return 0.0;
        }
        let entry = entry(drive, paths);
        let all = WRITES.map(|kind| rates.of(kind) * sum(paths.of(kind), entry));
        all.iter().sum()
    }
}

/// What a look-up of the table waits for in the mean.
fn entry(drive: &Drive, paths: &Paths) -> f64 {
    let missed = (1.0 - drive.hit_rate()) * sum(paths.of(Kind::PageIn), 0.0);
    missed + in_tiers(drive, paths)
}

/// The part of it that is spent in memories.
pub(crate) fn in_tiers(drive: &Drive, paths: &Paths) -> f64 {
    let tiers = drive.tier_shares();
    tiers
        .iter()
        .map(|(memory, share)| share * sum(paths.of(memory.look_up()), 0.0))
        .sum()
}

/// The steps of an operation until the host is answered.
fn answered(paths: &Paths, kind: Kind) -> &[Step] {
    let path = paths.of(kind);
    let end = path.iter().position(|step| *step == Step::Acknowledge);
    &path[..end.unwrap_or(path.len())]
}

/// The steps of a path, with `entry` for each look-up.
fn sum(path: &[Step], entry: f64) -> f64 {
    weighted(path)
        .map(|(step, share)| match step {
            Step::Visit { ns, .. } => share * *ns as f64,
            Step::Entry { .. } => share * entry,
            Step::Keep | Step::OtherDie | Step::Acknowledge | Step::Chance { .. } => 0.0,
        })
        .sum()
}
