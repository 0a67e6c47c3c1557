//! Where host commands come from: traces, synthetic generators, and statistics over both.

mod command;

pub use command::{HostCommand, HostOp, Source, SourceError};
