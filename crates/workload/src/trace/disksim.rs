//! DiskSim's default ASCII format (Bucy et al., DiskSim 4.0 reference manual, section on traces).

use super::bytes::quoted;
use super::detect::Signs;
use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "disksim",
    title: "DiskSim ASCII",
    description: "arrival in ms, device, block and blocks of 512 bytes, flags in hexadecimal (bit 0 set: read)",
    example: "0.221 5 162947904 16 1",
    binary: false,
    extensions: &["disksim"],
    time_unit: TimeUnit::Milliseconds,
    source: "Bucy et al., \"The DiskSim Simulation Environment Version 4.0 Reference Manual\", CMU-PDL-08-101, format `ascii`",
    traps: &["Flags are hexadecimal; if bit 0 is set, the request is a read."],
    likeness: |signs| match signs {
        Signs { decimals: true, .. } => (3, "its arrivals have decimals"),
        _ => (1, "its columns fit"),
    },
    decoder: |reading| text(DiskSim { unit: reading.unit }),
    actions: false,
};

struct DiskSim {
    unit: TimeUnit,
}

impl RowParser for DiskSim {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = columns.time("arrival", self.unit)?;
        let device = columns.number("device")?;
        let (start, bytes) = columns.extent(("block", SECTOR), ("blocks", SECTOR))?;
        let flags = columns.need("flags")?;
        let op = match flags.last() {
            Some(digit) if flags.len() <= 8 && flags.iter().all(u8::is_ascii_hexdigit) => {
                // bit 0 of a hexadecimal digit: odd digits, and b, d, f, whose codes are even
                let odd = (digit & 1 == 1) == digit.is_ascii_digit();
                if odd { HostOp::Read } else { HostOp::Write }
            }
            _ => {
                return Err(RowError {
                    column: 5,
                    what: "flags",
                    found: quoted(flags),
                    accepted: "up to 8 hexadecimal digits".into(),
                });
            }
        };
        columns.end()?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
