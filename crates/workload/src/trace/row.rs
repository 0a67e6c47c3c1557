//! What a row of a trace says, whatever the format.

use std::borrow::Cow;
use std::num::NonZeroU64;

use super::offset_frequency::Offset;
use super::scan::Scan;
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
    /// Bytes; 0 for a request without length, such as a flush.
    pub(crate) bytes: u64,
    /// What else is asked for; few formats say.
    pub(crate) attributes: Attributes,
    /// Nanoseconds from the arrival to the completion, where the row says them. Writers of traces put 0 where they do
    /// not know.
    pub(crate) response: Option<NonZeroU64>,
}

/// What a request may say beside its extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// Forced unit access.
    pub(crate) fua: bool,
    /// Submission queue (tenant).
    pub(crate) queue: u16,
    /// Placement handle; 0 is none.
    pub(crate) placement: u16,
}

impl TraceRow {
    /// A request that says nothing beside its extent.
    #[inline]
    pub(crate) fn new(arrival: u64, device: u64, op: HostOp, start: u64, bytes: u64) -> Self {
        Self {
            arrival,
            device,
            op,
            start,
            bytes,
            attributes: Attributes::default(),
            response: None,
        }
    }

    /// The same with a response time in nanoseconds; 0 is none.
    #[inline]
    pub(crate) fn answered(self, response: u64) -> Self {
        Self {
            response: NonZeroU64::new(response),
            ..self
        }
    }

    /// A flush: it has neither an address nor a length.
    pub(crate) fn flush(arrival: u64, device: u64) -> Self {
        Self::new(arrival, device, HostOp::Flush, 0, 0)
    }

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

impl RowError {
    /// The row as a whole is wrong.
    #[cold]
    pub(crate) fn whole(found: impl Into<String>, accepted: &'static str) -> Self {
        Self {
            column: 0,
            what: "",
            found: found.into(),
            accepted: accepted.into(),
        }
    }
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

    /// Whether commas part its columns, so that rows are read as well whose columns stand in quotes, or which a spreadsheet has parted by semicolons or tabs.
    fn is_parted_by_commas(&self) -> bool {
        false
    }

    /// What the user should know once the rows are read: times that were repaired, for instance.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the rows so far can be of this format only, even where none of them is a request: a header says so.
    fn is_certain(&self) -> bool {
        false
    }
}

/// What the start of a buffer holds. The lengths are in bytes.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// A row of `used` bytes.
    Row {
        parsed: Result<Parsed, RowError>,
        used: usize,
    },
    /// A line of `used` bytes with nothing in it.
    Blank { used: usize },
    /// Something of `used` bytes between the rows of a binary format: no row, and not counted.
    Framing { used: usize },
    /// The record goes on beyond the buffer.
    Incomplete,
}

/// Requests that a batch holds at most.
const BATCH: usize = 256;

/// Requests decoded together, so that a reader asks its decoder once for many of them.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The requests, each with the number of its row, counted from 1.
    pub(crate) requests: Vec<(u64, TraceRow)>,
    /// Rows decoded so far, those of earlier batches and those without a request included.
    pub(crate) rows: u64,
}

/// Why a batch ends.
#[derive(Debug)]
pub(crate) enum BatchEnd {
    /// It is full.
    Full,
    /// Nothing whole is left in the buffer.
    Incomplete,
    /// The next record, of `used` bytes, cannot be read.
    Malformed { error: RowError, used: usize },
}

/// Takes records off the start of a buffer: lines of text, or binary records of any length.
pub(crate) trait Decoder: Send {
    /// Decodes the first record of `bytes`, which are not empty; `last` says that the file ends
    /// with them.
    fn decode(&mut self, bytes: &[u8], last: bool) -> Decoded;

    /// Decodes records into `batch` until it is full. Answers the bytes of the records taken, and
    /// why it stopped.
    fn fill(&mut self, bytes: &[u8], last: bool, batch: &mut Batch) -> (usize, BatchEnd) {
        let mut taken = 0;
        while batch.requests.len() < BATCH {
            let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) else {
                return (taken, BatchEnd::Incomplete);
            };
            match self.decode(rest, last) {
                Decoded::Row {
                    parsed: Ok(parsed),
                    used,
                } => {
                    batch.rows += 1;
                    taken += used;
                    if let Parsed::Request(row) = parsed {
                        batch.requests.push((batch.rows, row));
                    }
                }
                Decoded::Blank { used } => {
                    batch.rows += 1;
                    taken += used;
                }
                Decoded::Framing { used } => taken += used,
                Decoded::Row {
                    parsed: Err(error),
                    used,
                } => return (taken, BatchEnd::Malformed { error, used }),
                Decoded::Incomplete => return (taken, BatchEnd::Incomplete),
            }
        }
        (taken, BatchEnd::Full)
    }

    /// Whether the records so far can be of this format only, even where none of them is a request.
    fn is_certain(&self) -> bool {
        false
    }

    /// Whether the file may end here.
    ///
    /// # Errors
    /// What is missing, as a sentence goes on after the file's name.
    fn finish(&self) -> Result<(), String> {
        Ok(())
    }

    /// The totals of the whole trace, for a format that says them before its first record, once
    /// that record is decoded. The decoder refuses records that they do not cover.
    fn totals(&self) -> Option<Scan> {
        None
    }

    /// The table of a format that is one, once it is read, in place of a list of requests.
    fn offsets(&self) -> Option<&[Offset]> {
        None
    }

    /// What the user should know once the records are read.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}
