//! Logs of fio, versions 2 and 3 (`write_iolog`, `read_iolog`; fio's documentation, "Trace file format").

use super::fields::{Columns, Separator};
use super::names::Names;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

/// Which version of the format, by its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// No times, but `wait`.
    Two,
    /// A time in front of each row.
    Three,
}

impl Version {
    pub(crate) const fn first_line(self) -> &'static str {
        match self {
            Self::Two => "fio version 2 iolog",
            Self::Three => "fio version 3 iolog",
        }
    }
}

/// Reads either version.
pub(crate) struct Iolog {
    unit: TimeUnit,
    version: Version,
    /// The first line is yet to come.
    first: bool,
    /// Files, each a device.
    files: Names,
    /// Version 2: the latest time that was waited for, in nanoseconds.
    clock: u64,
}

impl Iolog {
    pub(crate) fn new(version: Version, unit: TimeUnit) -> Self {
        Self {
            unit,
            version,
            first: true,
            files: Names::default(),
            clock: 0,
        }
    }

    /// What an action asks for; `None` for one that is no request.
    fn operation(&self, columns: &Columns<'_>, action: &[u8]) -> Result<Option<HostOp>, RowError> {
        Ok(match action {
            b"read" => Some(HostOp::Read),
            b"write" => Some(HostOp::Write),
            b"trim" => Some(HostOp::Trim),
            b"sync" | b"datasync" => Some(HostOp::Flush),
            // does not reach the drive's cache
            b"sync_file_range" | b"add" | b"open" | b"close" => None,
            // fio passes over those of version 3
            b"wait" => None,
            other => {
                let accepted = match self.version {
                    Version::Two => "read, write, trim, sync, datasync, wait, add, open or close",
                    Version::Three => {
                        "read, write, trim, sync, datasync, wait (passed over), add, open or close"
                    }
                };
                return Err(columns.wrong("action", other, accepted));
            }
        })
    }
}

impl RowParser for Iolog {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let expected = self.version.first_line();
        let first = std::mem::take(&mut self.first);
        // fio appends to a log that is there
        if row.trim_ascii() == expected.as_bytes() {
            return Ok(Parsed::Other);
        }
        if first {
            let found = format!("the first line is {}", super::bytes::quoted(row));
            return Err(RowError::whole(found, expected));
        }
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = match self.version {
            Version::Two => self.clock,
            Version::Three => columns.time("time", self.unit)?,
        };
        let file = columns.need("file")?;
        let file = self.files.number(file, columns.column(), "file")?;
        let action = columns.need("action")?;
        let op = self.operation(&columns, action)?;
        match op {
            Some(HostOp::Flush) => return Ok(Parsed::Request(TraceRow::flush(arrival, file))),
            Some(op) => {
                let (start, bytes) = columns.extent_of(op, ("offset", 1), None, ("length", 1))?;
                columns.end()?;
                return Ok(Parsed::Request(TraceRow::new(arrival, file, op, start, bytes)));
            }
            None if action == b"wait" && self.version == Version::Two => {
                // until so long after the start, as fio's `read_iolog_get` waits, whatever its HOWTO says
                let until = columns.time("offset", self.unit)?;
                self.clock = self.clock.max(until);
            }
            None => {}
        }
        Ok(Parsed::Other)
    }
}
