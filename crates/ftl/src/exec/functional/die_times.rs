//! Until when dies are busy where there is no clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_units::SimTime;

use crate::notice::JobId;

/// Until when dies are busy: with jobs, and with the commands of a closed loop.
#[derive(Clone, Debug, Default)]
pub struct DieTimes {
    /// Until when jobs keep each die from the host; empty where they take no time.
    pub(super) jobs: Vec<SimTime>,
    /// Which job keeps each die busy, or did so last.
    pub(super) of: Vec<Option<JobId>>,
    /// Until when each job is held.
    pub(super) held: Vec<SimTime>,
    /// Until when commands keep each die from others; empty where there is no closed loop.
    pub(super) host: Vec<SimTime>,
    /// Commands outstanding at most.
    pub(super) depth: usize,
    /// When each command outstanding ends.
    pub(super) ends: BinaryHeap<Reverse<SimTime>>,
    /// When the operations of the present command end.
    pub(super) end: SimTime,
    /// What times of commands are multiplied by.
    pub(super) stretch: f64,
    /// How long commands took before that, in nanoseconds, and how many there were.
    pub(super) served: (u64, u64),
}

/// What a die does for a command.
#[derive(Clone, Copy)]
pub(super) enum Duty {
    Read,
    Program,
}

impl DieTimes {
    /// So many idle dies, for so many commands outstanding.
    pub(super) fn new(dies: u32, depth: u32) -> Self {
        let idle = vec![SimTime::ZERO; dies as usize];
        Self {
            host: if depth > 0 { idle.clone() } else { Vec::new() },
            jobs: idle,
            of: vec![None; dies as usize],
            held: Vec::new(),
            depth: depth as usize,
            ends: BinaryHeap::new(),
            end: SimTime::ZERO,
            stretch: 1.0,
            served: (0, 0),
        }
    }

    /// Has commands take so many times as long as dies need for them: what else a command waits for is not known here.
    pub fn stretch(&mut self, factor: f64) {
        self.stretch = factor;
    }

    /// How long commands took by the times of dies alone, in nanoseconds, and how many there were; since the last call.
    pub fn take_served(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.served)
    }

    /// Whether dies take time.
    #[inline]
    pub(super) fn are_kept(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// Whether a job keeps a die from the host. Commands do not: were programs led around the dies of others, all planes would fill their blocks in step, and be collected together.
    #[inline]
    pub(super) fn is_busy(&self, die: usize, now: SimTime) -> bool {
        self.jobs[die] > now
    }
}
