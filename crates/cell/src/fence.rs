//! FENCE: how long data last, from the history of program and erase stress, rest and temperature.
//!
//! Every program and every erase leaves charge in the tunnel oxide; rest frees part of it; the trapped charge
//! opens a leak. Retention is the charge that tells a level, less the charge already lost to traps, by that leak.
//! After V. Mohan, PhD dissertation, University of Virginia, 2015, chapter 3. The model is deterministic, of a
//! mean cell: it knows neither bit errors nor codes. SI units throughout, temperatures in degrees Celsius.
//!
//! [`RetentionModel`] solves exactly. [`Lookup`] reads the same from a table, for drives with many blocks, which
//! keep a [`WearState`] each. [`Course`] advances wear over millions of events.

mod barrier;
mod batches;
mod constants;
mod course;
mod error;
mod family;
mod grid;
mod leakage;
mod lookup;
mod model;
mod params;
mod rests;
mod thermal;
mod traps;
mod tunnelling;
mod variation;
mod varied;
mod wear;

#[cfg(test)]
mod tests;

pub use crate::heat::arrhenius;
pub use barrier::Barrier;
pub use batches::BatchRecurrence;
pub use constants::{DAY, MONTH, YEAR};
pub use course::Course;
pub use error::{ParamError, TimeRunsBack};
pub use family::{Courses, Family, Place};
pub use lookup::Lookup;
pub use model::RetentionModel;
pub use params::{CellKind, CellParams, MINIMUM_USABLE, PARAMETERS, Parameter, Provenance};
pub use rests::RestHistogram;
pub use thermal::{DETRAPPING_EV, REFERENCE_CELSIUS, RETENTION_EV, RestAcceleration};
pub use variation::{CellDraw, Variation, normal};
pub use varied::{Advance, VariedCells};
pub use wear::{Representative, Stress, WearState};
