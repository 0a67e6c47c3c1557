//! Until when dies are busy where there is no clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_nand::Geometry;
use wordline_units::{Duration, SimTime};

use crate::allocation::KeptDies;
use crate::notice::JobId;

/// Until when dies are busy: with jobs, and with the commands of a closed loop.
#[derive(Clone, Debug, Default)]
pub struct DieTimes {
    /// Until when jobs keep each die from the host; empty where they take no time.
    pub(super) jobs: Vec<SimTime>,
    /// A die that came free first when one was looked for.
    idle: usize,
    /// Which job keeps each die busy, or did so last.
    pub(super) of: Vec<Option<JobId>>,
    /// How long an erase takes with which a job's use of each die ends; 0 where it ends with something else.
    pub(super) erase: Vec<Duration>,
    /// Jobs that are held, and until when.
    pub(super) held: Vec<(JobId, SimTime)>,
    /// Up to when jobs were asked.
    pub(super) asked: SimTime,
    /// Until when commands keep each die from others; empty where jobs take no time.
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

/// What the dies of a drive with a clock still had to do when it sent its last command.
#[derive(Clone, Debug, Default)]
pub struct BusyDies {
    /// When the last operation of a job ended, of each die.
    pub jobs: Vec<SimTime>,
    /// The same of operations of the host.
    pub host: Vec<SimTime>,
    /// When the commands that were outstanding ended.
    pub ends: Vec<SimTime>,
}

impl BusyDies {
    /// So many dies that did nothing.
    #[must_use]
    pub fn idle(dies: u32) -> Self {
        let idle = vec![SimTime::ZERO; dies as usize];
        Self {
            host: idle.clone(),
            jobs: idle,
            ends: Vec::new(),
        }
    }
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
            host: idle.clone(),
            jobs: idle,
            idle: 0,
            of: vec![None; dies as usize],
            erase: vec![Duration::ZERO; dies as usize],
            held: Vec::new(),
            asked: SimTime::ZERO,
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

    /// When the commands outstanding of a closed loop end, in no order.
    pub fn ends(&self) -> impl Iterator<Item = SimTime> {
        self.ends.iter().map(|Reverse(end)| *end)
    }

    /// Whether dies take time.
    #[inline]
    pub(super) fn are_kept(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// When the first die has done what it does for a job; none where a die does nothing for one. Jobs of any urgency count (a simplification: with a clock host programs wait for blocking ones).
    pub(super) fn all_kept_until(&mut self, now: SimTime) -> Option<SimTime> {
        // most often the die that was idle last time still is
        if self.jobs.get(self.idle).is_none_or(|until| *until <= now) {
            return None;
        }
        let (die, first) = self.jobs.iter().enumerate().min_by_key(|(_, until)| **until)?;
        self.idle = die;
        (*first > now).then_some(*first)
    }

    /// Up to which time commands may keep the die that takes the next program of the host: now, or where no die is idle, that at which the first one comes free that no job keeps. A
    /// program waits for that one, with a clock too.
    pub(super) fn next_free(&self, now: SimTime) -> SimTime {
        let of_host = self.jobs.iter().zip(&self.host);
        let free = of_host
            .filter(|(job, _)| **job <= now)
            .map(|(_, host)| *host)
            .min();
        free.map_or(now, |free| free.max(now))
    }

    /// The dies that take no program of the host now: those that a job keeps, or commands beyond `free`.
    #[inline]
    pub(super) fn kept<'a>(&'a self, geometry: &'a Geometry, now: SimTime, free: SimTime) -> KeptDies<'a> {
        KeptDies {
            geometry,
            jobs: &self.jobs,
            host: &self.host,
            now,
            free,
        }
    }
}
