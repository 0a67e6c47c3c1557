//! Clients that end once they are in a steady state (`steadystate` of fio job files).

mod intervals;

use std::collections::VecDeque;

use wordline_metrics::FinishedRequest;
use wordline_units::{SECTOR_BYTES, SimTime};
use wordline_workload::{HostOp, SteadyState};

/// What is collected of a client in its intervals.
#[derive(Debug)]
pub(super) struct Judge {
    steady: SteadyState,
    /// Commands, bytes and latencies of the present interval.
    commands: u64,
    bytes: u64,
    latency_ns: u128,
    /// Values of the window, the oldest first.
    values: VecDeque<f64>,
    /// Nothing is collected in intervals that end at or before this moment.
    from: SimTime,
    /// When the steady state was attained, from the start of the client.
    attained: Option<wordline_units::Duration>,
}

impl Judge {
    pub(super) fn new(steady: SteadyState) -> Box<Self> {
        Box::new(Self {
            values: VecDeque::with_capacity(steady.values()),
            steady,
            commands: 0,
            bytes: 0,
            latency_ns: 0,
            from: SimTime::ZERO,
            attained: None,
        })
    }

    /// A command of the client is completed.
    pub(super) fn completed(&mut self, op: HostOp, request: &FinishedRequest) {
        // a flush moves no blocks
        if op != HostOp::Flush {
            self.commands += 1;
            self.bytes += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
            self.latency_ns += u128::from(request.latency().ns());
        }
    }

    /// An interval has ended; tells whether the client is in a steady state.
    fn interval_ended(&mut self, now: SimTime) -> bool {
        let value = self.steady.value(self.commands, self.bytes, self.latency_ns);
        (self.commands, self.bytes, self.latency_ns) = (0, 0, 0);
        if now <= self.from {
            return false;
        }
        if self.values.len() == self.steady.values() {
            self.values.pop_front();
        }
        self.values.push_back(value);
        self.values.len() == self.steady.values() && self.steady.is_attained(self.values.make_contiguous())
    }
}
