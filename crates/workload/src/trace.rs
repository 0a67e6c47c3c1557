//! Recorded block traces: one file per format, read as a stream.
//!
//! `detect` settles the format, `scan` reads the file once for its totals, `layout` finds each
//! device a place on the drive, and `replay` reads it again as commands.

mod bytes;
mod chunks;
pub(crate) mod detect;
mod disksim;
mod fields;
mod five_columns;
mod flashsim;
pub(crate) mod format;
mod layout;
mod lines;
mod mqsim;
mod msr;
pub(crate) mod order;
pub(crate) mod reader;
pub(crate) mod replay;
mod replayer;
pub(crate) mod row;
pub(crate) mod scan;
mod spc;
mod ssdsim;
#[cfg(test)]
mod tests;

pub use format::{Format, formats};
pub(crate) use layout::Layout;
