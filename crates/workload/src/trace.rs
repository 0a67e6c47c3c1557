//! Recorded block traces: one file per format, read as a stream.
//!
//! `detect` settles the format, `scan` reads the file once for its totals, `layout` finds each
//! device a place on the drive, and `replay` reads it again as commands.

mod alibaba;
mod biosnoop;
mod biotracer;
mod blkparse;
mod blktrace;
mod bytes;
mod chunks;
mod compression;
mod container;
mod convert;
mod csv;
pub(crate) mod detect;
mod disksim;
mod disksim_validate;
pub(crate) mod facts;
mod fields;
mod fio_iolog;
mod fio_iolog2;
mod fio_iolog3;
mod fiu;
mod five_columns;
mod flashsim;
pub(crate) mod format;
mod ftrace;
mod hfplayer;
mod layout;
mod lines;
mod measured;
mod mqsim;
mod msr;
mod msr_writer;
mod names;
pub(crate) mod offset_frequency;
mod oracle_general;
pub(crate) mod order;
mod output;
mod plausible;
mod quoted_columns;
pub(crate) mod reader;
pub(crate) mod replay;
mod replayer;
pub(crate) mod row;
mod rwbs;
pub(crate) mod scan;
mod scsi;
mod spc;
mod srt;
mod ssdsim;
mod ssdsim_hash;
mod systor17;
mod tencent;
#[cfg(test)]
mod tests;
mod vscsi;
mod vscsi_csv;
mod wiscsee;
mod wordline;

pub use convert::{Converted, convert};
pub use detect::TraceOptions;
pub use facts::{ArrivalGaps, TraceFacts};
pub use format::{Format, formats};
pub(crate) use layout::Layout;
pub use measured::{Measured, measured};
pub use wordline::TraceWriter;
