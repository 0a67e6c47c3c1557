//! Recorded block traces: one file per format, read as a stream.

mod bytes;
mod disksim;
mod fields;
mod flashsim;
pub mod format;
mod lines;
mod mqsim;
mod msr;
mod replayer;
mod row;
mod spc;
mod ssdsim;

pub use format::{Format, formats};
