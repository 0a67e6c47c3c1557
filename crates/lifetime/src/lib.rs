//! Years of use: wear and retention of every block of a drive, without a clock for single operations.
//!
//! The FTL runs in the functional mode under a workload's writes; every block keeps its wear, from which follows how long it keeps data: by trapped charge (FENCE, `wordline_cell::fence`)
//! or by the errors that a code corrects (`cells.rs`).
//! Once the mapping is in a steady state, only the wear of blocks goes on changing. The engine then measures, in *windows*
//! of simulated time, how fast the blocks of each group of planes are erased and how long they rest before each program
//! and erase; two windows in a row are an *epoch*. From the epochs it computes the wear of every block after a *skip* of
//! weeks without simulating them, simulates again, and compares the wear that it predicted with the wear that it measures:
//! a skip whose error is too large is undone. Some skips are done in two steps and compared with the same skip in one
//! (step doubling).
//!
//! A *rest* is the time between two events (program, erase) of a block, in which its cells recover. A *snapshot* is a row
//! of the result: percentiles of retention and wear over blocks at a time; the saved state of a study is its *state*.
//!
//! Response times within a study are those of *samples* (`engine/timed.rs`): a copy of the drive runs the workload with a clock for some time.
//!
//! Where the FTL refreshes blocks (`[ftl.refresh]`), it is told between writes how long they keep data (`BlockHealth` of the drive, which one with a clock uses too), and looks at its queues when it asks to
//! (`simulation.rs`). In time that is skipped, data that stay in a block grow older and are refreshed when they are due (`held_blocks.rs`, `engine/refreshed.rs`).

mod block_wear;
mod cells;
mod copied_ftl;
mod drift;
mod engine;
mod epoch_ledger;
mod error;
mod fleet;
mod full_step;
mod held_blocks;
mod host_writes;
mod interpolation;
mod nearest_rank;
mod options;
mod pool_walk;
mod refresh_report;
mod refreshing;
mod report;
mod simulation;
mod skip;
mod skip_control;
mod state;
mod study;
mod study_snapshots;
mod temperature;
mod timed;
mod timed_drive;
mod window;

#[cfg(test)]
mod tests;

pub use error::LifetimeError;
pub use fleet::FleetOptions;
pub use options::{Fidelity, Keep, LifetimeEvent, LifetimeOptions, LifetimeProgress, StudiedCells};
pub use refresh_report::RefreshReport;
pub use report::{BlockColumns, BlockSnapshot, LifetimeReport, PERCENTILES, Snapshot};
pub use state::{StateError, identity};
pub use study::lifetime;
pub use timed::{RATIO_AT_END, TimedOptions, TimedReport, TimedSample};
