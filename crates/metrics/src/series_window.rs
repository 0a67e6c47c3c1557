//! What happened in one window of a time series.

use wordline_units::SECTOR_BYTES;

use crate::probe::{FinishedRequest, Status};
use crate::steady_power::IDLE_STATES;

/// Acknowledged requests of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Acknowledged {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    pub(crate) latency_sum: u128,
    pub(crate) latency_max: u64,
}

impl Acknowledged {
    #[inline]
    pub(crate) fn add(&mut self, request: &FinishedRequest) {
        let latency = request.latency().ns();
        self.requests += 1;
        if request.status == Status::Good {
            self.bytes += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
        }
        self.latency_sum += u128::from(latency);
        self.latency_max = self.latency_max.max(latency);
    }

    pub(crate) fn merge(&mut self, later: &Self) {
        self.requests += later.requests;
        self.bytes += later.bytes;
        self.latency_sum += later.latency_sum;
        self.latency_max = self.latency_max.max(later.latency_max);
    }
}

/// What happened in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// By class.
    pub(crate) acknowledged: [Acknowledged; 3],
    /// Pages programmed for the host, for GC, for other causes.
    pub(crate) programmed: [u64; 3],
    pub(crate) read: u64,
    pub(crate) erased: u64,
    /// Requests in the drive, summed over nanoseconds.
    pub(crate) outstanding: u128,
    /// Time with a request in the drive, ns.
    pub(crate) active: u64,
    /// Bus time of all channels, ns; counted with a ledger of energy only.
    pub(crate) bus: u64,
    /// Time of all codecs, ns; counted with a ledger of energy only.
    pub(crate) codec: u64,
    /// Time in each idle state, ns; counted with a ledger of energy only.
    pub(crate) asleep: [u64; IDLE_STATES],
    /// Joules of flash operations for the host, for GC, for other causes; with a ledger of energy only.
    pub(crate) flash_energy: [f64; 3],
}

impl Window {
    /// Bytes read and written by the host.
    pub(crate) fn host_bytes(&self) -> u64 {
        self.acknowledged.iter().map(|class| class.bytes).sum()
    }

    pub(crate) fn merge(&mut self, later: &Self) {
        for class in 0..3 {
            self.acknowledged[class].merge(&later.acknowledged[class]);
            self.programmed[class] += later.programmed[class];
            self.flash_energy[class] += later.flash_energy[class];
        }
        self.read += later.read;
        self.erased += later.erased;
        self.outstanding += later.outstanding;
        self.active += later.active;
        self.bus += later.bus;
        self.codec += later.codec;
        for (time, more) in self.asleep.iter_mut().zip(later.asleep) {
            *time += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every count of two windows is in the merged one, and of two longest latencies the longer.
    #[test]
    fn merging_adds_up() {
        let window = |n: u64| Window {
            acknowledged: std::array::from_fn(|class| Acknowledged {
                requests: n + class as u64,
                bytes: 10 * n,
                latency_sum: 100 * u128::from(n),
                latency_max: 7 * n,
            }),
            programmed: [n, 2 * n, 3 * n],
            read: 4 * n,
            erased: 5 * n,
            outstanding: 6 * u128::from(n),
            active: 8 * n,
            bus: 9 * n,
            codec: 11 * n,
            asleep: [12 * n, 13 * n],
            flash_energy: [n as f64, 0.5 * n as f64, 0.0],
        };
        let (mut both, later) = (window(2), window(3));
        both.merge(&later);
        let mut sum = window(5);
        for class in 0..3 {
            sum.acknowledged[class].requests = 5 + 2 * class as u64;
            sum.acknowledged[class].latency_max = 21;
        }
        assert_eq!(both, sum);
    }
}
