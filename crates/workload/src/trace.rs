//! Recorded block traces: one file per format, read as a stream.
//!
//! `detect` settles the format, `scan` reads the file once for its totals, `layout` finds each
//! device a place on the drive, and `replay` reads it again as commands.

mod bytes;
mod chunks;
mod convert;
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
mod msr_writer;
pub(crate) mod order;
mod output;
pub(crate) mod reader;
pub(crate) mod replay;
mod replayer;
pub(crate) mod row;
pub(crate) mod scan;
mod spc;
mod ssdsim;
#[cfg(test)]
mod tests;
mod wordline;

pub use convert::{Converted, convert};
pub use format::{Format, formats};
pub(crate) use layout::Layout;
pub use wordline::TraceWriter;
