//! The rows of a trace, one after the other.

use std::path::PathBuf;

use super::bytes::quoted;
use super::chunks::Chunks;
use super::format::Format;
use super::row::{Decoded, Decoder, Parsed, TraceRow};
use crate::config::TimeUnit;
use crate::{SourceError, WorkloadError, ZeroLength};

/// A trace whose format is settled.
#[derive(Clone, Debug)]
pub(crate) struct TraceFile {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) unit: TimeUnit,
}

/// Which rows of a trace are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Requests passed over at the start.
    pub(crate) skip: u64,
    /// Requests after those.
    pub(crate) take: u64,
    /// What happens to requests without length.
    pub(crate) zero_length: ZeroLength,
}

impl Wanted {
    /// The whole trace, less requests without length.
    pub(crate) const ALL: Self = Self {
        skip: 0,
        take: u64::MAX,
        zero_length: ZeroLength::Skip,
    };
}

impl TraceFile {
    /// Opens it for reading from the start.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(crate) fn rows(&self, wanted: Wanted) -> Result<Rows, WorkloadError> {
        Ok(Rows {
            chunks: Chunks::open(&self.path)?,
            decoder: (self.format.decoder)(self.unit),
            file: self.clone(),
            wanted,
            row: 0,
            zero_length: 0,
        })
    }
}

/// The wanted requests of a trace, as a stream.
pub(crate) struct Rows {
    chunks: Chunks,
    decoder: Box<dyn Decoder>,
    file: TraceFile,
    wanted: Wanted,
    row: u64,
    zero_length: u64,
}

impl Rows {
    /// Number of the row that was read last, counted from 1, blank lines included.
    pub(crate) const fn row(&self) -> u64 {
        self.row
    }

    /// Requests without length that were passed over so far.
    pub(crate) const fn zero_length(&self) -> u64 {
        self.zero_length
    }

    /// The next request, `None` at the end.
    ///
    /// # Errors
    /// A malformed row, a file that cannot be read on, a request without length where those are
    /// refused.
    pub(crate) fn next_row(&mut self) -> Result<Option<TraceRow>, SourceError> {
        while self.wanted.take > 0 {
            let Some(row) = self.next_request()? else {
                return Ok(None);
            };
            if row.bytes == 0 {
                if self.wanted.zero_length == ZeroLength::Refuse {
                    return Err(self.failed(&format!(
                        "row {}: a request without length; set workload.zero_length = \"skip\" to leave such rows out",
                        self.row
                    )));
                }
                self.zero_length += 1;
            } else if self.wanted.skip > 0 {
                self.wanted.skip -= 1;
            } else {
                self.wanted.take -= 1;
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    #[inline]
    fn next_request(&mut self) -> Result<Option<TraceRow>, SourceError> {
        loop {
            let bytes = self.chunks.bytes();
            if bytes.is_empty() {
                if self.chunks.ended() {
                    return Ok(None);
                }
                self.read_on()?;
                continue;
            }
            match self.decoder.decode(bytes, self.chunks.ended()) {
                Decoded::Row {
                    parsed: Ok(Parsed::Request(row)),
                    used,
                } => {
                    self.row += 1;
                    self.chunks.consume(used);
                    return Ok(Some(row));
                }
                Decoded::Row {
                    parsed: Ok(Parsed::Other),
                    used,
                }
                | Decoded::Blank { used } => {
                    self.row += 1;
                    self.chunks.consume(used);
                }
                Decoded::Row {
                    parsed: Err(error),
                    used,
                } => {
                    let text = quoted(bytes[..used].trim_ascii_end());
                    return Err(self.failed(&format!(
                        "row {}: {error}; the row, read as {}, is {text}",
                        self.row + 1,
                        self.file.format.title
                    )));
                }
                Decoded::Incomplete => self.read_on()?,
            }
        }
    }

    fn read_on(&mut self) -> Result<(), SourceError> {
        self.chunks.more().map_err(|problem| {
            let place = if self.row == 0 {
                String::new()
            } else {
                format!("after row {}: ", self.row)
            };
            self.failed(&format!("{place}{problem}"))
        })
    }

    /// An error about this file.
    pub(crate) fn failed(&self, problem: &str) -> SourceError {
        SourceError(format!("{}: {problem}", self.file.path.display()))
    }
}
