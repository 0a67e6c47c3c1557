//! The rows of a trace, one after the other.

use std::path::PathBuf;

use super::bytes::quoted;
use super::chunks::Chunks;
use super::format::{Format, Reading};
use super::offset_frequency::Offset;
use super::row::{Batch, BatchEnd, Decoder, TraceRow};
use super::scan::Scan;
use crate::time_unit::TimeUnit;
use crate::{SourceError, WorkloadError, ZeroLength};

/// A trace whose format is settled.
#[derive(Clone, Debug)]
pub(crate) struct TraceFile {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) reading: Reading,
    /// Whether nothing but its name says that its times have another unit than is usual.
    pub(crate) unit_from_name: bool,
}

/// Which rows of a trace are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Requests passed over at the start.
    pub(crate) skip: u64,
    /// Requests after those.
    pub(crate) take: u64,
    /// What happens to requests of length zero.
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
    /// Unit of its times and the usual one of its format, where the file's name alone says so.
    pub(crate) fn named_unit(&self) -> Option<(TimeUnit, TimeUnit)> {
        self.unit_from_name
            .then_some((self.reading.unit, self.format.time_unit))
    }

    /// Opens it for reading from the start.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(crate) fn rows(&self, wanted: Wanted) -> Result<Rows, WorkloadError> {
        Ok(Rows {
            chunks: Chunks::open(&self.path)?,
            decoder: (self.format.decoder)(&self.reading),
            file: self.clone(),
            wanted,
            batch: Batch::default(),
            next: 0,
            failure: None,
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
    batch: Batch,
    /// The request of the batch that comes next.
    next: usize,
    /// What stands after the batch.
    failure: Option<SourceError>,
    row: u64,
    zero_length: u64,
}

impl Rows {
    /// Number of the row that was read last, counted from 1, blank lines included.
    pub(crate) const fn row(&self) -> u64 {
        self.row
    }

    /// Share of the file that was read so far, 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        self.chunks.share()
    }

    /// The table that the requests are drawn from, if that is what the file holds.
    pub(crate) fn offsets(&self) -> Option<&[Offset]> {
        self.decoder.offsets()
    }

    /// What the decoder has to say once the rows are read.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.decoder.remarks()
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
            if row.bytes == 0 && row.op.has_length() {
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

    /// The totals of the wanted requests, where the file says them; nothing was read before.
    ///
    /// # Errors
    /// As `next_row`.
    pub(crate) fn totals(&mut self) -> Result<Option<Scan>, SourceError> {
        self.next_batch()?;
        let Wanted {
            skip,
            take,
            zero_length,
        } = self.wanted;
        Ok(self.decoder.totals().filter(|totals| {
            let all = skip == 0 && take >= totals.requests;
            all && (totals.zero_length == 0 || zero_length == ZeroLength::Skip)
        }))
    }

    /// The next request, wanted or not.
    ///
    /// # Errors
    /// A malformed row, a file that cannot be read on.
    #[inline]
    pub(crate) fn next_request(&mut self) -> Result<Option<TraceRow>, SourceError> {
        if self.next == self.batch.requests.len() {
            self.next_batch()?;
        }
        let Some((number, row)) = self.batch.requests.get(self.next) else {
            self.row = self.batch.rows;
            return Ok(None);
        };
        self.next += 1;
        self.row = *number;
        Ok(Some(*row))
    }

    /// Decodes the next batch; it is empty at the end of the file.
    fn next_batch(&mut self) -> Result<(), SourceError> {
        self.batch.requests.clear();
        self.next = 0;
        while self.batch.requests.is_empty() {
            if let Some(failure) = &self.failure {
                return Err(failure.clone());
            }
            let (bytes, last) = (self.chunks.bytes(), self.chunks.ended());
            if bytes.is_empty() && last {
                return self.decoder.finish().map_err(|problem| self.broken(&problem));
            }
            let (taken, end) = self.decoder.fill(bytes, last, &mut self.batch);
            if let BatchEnd::Malformed { error, used } = &end {
                let rest = bytes.get(taken..).unwrap_or_default();
                let text = quoted(rest.get(..*used).unwrap_or(rest).trim_ascii_end());
                self.failure = Some(self.failed(&format!(
                    "row {}: {error}; the row, read as {}, is {text}",
                    self.batch.rows + 1,
                    self.file.format.title
                )));
            }
            self.chunks.consume(taken);
            if matches!(end, BatchEnd::Incomplete) && self.batch.requests.is_empty() {
                if last && !self.chunks.bytes().is_empty() {
                    return Err(self.broken("the file ends within a record; is it complete?"));
                }
                self.chunks.more().map_err(|problem| self.broken(&problem))?;
            }
        }
        Ok(())
    }

    /// The file cannot be read on.
    fn broken(&self, problem: &str) -> SourceError {
        match self.batch.rows {
            0 => self.failed(problem),
            rows => self.failed(&format!("after row {rows}: {problem}")),
        }
    }

    /// An error about this file.
    pub(crate) fn failed(&self, problem: &str) -> SourceError {
        SourceError(format!("{}: {problem}", self.file.path.display()))
    }
}

#[cfg(test)]
impl Rows {
    /// Bytes of the file and requests that are held at once.
    pub(crate) fn held(&self) -> (usize, usize) {
        (self.chunks.held(), self.batch.requests.capacity())
    }
}
