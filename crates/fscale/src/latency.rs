//! How long an operation takes in an idle drive.

use serde::Serialize;

use crate::demand::weighted;
use crate::drive::Drive;
use crate::paths::{Kind, Paths, Step};

/// Mean times in an idle drive, in nanoseconds.
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

impl Latency {
    /// The times of a drive.
    #[must_use]
    pub fn of(drive: &Drive) -> Self {
        let paths = drive.paths();
        let missed = 1.0 - drive.hit_rate();
        let page_in = sum(&paths, Kind::PageIn, 0.0);
        let read = sum(&paths, Kind::HostRead, missed * page_in);
        let write = sum(&paths, Kind::HostWrite, missed * page_in);
        let writes = drive.workload.write_fraction;
        Self {
            read,
            write,
            page_in,
            mean: (1.0 - writes) * read + writes * write,
        }
    }
}

/// The steps of a path, with `entry` for each look-up.
fn sum(paths: &Paths, kind: Kind, entry: f64) -> f64 {
    weighted(paths.of(kind))
        .map(|(step, share)| match step {
            Step::Visit { ns, .. } => share * *ns as f64,
            Step::Entry { .. } => share * entry,
            Step::OtherDie | Step::Escalation { .. } => 0.0,
        })
        .sum()
}
