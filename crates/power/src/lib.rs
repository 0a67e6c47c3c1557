//! HOW MUCH energy an operation costs: the analytical model FlashPower.
//!
//! From the description of a chip follows the energy of every read, program and erase, by kind of page and by
//! what the cells hold, split by component. After V. Mohan, "Towards Building Energy Efficient, Reliable, and
//! Scalable NAND Flash Based Storage Systems", PhD dissertation, University of Virginia, 2015, chapter 2. The crate
//! knows nothing of drives. Beside it stands what heat does to a body ([`ThermalModel`]).

mod address_map;
mod breakdown;
mod calibrate;
mod chip;
mod chips;
mod circuit;
pub mod config;
pub mod constants;
mod error;
mod inputs;
mod linear;
mod operations;
mod pages;
mod states;
mod sweep;
mod technology;
mod thermal;
pub mod tunnelling;

pub use address_map::AddressMap;
pub use breakdown::{Affine, Breakdown, Component};
pub use calibrate::{Calibrated, Measured, MeasuredOperation, calibrate};
pub use chip::{Chip, Data, Operation, StateEnergy};
pub use chips::chips;
pub use circuit::Circuit;
pub use config::{ChipConfig, ChipSource};
pub use error::ChipError;
pub use operations::{Operations, Pulse, Pulsed};
pub use pages::{FULL_SEQUENCE, PageEnergy};
pub use states::{MAX_BITS, PageKind, ProgramState, States};
pub use sweep::{Sweep, SweepColumn, sweep};
pub use technology::Technology;
pub use thermal::ThermalModel;
