//! `rate`, `rate_iops`, `rate_process`: when the commands of a job may be sent.

use rand_distr::{Distribution, Exp1};
use wordline_units::{SimTime, Stream};

use super::values::SECOND;
use super::{Direction, Each};

/// The rate of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    bytes_per_second: u64,
    /// Mean gap of Poisson arrivals in ns; `None`: every command when the ones before it have had their time.
    mean_gap: Option<f64>,
    sent: u128,
    next: SimTime,
}

impl Lane {
    /// `bytes_per_second` is above 0; `least` is the smallest block in bytes, by which fio counts
    /// Poisson arrivals.
    pub(crate) fn new(bytes_per_second: u64, least: u64, poisson: bool) -> Self {
        let mean = least as f64 / bytes_per_second as f64 * SECOND as f64;
        Self {
            bytes_per_second,
            mean_gap: poisson.then_some(mean),
            sent: 0,
            next: SimTime::ZERO,
        }
    }

    fn send(&mut self, bytes: u64, stream: &mut Stream) {
        let ns = match self.mean_gap {
            None => {
                self.sent += u128::from(bytes);
                let ns = self.sent * u128::from(SECOND) / u128::from(self.bytes_per_second);
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
            Some(mean) => {
                let unit: f64 = Exp1.sample(stream);
                self.next.ns().saturating_add((unit * mean).round() as u64)
            }
        };
        self.next = SimTime(ns);
    }
}

/// When the next command of each direction may be sent; a direction without rate waits for nothing.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    lanes: Each<Option<Lane>>,
    stream: Stream,
    last: SimTime,
}

impl Pace {
    pub(crate) const fn new(lanes: Each<Option<Lane>>, stream: Stream) -> Self {
        Self {
            lanes,
            stream,
            last: SimTime::ZERO,
        }
    }

    /// Whether any direction has a rate.
    pub(crate) fn is_limited(&self) -> bool {
        Direction::ALL
            .iter()
            .any(|direction| self.lanes.of(*direction).is_some())
    }

    /// What a job that reads and writes does next where `drawn` was drawn: the other one where that alone is due, and the one that is due first where neither is
    /// (`rate_ddir` of fio's io_u.c). A direction without a rate is always due.
    pub(crate) fn direction(&self, drawn: Direction, now: SimTime) -> Direction {
        let other = match drawn {
            Direction::Read => Direction::Write,
            _ => Direction::Read,
        };
        let due = |direction| {
            self.lanes
                .of(direction)
                .as_ref()
                .map_or(SimTime::ZERO, |lane| lane.next)
        };
        if due(drawn) <= now || (due(other) > now && due(drawn) <= due(other)) {
            drawn
        } else {
            other
        }
    }

    /// When a command of `bytes` may be sent.
    pub(crate) fn send(&mut self, direction: Direction, bytes: u64) -> SimTime {
        if let Some(lane) = self.lanes.of_mut(direction) {
            self.last = self.last.max(lane.next);
            lane.send(bytes, &mut self.stream);
        }
        self.last
    }

    /// When a command without data may be sent: at once.
    pub(crate) const fn now(&self) -> SimTime {
        self.last
    }
}
