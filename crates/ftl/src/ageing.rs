//! Ageing: the state that a run starts from (allocation specification, section 9).

mod config;
mod cycle;
mod error;
mod invalidated;
mod load;
mod overwritten;
mod placed;
mod steady_state;

use wordline_nand::BlockId;
use wordline_units::{ByteSize, Seed, SimTime};

pub use config::{AgeConfig, AgeMethod, PlaceReads};
pub use error::AgeError;
pub use load::{Load, Pressure, Reclaim};
pub use placed::{PlacedPage, place};

use crate::allocation::Order;
use crate::contract::{Ageable, Mapping, Subjects};
use crate::error::FtlError;
use crate::snapshot::{self, SnapshotError};

/// Random overwrites, in multiples of the user space, that bring a mapping without a closed form to its steady state (FTL
/// specification, 9.1).
const STEADY_FACTOR: f64 = 5.0;

/// What ageing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aged {
    /// What the user should know, in words.
    pub notes: Vec<String>,
    /// The time of the drive afterwards: ages of blocks lie before it.
    pub now: SimTime,
    /// Write amplification of the steady state that was drawn.
    pub amplification: Option<f64>,
}

/// How the drive is filled.
///
/// # Errors
/// A mapping that nothing is filled of from outside.
fn fillable(ftl: &mut dyn Mapping) -> Result<&mut dyn Ageable, FtlError> {
    let mapping = ftl.identity().mapping;
    let refused = || {
        let accepted = format!(
            "\"fresh\" or \"snapshot\", without initial_cycles, with ftl.mapping = \"{mapping}\": it cannot be filled"
        );
        FtlError::new("age.method", "another", accepted)
    };
    ftl.ageable_mut().ok_or_else(refused)
}

/// Bytes of a unit of several pages. Of any other, none: the array that ageing fills then knows its own, which such a unit does not.
fn logical_page(ftl: &dyn Mapping) -> Option<ByteSize> {
    let pages = ftl.facts().pages_per_unit;
    (pages > 1).then(|| ByteSize(u64::from(ftl.geometry().page_bytes) * u64::from(pages)))
}

/// Ages a fresh drive for the functional mode. `order` says in which order the planes take turns where the FTL leaves
/// them open (`allocation.order`).
///
/// # Errors
/// Values out of range; user pages that leave collection no room, with the sum that fails; a
/// snapshot that cannot be loaded.
pub fn age(ftl: &mut dyn Mapping, config: &AgeConfig, order: Order, seed: Seed) -> Result<Aged, AgeError> {
    age_watched(ftl, config, order, seed, &|_| Pressure::NONE, &mut |_| true)
}

/// As [`age`], for a run whose `load` presses on the pools; `watch` is told the share done now and then and stops it by
/// returning false.
///
/// # Errors
/// As [`age`]; `AgeError::Interrupted`.
pub fn age_watched(
    ftl: &mut dyn Mapping,
    config: &AgeConfig,
    order: Order,
    seed: Seed,
    load: Load<'_>,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Aged, AgeError> {
    config.validate()?;
    if !matches!(config.method, AgeMethod::SteadyState | AgeMethod::Snapshot) && config.initial_cycles > 0 {
        let blocks = ftl.geometry().blocks();
        let ageable = fillable(ftl)?;
        for block in 0..blocks {
            ageable.set_erase_count(BlockId(block), config.initial_cycles);
        }
    }
    let unit = logical_page(ftl);
    let aged = match config.method {
        AgeMethod::Fresh => Ok(Aged::default()),
        AgeMethod::Invalidated => invalidated::age(ftl, config),
        AgeMethod::Overwritten => overwritten::age(ftl, config, config.random_factor, order, seed, watch),
        AgeMethod::SteadyState => match ftl.ageable_mut().and_then(Ageable::by_rule) {
            Some(ftl) => steady_state::age(ftl, unit, config, seed, load, watch),
            None => overwritten::age(ftl, config, STEADY_FACTOR, order, seed, watch),
        },
        AgeMethod::Snapshot => {
            let path = config.snapshot.as_deref().unwrap_or_default();
            let loaded = snapshot::load_watched(ftl, path.as_ref(), &mut || watch(0.0));
            let now = loaded.map_err(|error| match error {
                SnapshotError::Interrupted => AgeError::Interrupted,
                error => AgeError::from(error),
            })?;
            Ok(Aged {
                notes: vec![format!("drive state loaded from {path}")],
                now,
                amplification: None,
            })
        }
    }?;
    if let Some(ageable) = ftl.ageable_mut() {
        ageable.complete_age(order, aged.now, seed)?;
    }
    Ok(Aged {
        now: aged.now + config.storage,
        ..aged
    })
}
