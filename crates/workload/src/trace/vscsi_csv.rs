//! vscsi traces as CSV (the form of libCacheSim, Yang et al.).

use super::fields::{Columns, LARGEST, SECTOR, Separator, extent, hexadecimal};
use super::format::{Format, text, unmistakable};
use super::names::is_header;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use super::scsi;
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "vscsi_csv",
    title: "vscsi CSV",
    description: "version (1 or 2), time in s, SCSI operation code in hexadecimal, bytes, logical block of 512 bytes; a \
                  header line is allowed",
    example: "version,time,op,size,lbn\n1,5633898,2a,512,42932745",
    binary: false,
    extensions: &["csv", "vscsicsv"],
    time_unit: TimeUnit::Seconds,
    source: "Waldspurger et al., FAST 2015, in the form of libCacheSim (https://github.com/1a1a11a/libCacheSim)",
    traps: &[
        "Times are whole seconds: all requests of a second arrive at the same time. The binary form has microseconds.",
        "SYNCHRONIZE CACHE becomes a flush; UNMAP and other commands are skipped.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(VscsiCsv {
            unit: reading.unit,
            first: true,
        })
    },
    actions: false,
};

struct VscsiCsv {
    unit: TimeUnit,
    first: bool,
}

impl RowParser for VscsiCsv {
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "version,time,op") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let version = columns.need("version")?;
        if !matches!(version, b"1" | b"2") {
            return Err(columns.wrong("version", version, "1 or 2"));
        }
        let arrival = columns.time("time", self.unit)?;
        let code = columns.need("op")?;
        let Some(code) = hexadecimal(code).and_then(|code| u8::try_from(code).ok()) else {
            return Err(columns.wrong(
                "op",
                code,
                "a SCSI operation code of two hexadecimal digits, such as 28 or 2a",
            ));
        };
        // the length stands before the address
        let (bytes, bytes_column) = (columns.number("size")?, columns.column());
        let block = columns.number("lbn")?;
        let (start, bytes) = extent(
            (columns.column(), "lbn", block, SECTOR),
            (bytes_column, "size", bytes, 1),
            LARGEST,
        )?;
        columns.end()?;
        Ok(match scsi::operation(code) {
            None => Parsed::Other,
            Some(HostOp::Flush) => Parsed::Request(TraceRow::flush(arrival, 0)),
            Some(op) => Parsed::Request(TraceRow::new(arrival, 0, op, start, bytes)),
        })
    }
}
