//! Years of use: wear and retention of every block of a drive, without a clock for single operations.
//!
//! The FTL runs in the functional mode under a workload's writes; every block keeps its wear (FENCE). Once the mapping is
//! in a steady state, only the wear drifts: the engine measures how fast each pool erases its blocks and after which
//! rests, advances the wear of every block analytically over weeks, simulates again, and compares what it predicted with
//! what it finds. After sections 9 to 11 of the specification of lifetimes.
//!
//! A policy that refreshes weak blocks belongs between two writes (`simulate.rs`, `pass`) and between two skips
//! (`engine.rs`, `skip`): there the wear of all blocks and the FTL are at hand.

mod climate;
mod consistent;
mod control;
mod engine;
mod fleet;
mod halves;
mod interpolated;
mod judging;
mod ledger;
mod looks;
mod measure;
mod options;
mod report;
mod simulate;
mod skip;
mod state;
mod study;
mod wear;
mod writes;

#[cfg(test)]
mod tests;

pub use fleet::FleetOptions;
pub use options::{Fidelity, Keep, LifetimeEvent, LifetimeOptions, LifetimeProgress};
pub use report::{BlockColumns, BlockSnapshot, LifetimeReport, PERCENTILES, Snapshot};
pub use state::{StateError, identity as lifetime_identity};
pub use study::lifetime;
