//! The warm-up: the first part of a run, which counts in no figure and no table.
//!
//! When it is over the counts start afresh and everything else goes on. A request that is in the drive then counts, whole, when it
//! is acknowledged; of bus and array steps under way the rest counts.

mod measuring;

use wordline_ftl::FtlCounters;
use wordline_metrics::SteadyFrom;
use wordline_units::{Duration, SimTime};

use crate::error::RunError;

/// What ends a warm-up.
#[derive(Clone, Copy, Debug)]
enum Until {
    /// So many requests are acknowledged.
    Requests(u64),
    /// So many bytes are written by the host.
    Bytes(u64),
    /// An event comes.
    Event,
}

/// A warm-up that is under way.
#[derive(Clone, Debug)]
pub(super) struct WarmUp {
    until: Until,
    /// Bytes that the host has written.
    bytes: u64,
    /// What set it, and how long it is, for messages.
    key: &'static str,
    length: String,
    /// What was looked for, with `auto`.
    found: Option<SteadyFrom>,
}

/// What was in a warm-up that is over.
#[derive(Clone, Debug)]
pub(super) struct Unmeasured {
    /// Requests acknowledged.
    requests: u64,
    /// What ended it.
    warm_up: WarmUp,
    /// Pages read and programmed.
    page_operations: u64,
    /// What the FTL had counted.
    counters: FtlCounters,
}

impl Unmeasured {
    /// Bytes that the host wrote.
    fn bytes(&self) -> u64 {
        self.warm_up.bytes
    }

    /// Whether a steady state was found, with `auto`.
    fn is_found(&self) -> Option<bool> {
        self.warm_up.found.map(|found| found.is_found)
    }
}

/// What a warm-up depends on beside its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Where the run comes into its steady state, with `auto`.
    pub(crate) found: Option<SteadyFrom>,
    /// How long fio jobs ramp up.
    pub(crate) ramp: Duration,
    /// Requests of the workload, where they are known.
    pub(crate) requests: Option<u64>,
    /// Bytes that the drive exports.
    pub(crate) user_bytes: f64,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) now: SimTime,
    /// Requests completed.
    pub(crate) requests: u64,
    /// Bytes that the drive exports.
    pub(crate) user_bytes: f64,
    /// The user stopped it.
    pub(crate) interrupted: bool,
}

impl Reached {
    /// What a run amounted to in which the host wrote so many bytes.
    fn words(&self, bytes: u64) -> String {
        format!(
            "the workload ended after {} requests, {} and {:.4} drive writes",
            self.requests,
            self.now.since(SimTime::ZERO).rounded(),
            bytes as f64 / self.user_bytes
        )
    }
}

impl WarmUp {
    fn too_long(&self, reached: &str) -> RunError {
        RunError::WarmUp {
            key: self.key,
            length: self.length.clone(),
            problem: format!(
                "{reached}, so that nothing is left to be measured; make the warm-up shorter or the workload longer"
            ),
        }
    }
}
