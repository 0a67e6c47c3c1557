//! vscsi traces, version 2, binary (VMware's vscsiStats; the layout as libCacheSim's vscsi.h has it).

use super::format::{Format, unmistakable};
use super::row::{Decoded, Decoder, Parsed, RowError};
use super::vscsi::{Fields, number, request};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "vscsi2",
    title: "vscsi binary, version 2",
    description: "records of 40 bytes, little-endian: SCSI operation code (u16), version (u16, 512), serial number (u32), bytes (u32), scatter-gather entries (u32), \
                  logical block of 512 bytes (u64), time in us (u64), response time in us (u64)",
    example: "2a00 0002 f4000080 00020000 01000000 091a8f0200000000 22cf82be1f050000 d204000000000000",
    binary: true,
    extensions: &["vscsi2", "vscsi", "vscsitrace"],
    time_unit: TimeUnit::Microseconds,
    source: "libCacheSim (https://github.com/1a1a11a/libCacheSim), libCacheSim/traceReader/customizedReader/vscsi.h",
    traps: &[
        "Addresses are often not aligned to 4 KiB: partitions of old guests start at sector 63.",
        "SYNCHRONIZE CACHE becomes a flush. UNMAP and other commands are skipped, because their records contain no addresses.",
        "The last column, `rt` in libCacheSim, is taken for the response time in the unit of the times.",
        "Written from libCacheSim's source: it was not tested with a real file.",
    ],
    decoder: |reading| Box::new(Vscsi2 { unit: reading.unit }),
    likeness: unmistakable,
    actions: false,
};

/// Bytes of a record.
const RECORD: usize = 40;

struct Vscsi2 {
    unit: TimeUnit,
}

impl Vscsi2 {
    fn parse(&self, record: &[u8; RECORD]) -> Result<Parsed, RowError> {
        let version = number(record, 2..4);
        if version != 512 {
            return Err(RowError {
                column: 2,
                what: "version",
                found: version.to_string(),
                accepted: "512, version 2 of the format".into(),
            });
        }
        let parsed = request(
            &Fields {
                code: (1, number(record, 0..2)),
                bytes: (4, number(record, 8..12)),
                block: (6, number(record, 16..24)),
                time: (7, number(record, 24..32)),
            },
            self.unit,
        )?;
        Ok(match parsed {
            Parsed::Request(row) => {
                let response = number(record, 32..40).saturating_mul(self.unit.ns());
                Parsed::Request(row.answered(response))
            }
            Parsed::Other => Parsed::Other,
        })
    }
}

impl Decoder for Vscsi2 {
    #[inline]
    fn decode(&mut self, bytes: &[u8], _last: bool) -> Decoded {
        match bytes.first_chunk() {
            Some(record) => Decoded::Row {
                parsed: self.parse(record),
                used: RECORD,
            },
            None => Decoded::Incomplete,
        }
    }
}
