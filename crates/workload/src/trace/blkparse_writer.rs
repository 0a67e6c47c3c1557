//! Writes the text of blkparse, as if every request had been issued to the driver (action D).

use std::io::Write;
use std::path::{Path, PathBuf};

use super::fields::{SECTOR, largest};
use super::output::{Output, failure};
use super::row::{Attributes, TraceRow};
use crate::{HostOp, WorkloadError};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Writes events. The halves of a device's number are its major and minor number.
pub(crate) struct BlkparseWriter {
    path: PathBuf,
    output: Output,
    /// Events so far.
    sequence: u64,
    /// Requests that begin or end within a sector.
    within_sector: u64,
    /// Requests whose queue or placement handle has no column.
    bare: u64,
}

/// The letters of an operation; `None` for one that has none.
const fn letters(op: HostOp, fua: bool) -> Option<&'static str> {
    match op {
        HostOp::Read => Some("R"),
        HostOp::Write if fua => Some("WFS"),
        HostOp::Write => Some("W"),
        HostOp::Trim => Some("D"),
        HostOp::Flush => Some("FF"),
        _ => None,
    }
}

impl BlkparseWriter {
    /// Begins a text at `path`.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn create(path: &Path) -> Result<Self, WorkloadError> {
        Ok(Self {
            path: path.to_owned(),
            output: Output::create(path)?,
            sequence: 0,
            within_sector: 0,
            bare: 0,
        })
    }

    /// Appends a request. One that begins or ends within a sector takes the whole of it, as in a replay; one of no bytes takes none.
    ///
    /// # Errors
    /// A request that block events do not have, a disk that is full.
    pub(crate) fn write_row(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        let Attributes {
            fua,
            queue,
            placement,
        } = row.attributes;
        let letters = letters(row.op, fua).ok_or_else(|| {
            let problem = format!(
                "a request of kind {:?}; blkparse text holds reads, writes, trims and flushes, Wordline binary (.wlt) and Parquet hold all",
                row.op
            );
            WorkloadError::file(&self.path, problem)
        })?;
        let first = row.start / SECTOR;
        let sectors = match row.bytes {
            0 => 0,
            _ => row.end().div_ceil(SECTOR) - first,
        };
        if sectors * SECTOR > largest(row.op) {
            let problem = format!(
                "a request of {} bytes within sectors; whole ones, which blkparse text counts, would be more than it may have",
                row.bytes
            );
            return Err(WorkloadError::file(&self.path, problem));
        }
        self.sequence += 1;
        let unseen = (queue, placement) != (0, 0) || (fua && row.op != HostOp::Write);
        self.bare += u64::from(unseen);
        let (major, minor) = (row.device >> 32, row.device & 0xffff_ffff);
        let (s, ns) = (row.arrival / SECOND, row.arrival % SECOND);
        let written = write!(
            self.output,
            "{major:>3},{minor:<3} {:>2} {:>8} {s:>5}.{ns:09} {:>5}  D {letters:>3} ",
            0, self.sequence, 0
        );
        self.within_sector += u64::from(row.bytes > 0 && !(row.start | row.bytes).is_multiple_of(SECTOR));
        let written = written.and_then(|()| match row.op {
            HostOp::Flush => writeln!(self.output, "[wordline]"),
            _ => writeln!(self.output, "{first} + {sectors} [wordline]"),
        });
        written.map_err(|error| failure(&self.path, &error))
    }

    /// Ends the text and gives it its name. Answers what it could not hold.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced.
    pub(crate) fn finish(self) -> Result<Option<String>, WorkloadError> {
        self.output.publish()?;
        let mut told = Vec::new();
        if self.within_sector > 0 {
            told.push(format!(
                "{} requests begin or end within a sector and take the whole of it",
                self.within_sector
            ));
        }
        if self.bare > 0 {
            told.push(format!(
                "{} requests lost their queue or placement handle, for which blkparse text has no column",
                self.bare
            ));
        }
        Ok((!told.is_empty()).then(|| format!("{}: {}", self.path.display(), told.join("; "))))
    }
}
