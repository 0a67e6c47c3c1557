//! SPC text, the format of the UMass trace repository (SPC Trace File Format Specification 1.0.1,
//! Storage Performance Council): `ASU,LBA,size,opcode,timestamp`, further fields allowed.

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::names::is_header;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "spc",
    title: "SPC text",
    description: "ASU, LBA in 512-byte sectors within the ASU, size in bytes, opcode (r or w), seconds; further \
                  columns are ignored; each ASU is a device",
    example: "0,303567,3584,w,0.026214",
    binary: false,
    extensions: &["spc"],
    time_unit: TimeUnit::Seconds,
    source: "SPC Trace File Format Specification, revision 1.0.1, Storage Performance Council; the UMass trace repository",
    traps: &[
        "Addresses count within the ASU: each ASU is a device (workload.devices).",
        "The opcode may be in upper or lower case; further columns are ignored.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Spc {
            unit: reading.unit,
            first: true,
        })
    },
    actions: false,
};

struct Spc {
    unit: TimeUnit,
    first: bool,
}

impl RowParser for Spc {
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "ASU,") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let device = columns.number("ASU")?;
        let (start, bytes) = columns.extent(("LBA", SECTOR), ("size", 1))?;
        let op = columns.read_or_write("opcode")?;
        let arrival = columns.time("timestamp", self.unit)?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
