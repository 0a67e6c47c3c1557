//! How many synthetic requests come, and when.

use wordline_units::{Seed, SimTime};

use super::arrivals::Arrivals;
use crate::SourceError;
use crate::config::{DEFAULT_REQUESTS, WorkloadConfig};

/// Arrivals until the requests or the time run out.
pub(crate) struct Schedule {
    arrivals: Arrivals,
    left: u64,
    until: SimTime,
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
            len,
        }
    }

    /// The arrival of the next request, `None` at the end.
    ///
    /// # Errors
    /// Arrivals beyond the range of simulated time.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<SimTime>, SourceError> {
        if self.left == 0 {
            return Ok(None);
        }
        let arrival = self.arrivals.next();
        if arrival < self.until {
            self.left -= 1;
            return Ok(Some(arrival));
        }
        self.left = 0;
        if self.until == SimTime::NEVER {
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
