//! A synthetic workload: addresses, request classes and arrivals, put together.

use wordline_units::{Seed, Stream};

use super::classes::Classes;
use super::schedule::Schedule;
use crate::config::WorkloadConfig;
use crate::{HostCommand, Source, SourceError};

/// Where requests fall.
pub(crate) trait Addresses: Send {
    /// First sector of the next request, of `sectors` sectors.
    fn next(&mut self, sectors: u32) -> u64;
}

/// A synthetic workload.
pub(crate) struct Generator<A> {
    schedule: Schedule,
    classes: Classes,
    class_draws: Stream,
    addresses: A,
}

impl<A: Addresses> Generator<A> {
    pub(crate) fn new(config: &WorkloadConfig, addresses: A, classes: Classes) -> Self {
        Self {
            schedule: Schedule::of(config),
            classes,
            class_draws: Seed(config.seed).stream("workload.request"),
            addresses,
        }
    }
}

impl<A: Addresses> Source for Generator<A> {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let Some(arrival) = self.schedule.next() else {
            return self.schedule.end();
        };
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
        self.schedule.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
