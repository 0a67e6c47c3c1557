//! Synthetic workloads: one file per kind of addresses, beside the classes of requests and the
//! laws of arrival that all of them share.

mod arrivals;
pub(crate) mod cascade;
pub(crate) mod classes;
mod generator;
mod hot_cold;
mod mixed;
mod places;
mod profile;
mod profile_arrivals;
mod random;
mod repeats;
pub(crate) mod scatter;
mod schedule;
mod sequential;
mod sizes;
pub(crate) mod slots;
mod store;
#[cfg(test)]
mod tests;
mod weights;
mod zipf;

use wordline_keys::RefusedValue;
use wordline_units::Seed;

use crate::Source;
use crate::config::{WorkloadConfig, WorkloadKind};

pub(crate) use profile::Surrogate;

use classes::Classes;
use generator::{Addresses, Generator};
use slots::Slots;

pub(crate) use slots::below;

/// The generator that `config`, which was checked, describes for a drive of `capacity` sectors.
///
/// # Errors
/// A region in which no request finds room.
pub(crate) fn open(config: &WorkloadConfig, capacity: u64) -> Result<Box<dyn Source>, RefusedValue> {
    if config.kind == WorkloadKind::LogStructured {
        return Ok(Box::new(store::Store::new(config, capacity)?));
    }
    let seed = Seed(config.seed);
    let classes = match config.kind {
        WorkloadKind::Mixed => mixed::classes(config),
        _ => Classes::of(config),
    };
    let slots = Slots::of(config, capacity, classes.smallest(), classes.largest())?;
    let addresses = || seed.stream("workload.address");
    Ok(match config.kind {
        WorkloadKind::Sequential => boxed(config, classes, sequential::Sequential::new(slots)),
        WorkloadKind::Zipf => boxed(config, classes, zipf::Zipf::new(slots, config, addresses())?),
        WorkloadKind::HotCold => boxed(
            config,
            classes,
            hot_cold::HotCold::new(slots, config, addresses())?,
        ),
        _ => boxed(config, classes, random::Random::new(slots, addresses())),
    })
}

fn boxed(config: &WorkloadConfig, classes: Classes, addresses: impl Addresses + 'static) -> Box<dyn Source> {
    Box::new(Generator::new(config, addresses, classes))
}
