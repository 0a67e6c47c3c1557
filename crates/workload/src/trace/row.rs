//! What a row of a trace says, whatever the format.

use std::borrow::Cow;

use crate::HostOp;

/// One request as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceRow {
    /// Arrival in nanoseconds since an origin of the trace's own.
    pub(crate) arrival: u64,
    /// Device, by a number of the trace's own.
    pub(crate) device: u64,
    /// What is asked for.
    pub(crate) op: HostOp,
    /// First byte on the device.
    pub(crate) start: u64,
    /// Bytes; 0 for a request without length.
    pub(crate) bytes: u64,
}

impl TraceRow {
    /// The byte after the last; rows whose end does not fit 63 bits are refused by the parsers.
    pub(crate) const fn end(&self) -> u64 {
        self.start + self.bytes
    }
}

/// What a row that reads well holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A request.
    Request(TraceRow),
    /// Something else that the format allows: a header, an event that is no request.
    Other,
}

/// Why a row cannot be read: the column, what stands there, what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowError {
    /// Column, counted from 1; 0 where the row as a whole is wrong.
    pub(crate) column: u32,
    /// What the column means: "arrival", "sectors".
    pub(crate) what: &'static str,
    /// What stands there.
    pub(crate) found: String,
    /// What would be accepted.
    pub(crate) accepted: Cow<'static, str>,
}

impl std::fmt::Display for RowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            column,
            what,
            found,
            accepted,
        } = self;
        if *column == 0 {
            write!(f, "{found}; accepted: {accepted}")
        } else {
            write!(f, "column {column} ({what}) is {found}; accepted: {accepted}")
        }
    }
}

/// Reads rows of one text format. A parser may remember what earlier rows said (a header, the
/// names of hosts).
pub(crate) trait RowParser: Send {
    /// Reads a row, given without its line end and with at least one character that is no blank.
    ///
    /// # Errors
    /// A row that the format does not allow.
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError>;
}

/// What the start of a buffer holds. The lengths are in bytes.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// A row of `used` bytes.
    Row {
        parsed: Result<Parsed, RowError>,
        used: usize,
    },
    /// Nothing to be counted as a row in `used` bytes.
    Blank { used: usize },
    /// The record goes on beyond the buffer.
    Incomplete,
}

/// Takes records off the start of a buffer: lines of text, or binary records of any length.
pub(crate) trait Decoder: Send {
    /// Decodes the first record of `bytes`, which are not empty; `last` says that the file ends
    /// with them. With `last` a decoder never answers `Incomplete`.
    fn decode(&mut self, bytes: &[u8], last: bool) -> Decoded;
}
