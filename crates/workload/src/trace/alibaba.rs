//! Alibaba's block traces as CSV (Li et al., IISWC 2020).

use super::fields::{Columns, Separator};
use super::format::{Format, text, unmistakable};
use super::names::is_header;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "alibaba",
    title: "Alibaba block trace CSV",
    description: "device, R or W, offset in bytes, length in bytes, time in µs; a header line is allowed",
    example: "0,R,126703661056,4096,1577808000000046",
    binary: false,
    extensions: &["csv", "alibaba"],
    time_unit: TimeUnit::Microseconds,
    source: "Li et al., \"An In-Depth Analysis of Cloud Block Storage Workloads in Large-Scale Production\", IISWC 2020",
    traps: &[
        "A thousand volumes, placed one after the other, need a drive of many TiB: workload.fold = \"modulo\" or workload.devices = \
         \"fold\".",
        "Written from the published description: it was not tested with a real file.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Alibaba {
            unit: reading.unit,
            first: true,
        })
    },
    actions: false,
};

struct Alibaba {
    unit: TimeUnit,
    first: bool,
}

impl RowParser for Alibaba {
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "device_id,") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let device = columns.number("device_id")?;
        let op = columns.read_or_write("opcode")?;
        let (start, bytes) = columns.extent(("offset", 1), ("length", 1))?;
        let arrival = columns.time("timestamp", self.unit)?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
