//! SSDsim's ASCII format (Hu et al., ICS 2011), with or without a column of content digests.

use super::detect::Signs;
use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "ssdsim",
    title: "SSDsim ASCII",
    description: "arrival in ns (files named .ssdsim-us: in us), device, sector and sectors of 512 bytes, type (1 read, \
                  0 write); a sixth column of hexadecimal content digests is ignored",
    example: "26214000 0 303574 7 0",
    extensions: &["ssdsim", "ssdsim-hash", "ascii"],
    time_unit: TimeUnit::Nanoseconds,
    likeness: |signs| match signs {
        Signs { decimals: false, .. } => (3, "its arrivals are whole numbers"),
        _ => (0, "its columns fit"),
    },
    decoder: |unit| text(SsdSim { unit }),
};

struct SsdSim {
    unit: TimeUnit,
}

impl RowParser for SsdSim {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = columns.time("arrival", self.unit)?;
        let device = columns.number("device")?;
        let (start, bytes) = columns.extent(("sector", SECTOR), ("sectors", SECTOR))?;
        let op = columns.one_is_read()?;
        if let Some(digests) = columns.next()
            && !(digests.len() >= 32 && digests.iter().all(u8::is_ascii_hexdigit))
        {
            return Err(columns.wrong("digests", digests, "5 columns, or a sixth of hexadecimal digests"));
        }
        columns.end()?;
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
