//! SSDsim's ASCII format with a column of content digests (Hu et al., ICS 2011; contents as in FIU's traces).

use super::fields::{Columns, SECTOR, Separator};
use super::five_columns::FiveColumns;
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "ssdsim_hash",
    title: "SSDsim ASCII + MD5",
    description: "arrival in ns, device, sector and sectors of 512 bytes, type (1 read, 0 write), MD5 digests of the content in \
                  hexadecimal (ignored)",
    example: "1851 0 73397240 8 0 2e568877a8c6b805f764462968f73f21",
    binary: false,
    extensions: &["ssdsim-hash"],
    time_unit: TimeUnit::Nanoseconds,
    source: "Hu et al., ICS 2011 (SSDsim), with the digests of Koller and Rangaswami, FAST 2010",
    traps: &[
        "The unit of the times is not documented; ns is assumed, as in SSDsim.",
        "The digests, one of 32 digits per 512-byte sector, are checked but not stored.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(SsdSimHash(FiveColumns {
            unit: reading.unit,
            start: ("sector", SECTOR),
            size: ("sectors", SECTOR),
        }))
    },
    actions: false,
};

struct SsdSimHash(FiveColumns);

impl RowParser for SsdSimHash {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let row = self.0.row(&mut columns)?;
        columns.digests()?;
        columns.end()?;
        Ok(Parsed::Request(row))
    }
}
