//! SPC text, the format of the UMass trace repository (SPC Trace File Format Specification 1.0.1,
//! Storage Performance Council): `ASU,LBA,size,opcode,timestamp`, further fields allowed.

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "spc",
    title: "SPC text",
    description: "ASU, LBA in 512-byte sectors within the ASU, size in bytes, opcode (r or w), seconds; further \
                  columns are ignored; each ASU is a device",
    example: "0,303567,3584,w,0.026214",
    extensions: &["spc"],
    time_unit: TimeUnit::Seconds,
    likeness: unmistakable,
    decoder: |unit| text(Spc { unit }),
};

struct Spc {
    unit: TimeUnit,
}

impl RowParser for Spc {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Comma);
        let device = columns.number("ASU")?;
        let (start, bytes) = columns.extent(("LBA", SECTOR), ("size", 1))?;
        let op = match columns.need("opcode")? {
            b"r" | b"R" => HostOp::Read,
            b"w" | b"W" => HostOp::Write,
            other => return Err(columns.wrong("opcode", other, "r (read) or w (write)")),
        };
        let arrival = columns.time("timestamp", self.unit)?;
        Ok(Parsed::Request(TraceRow {
            arrival,
            device,
            op,
            start,
            bytes,
            attributes: Attributes::default(),
        }))
    }
}
