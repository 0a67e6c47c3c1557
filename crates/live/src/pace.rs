//! How the time of a live drive goes with that of the machine, and how late its answers were.

use std::time::{Duration as Real, Instant};

use wordline_metrics::Latency;
use wordline_units::{Duration, SimTime};

use crate::link::Usual;

/// How fast the time of the drive goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as possible: between two answers no time passes but the drive's.
    Virtual,
    /// As that of the machine, so many times slower.
    Real {
        /// Seconds of the machine in a second of the drive; at least 1.
        slow: f64,
    },
}

/// An answer is late that leaves later than it should by more than this share of its own response time.
pub const LATE: f64 = 0.05;

/// Answers that left later than the drive gave them.
#[derive(Clone, Debug)]
pub struct Lateness {
    /// How late, in time of the machine.
    pub by: Latency,
    /// How many by more than [`LATE`] of their response times.
    pub late: u64,
}

/// The two clocks.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    pace: Pace,
    start: Instant,
    pub(crate) lateness: Lateness,
    /// How late answers to lone requests leave, so that their time begins as much earlier.
    usual: Usual,
}

/// No more of the server's own delay is made good.
const MOST_USUAL: Real = Real::from_micros(20);

impl Clocks {
    pub(crate) fn start(pace: Pace) -> Self {
        Self {
            pace,
            start: Instant::now(),
            lateness: Lateness {
                by: Latency::new(),
                late: 0,
            },
            usual: Usual::at_most(MOST_USUAL),
        }
    }

    pub(crate) const fn slow(&self) -> Option<f64> {
        match self.pace {
            Pace::Virtual => None,
            Pace::Real { slow } => Some(slow),
        }
    }

    /// The moment of the drive that is now on the machine; none at a virtual pace.
    pub(crate) fn now(&self) -> Option<SimTime> {
        self.at(Instant::now())
    }

    /// The moment of the drive that belongs to one of the machine; none at a virtual pace.
    pub(crate) fn at(&self, moment: Instant) -> Option<SimTime> {
        let ns = moment.saturating_duration_since(self.start).as_nanos() as f64;
        self.slow().map(|slow| SimTime((ns / slow) as u64))
    }

    /// How long the machine has until a moment of the drive; nothing if that is over.
    pub(crate) fn until(&self, time: SimTime) -> Real {
        let Some(slow) = self.slow() else {
            return Real::ZERO;
        };
        // further away than any wait is
        let ns = (time.ns() as f64 * slow).min(1e17);
        Real::from_nanos(ns as u64).saturating_sub(self.start.elapsed())
    }

    /// The moment of the drive at which a request arrives that a client sent at `asked`; none at a virtual pace.
    pub(crate) fn arrival(&self, asked: Instant) -> Option<SimTime> {
        self.at(asked.checked_sub(self.usual.get()).unwrap_or(asked))
    }

    /// An answer leaves now to a request that a client sent at `asked` and that took the drive this long; `is_alone` if nothing else was under way.
    pub(crate) fn answered(&mut self, asked: Instant, response: Duration, is_alone: bool) {
        let Some(slow) = self.slow() else { return };
        let response = response.ns() as f64 * slow;
        let late = asked.elapsed().as_nanos() as f64 - response;
        if is_alone {
            self.usual.correct(late);
        }
        self.lateness.by.record(Duration(late.max(0.0) as u64));
        self.lateness.late += u64::from(late > LATE * response);
    }
}
