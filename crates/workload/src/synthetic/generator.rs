//! A synthetic workload: addresses, request classes and arrivals, put together.

use wordline_units::{Seed, SimTime, Stream};

use super::arrivals::Arrivals;
use super::classes::Classes;
use crate::config::{DEFAULT_REQUESTS, WorkloadConfig};
use crate::{HostCommand, Source, SourceError};

/// Where requests fall.
pub(crate) trait Addresses: Send {
    /// First sector of the next request, of `sectors` sectors.
    fn next(&mut self, sectors: u32) -> u64;
}

/// A synthetic workload.
pub(crate) struct Generator<A> {
    addresses: A,
    classes: Classes,
    class_draws: Stream,
    arrivals: Arrivals,
    left: u64,
    until: SimTime,
    len: Option<u64>,
}

impl<A: Addresses> Generator<A> {
    pub(crate) fn new(
        config: &WorkloadConfig,
        seed: Seed,
        addresses: A,
        classes: Classes,
        arrivals: Arrivals,
    ) -> Self {
        let left = requests(config);
        Self {
            addresses,
            classes,
            class_draws: seed.stream("workload.request"),
            arrivals,
            left,
            until: until(config),
            len: config.duration.is_none().then_some(left),
        }
    }
}

/// Most requests that come.
pub(crate) fn requests(config: &WorkloadConfig) -> u64 {
    match (config.requests, config.duration) {
        (Some(requests), _) => requests,
        (None, Some(_)) => u64::MAX,
        (None, None) => DEFAULT_REQUESTS,
    }
}

/// Requests arrive before this time.
pub(crate) fn until(config: &WorkloadConfig) -> SimTime {
    config
        .duration
        .map_or(SimTime::NEVER, |duration| SimTime::ZERO + duration)
}

impl<A: Addresses> Source for Generator<A> {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        if self.left == 0 {
            return Ok(None);
        }
        let arrival = self.arrivals.next();
        if arrival >= self.until {
            self.left = 0;
            return Ok(None);
        }
        self.left -= 1;
        let (op, sectors) = self.classes.draw(&mut self.class_draws);
        Ok(Some(HostCommand {
            arrival,
            op,
            fua: false,
            sector: self.addresses.next(sectors),
            sectors,
            queue: 0,
            placement: 0,
        }))
    }

    fn len_hint(&self) -> Option<u64> {
        self.len
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
