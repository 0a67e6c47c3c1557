//! MSR Cambridge CSV (Narayanan, Donnelly and Rowstron, "Write Off-Loading", FAST 2008).

use super::fields::{Columns, Separator};
use super::format::{Format, text, unmistakable};
use super::names::{Names, is_header};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "msr",
    title: "MSR Cambridge CSV",
    description: "timestamp in ticks of 100 ns since 1601 (Windows file time), host, disk number, Read or Write (R or W), \
                  offset in bytes, size in bytes, response time in ticks; each disk of each host is a \
                  device; a header line is allowed",
    example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
    binary: false,
    extensions: &["csv", "msr"],
    time_unit: TimeUnit::Ticks,
    source: "Narayanan, Donnelly and Rowstron, \"Write Off-Loading: Practical Power Management for Enterprise Storage\", FAST 2008",
    traps: &[
        "Times are Windows file times in units of 100 ns, not in milliseconds or nanoseconds.",
        "Most rows are in chronological order; the others are sorted (workload.disorder).",
        "Each published file holds one volume.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Msr {
            unit: reading.unit,
            hosts: Names::default(),
            first: true,
        })
    },
    actions: false,
};

struct Msr {
    unit: TimeUnit,
    hosts: Names,
    first: bool,
}

impl RowParser for Msr {
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "Timestamp,Hostname") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let arrival = columns.time("Timestamp", self.unit)?;
        let name = columns.need("Hostname")?;
        let host = self.hosts.number(name, columns.column(), "Hostname")?;
        let disk = columns.device_number("DiskNumber")?;
        let word = columns.need("Type")?;
        let is =
            |name: &[u8], letter: &[u8]| word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(letter);
        let op = if is(b"Read", b"R") {
            HostOp::Read
        } else if is(b"Write", b"W") {
            HostOp::Write
        } else {
            return Err(columns.wrong("Type", word, "Read or Write, or R or W"));
        };
        let (start, bytes) = columns.extent(("Offset", 1), ("Size", 1))?;
        let response = columns.time("ResponseTime", self.unit)?;
        columns.end()?;
        let device = host << 32 | disk;
        let row = TraceRow::new(arrival, device, op, start, bytes);
        Ok(Parsed::Request(row.answered(response)))
    }
}
