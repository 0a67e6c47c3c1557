//! How far a run has come.

use wordline_units::SimTime;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The drive is brought to its age.
    Ageing,
    /// A trace is read for its totals, before it is replayed.
    ReadingTrace,
    /// The workload runs, to see where its warm-up ends.
    FindingWarmUp,
    /// The workload runs.
    Simulating,
    /// The auditor looks at the whole drive, before the workload or after it.
    Auditing,
    /// The state of the drive goes to a file.
    Saving,
}

impl Phase {
    /// What it is, for progress bars.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ageing => "ageing the drive",
            Self::ReadingTrace => "reading the trace, pass 1 of 2",
            Self::FindingWarmUp => "finding the warm-up, pass 1 of 2",
            Self::Simulating => "simulating",
            Self::Auditing => "auditing the state of the drive",
            Self::Saving => "saving the state of the drive",
        }
    }
}

/// How far a run has come, for progress bars.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Share of that which is done, 0 to 1, where it is known.
    pub share: Option<f64>,
    /// Host requests completed.
    pub requests: u64,
    /// Simulated time.
    pub now: SimTime,
}

impl Progress {
    /// Before the first request.
    pub(crate) fn before(phase: Phase, share: f64) -> Self {
        Self {
            phase,
            share: Some(share),
            requests: 0,
            now: SimTime::ZERO,
        }
    }
}
