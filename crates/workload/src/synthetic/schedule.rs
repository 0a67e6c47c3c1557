//! How many synthetic requests come, and when.

use wordline_units::{Seed, SimTime};

use super::arrivals::Arrivals;
use crate::config::{DEFAULT_REQUESTS, WorkloadConfig};
use crate::{HostCommand, SourceError};

/// Arrivals until the requests or the time run out.
pub(crate) struct Schedule {
    arrivals: Arrivals,
    left: u64,
    until: SimTime,
    /// The next arrival lies beyond the range of simulated time.
    overrun: bool,
    len: Option<u64>,
}

impl Schedule {
    /// The schedule of `config`, with its own law of arrival.
    pub(crate) fn of(config: &WorkloadConfig) -> Self {
        Self::with(config, Arrivals::of(config, Seed(config.seed)))
    }

    /// The schedule of `config` with another law of arrival.
    pub(crate) fn with(config: &WorkloadConfig, arrivals: Arrivals) -> Self {
        let (left, len) = match (config.requests, config.duration) {
            (Some(requests), None) => (requests, Some(requests)),
            (Some(requests), Some(_)) => (requests, None),
            (None, Some(_)) => (u64::MAX, None),
            (None, None) => (DEFAULT_REQUESTS, Some(DEFAULT_REQUESTS)),
        };
        let until = config
            .duration
            .map_or(SimTime::NEVER, |duration| SimTime::ZERO + duration);
        Self {
            arrivals,
            left,
            until,
            overrun: false,
            len,
        }
    }

    /// The arrival of the next request; `None` at the end, of which [`Self::end`] says more.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<SimTime> {
        if self.left == 0 {
            return None;
        }
        let arrival = self.arrivals.next();
        if arrival >= self.until {
            self.overrun = self.until == SimTime::NEVER;
            self.left = 0;
            return None;
        }
        self.left -= 1;
        Some(arrival)
    }

    /// What a source answers when no request is left.
    ///
    /// # Errors
    /// Once, where arrivals ran beyond the range of simulated time.
    #[cold]
    pub(crate) fn end(&mut self) -> Result<Option<HostCommand>, SourceError> {
        if std::mem::take(&mut self.overrun) {
            return Err(SourceError(
                "workload.interarrival: requests arrive beyond the 584 years that simulated time reaches; accepted: \
                 shorter gaps, or fewer requests (workload.requests)"
                    .to_owned(),
            ));
        }
        Ok(None)
    }

    /// Requests in all, where only their number ends the workload.
    pub(crate) const fn len_hint(&self) -> Option<u64> {
        self.len
    }
}
