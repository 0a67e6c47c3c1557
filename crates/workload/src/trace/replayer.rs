//! The ASCII format of block-trace replayers: everything in bytes.

use super::detect::Signs;
use super::fields::{Columns, Separator};
use super::format::{Format, text};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "replayer",
    title: "replayer ASCII",
    description: "arrival in ms, device, offset in bytes, size in bytes, type (1 read, 0 write)",
    example: "223.412 0 3159347200 36864 0",
    extensions: &["replayer"],
    time_unit: TimeUnit::Milliseconds,
    likeness: |signs| match signs {
        Signs { in_bytes: true, .. } => (8, "all its addresses and sizes are multiples of 512"),
        _ => (0, "its columns fit"),
    },
    decoder: |unit| text(Replayer { unit }),
};

struct Replayer {
    unit: TimeUnit,
}

impl RowParser for Replayer {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = columns.time("arrival", self.unit)?;
        let device = columns.number("device")?;
        let (start, bytes) = columns.extent(("offset", 1), ("size", 1))?;
        let op = columns.one_is_read()?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow {
            arrival,
            device,
            op,
            start,
            bytes,
        }))
    }
}
