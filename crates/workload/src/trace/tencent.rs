//! Tencent's cloud block storage as CSV (Zhang et al., "OSCA", ATC 2020).

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::names::is_header;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "tencent",
    title: "Tencent CBS CSV",
    description: "time in s, sector and sectors of 512 bytes, type (0 read, 1 write), volume; each volume is a device",
    example: "1538323200,4247200,128,1,1058",
    binary: false,
    extensions: &["csv", "tencent"],
    time_unit: TimeUnit::Seconds,
    source: "Zhang et al., \"OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block Storage Systems\", ATC 2020",
    traps: &[
        "Type 0 is a read and 1 a write, the opposite of SSDsim and related formats.",
        "Times are whole seconds: all requests of a second arrive at the same time. Consider workload.replay = \"closed_loop\".",
        "Rows are not in chronological order; they are sorted (workload.disorder).",
        "Thousands of volumes, placed one after the other, need a drive of many TiB: workload.fold = \"modulo\" or workload.devices = \
         \"fold\".",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Tencent {
            unit: reading.unit,
            first: true,
        })
    },
    actions: false,
};

struct Tencent {
    unit: TimeUnit,
    first: bool,
}

impl RowParser for Tencent {
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "timestamp,") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let arrival = columns.time("timestamp", self.unit)?;
        let (start, bytes) = columns.extent(("offset", SECTOR), ("size", SECTOR))?;
        let op = match columns.need("type")? {
            b"0" => HostOp::Read,
            b"1" => HostOp::Write,
            other => return Err(columns.wrong("type", other, "0 (read) or 1 (write)")),
        };
        let device = columns.number("volume")?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
