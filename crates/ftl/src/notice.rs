//! How jobs announce themselves.

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use crate::plan::Scope;

/// Numbers a job; stable while the job is alive, and reused afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobId(pub u32);

/// What a job of a collection pool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobKind {
    /// Garbage collection and static wear levelling.
    Collect,
    /// Merges of blocks that hold pages of one logical block.
    Merge,
}

impl JobKind {
    const ALL: [Self; 2] = [Self::Collect, Self::Merge];
}

impl JobId {
    /// The job of a kind in a pool.
    pub(crate) const fn of(kind: JobKind, pool: u32) -> Self {
        Self(pool * JobKind::ALL.len() as u32 + kind as u32)
    }

    /// What the job does.
    pub(crate) const fn kind(self) -> JobKind {
        JobKind::ALL[self.0 as usize % JobKind::ALL.len()]
    }

    /// The pool in which it works.
    pub(crate) const fn pool(self) -> u32 {
        self.0 / JobKind::ALL.len() as u32
    }
}

/// How pressing a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Urgency {
    /// Only when its scope is idle.
    Idle,
    /// Beside host commands, which go first.
    Normal,
    /// Ahead of host writes: they wait for the space it makes.
    Blocking,
}

/// A job that wants to be asked for its next plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobNotice {
    /// Which job.
    pub job: JobId,
    /// The planes it works on.
    pub scope: Scope,
    /// How pressing it is now; a later notice of the same job replaces an earlier one.
    pub urgency: Urgency,
    /// Not to be asked before this time.
    pub not_before: SimTime,
}

/// What a job says when it was asked for its next plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It gave steps; ask again when they are done.
    Yielded,
    /// Nothing to do until it gives notice again.
    Waiting,
    /// It is over.
    Finished,
}
