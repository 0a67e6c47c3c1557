//! A synthetic workload: addresses, request classes and arrivals, put together.

use wordline_units::{Seed, Stream};

use super::classes::Classes;
use super::schedule::Schedule;
use crate::config::WorkloadConfig;
use crate::{HostCommand, HostOp, Source, SourceError};

/// Where requests fall.
pub(crate) trait Addresses: Send {
    /// First sector of the next request, of `sectors` sectors.
    fn next(&mut self, sectors: u32) -> u64;

    /// The placement handle of a write there, where the place decides on it.
    fn placement(&self) -> Option<u16> {
        None
    }
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

    /// The next command; none at the end, of which the schedule says more.
    #[inline]
    fn draw(&mut self) -> Option<HostCommand> {
        let arrival = self.schedule.next()?;
        let (op, sectors, placement) = self.classes.draw(&mut self.class_draws);
        let sector = self.addresses.next(sectors);
        let of_place = self.addresses.placement().filter(|_| op == HostOp::Write);
        Some(HostCommand {
            arrival,
            op,
            fua: false,
            sector,
            sectors,
            queue: 0,
            placement: of_place.unwrap_or(placement),
        })
    }
}

impl<A: Addresses> Source for Generator<A> {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        match self.draw() {
            Some(command) => Ok(Some(command)),
            None => self.schedule.end(),
        }
    }

    fn next_commands(&mut self, most: usize, commands: &mut Vec<HostCommand>) -> Result<(), SourceError> {
        let before = commands.len();
        commands.extend(std::iter::from_fn(|| self.draw()).take(most));
        if commands.len() == before {
            commands.extend(self.schedule.end()?);
        }
        Ok(())
    }

    fn is_drawn(&self) -> bool {
        true
    }

    fn len_hint(&self) -> Option<u64> {
        self.schedule.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
