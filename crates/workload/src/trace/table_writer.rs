//! Writes a table of requests as a Parquet file, which data frames and databases read.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::compression::Compression;
use super::output::{failure, temporary};
use super::row::TraceRow;
use super::tables;
use crate::{HostOp, WorkloadError};

/// The names of the columns, which the format `table` reads back.
const HEADER: &str = "time_ns,op,offset,size,device,response_ns,fua,queue,placement";

/// Writes rows as text beside the output, from which the file of columns is made at the end.
pub(crate) struct TableWriter {
    path: PathBuf,
    text: BufWriter<NamedTempFile<File>>,
}

/// What an operation is called.
pub(crate) const fn word(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "read",
        HostOp::Write => "write",
        HostOp::Trim => "trim",
        HostOp::WriteZeroes => "write_zeroes",
        HostOp::Flush => "flush",
        HostOp::ZoneAppend => "zone_append",
        HostOp::ZoneOpen => "zone_open",
        HostOp::ZoneClose => "zone_close",
        HostOp::ZoneFinish => "zone_finish",
        HostOp::ZoneReset => "zone_reset",
    }
}

impl TableWriter {
    /// Begins a table at `path`.
    ///
    /// # Errors
    /// A folder that cannot be written to; a name that asks for compression.
    pub(crate) fn create(path: &Path) -> Result<Self, WorkloadError> {
        if Compression::of_name(path).0 != Compression::Plain {
            let problem = "Parquet is compressed in itself; leave out the ending behind .parquet";
            return Err(WorkloadError::file(path, problem));
        }
        let failed = |error: &std::io::Error| failure(path, error);
        let mut text = BufWriter::new(temporary(path).map_err(|error| failed(&error))?);
        writeln!(text, "{HEADER}").map_err(|error| failed(&error))?;
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// Appends a request.
    ///
    /// # Errors
    /// A disk that is full.
    pub(crate) fn write_row(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        let attributes = row.attributes;
        let response = row
            .response
            .map_or_else(String::new, |ns: NonZeroU64| ns.to_string());
        writeln!(
            self.text,
            "{},{},{},{},{},{response},{},{},{}",
            row.arrival,
            word(row.op),
            row.start,
            row.bytes,
            row.device,
            attributes.fua,
            attributes.queue,
            attributes.placement
        )
        .map_err(|error| failure(&self.path, &error))
    }

    /// Makes the file of columns and gives it its name.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced, nobody who writes such files.
    pub(crate) fn finish(self) -> Result<Option<String>, WorkloadError> {
        let Self { path, text } = self;
        let failed = |error: std::io::Error| failure(&path, &error);
        let text = text.into_inner().map_err(|error| failed(error.into_error()))?;
        let output = temporary(&path).map_err(failed)?;
        tables::write(text.path(), output.path(), &path)?;
        output.persist(&path).map_err(|error| failed(error.error))?;
        Ok(None)
    }
}
