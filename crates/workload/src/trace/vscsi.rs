//! vscsi traces, version 1, binary (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015).

use super::fields::{LARGEST, SECTOR, extent};
use super::format::{Format, unmistakable};
use super::row::{Decoded, Decoder, Parsed, RowError, TraceRow};
use super::scsi;
use crate::HostOp;
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "vscsi",
    title: "vscsi binary, version 1",
    description: "records of 32 bytes, little-endian: serial number (u32), bytes (u32), scatter-gather entries (u32), \
                  SCSI operation code (u16), version (u16, 256), logical block of 512 bytes (u64), time in us (u64)",
    example: "f4000080 00020000 01000000 2a00 0001 091a8f0200000000 22cf82be1f050000",
    binary: true,
    extensions: &["vscsi", "vscsitrace"],
    time_unit: TimeUnit::Microseconds,
    source: "Waldspurger et al., \"Efficient MRC Construction with SHARDS\", FAST 2015 (the CloudPhysics set)",
    traps: &[
        "Addresses are often not aligned to 4 KiB: partitions of old guests start at sector 63.",
        "SYNCHRONIZE CACHE becomes a flush. UNMAP and other commands are skipped, because their records contain no addresses.",
        "Records of version 2 have another layout and are refused.",
    ],
    decoder: |reading| Box::new(Vscsi { unit: reading.unit }),
    likeness: unmistakable,
    actions: false,
};

/// Bytes of a record.
const RECORD: usize = 32;

struct Vscsi {
    unit: TimeUnit,
}

impl Vscsi {
    fn parse(&self, record: &[u8; RECORD]) -> Result<Parsed, RowError> {
        let [
            _,
            _,
            _,
            _,
            b0,
            b1,
            b2,
            b3,
            _,
            _,
            _,
            _,
            code,
            high,
            v0,
            v1,
            fields @ ..,
        ] = record;
        let (bytes, version) = (
            u32::from_le_bytes([*b0, *b1, *b2, *b3]),
            u16::from_le_bytes([*v0, *v1]),
        );
        if version != 256 {
            return Err(RowError {
                column: 5,
                what: "version",
                found: version.to_string(),
                accepted: "256, version 1 of the format".into(),
            });
        }
        if *high != 0 {
            return Err(RowError {
                column: 4,
                what: "SCSI operation code",
                found: u16::from_le_bytes([*code, *high]).to_string(),
                accepted: "a code below 256".into(),
            });
        }
        let Some(op) = scsi::operation(*code) else {
            return Ok(Parsed::Other);
        };
        let (block, time) = fields.split_at(8);
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        let Some(arrival) = number(time).checked_mul(self.unit.ns()) else {
            return Err(RowError {
                column: 7,
                what: "time",
                found: number(time).to_string(),
                accepted: "at most 584 years; see workload.time_unit".into(),
            });
        };
        if op == HostOp::Flush {
            return Ok(Parsed::Request(TraceRow::flush(arrival, 0)));
        }
        let (start, bytes) = extent(
            (6, "logical block", number(block), SECTOR),
            (2, "bytes", u64::from(bytes), 1),
            LARGEST,
        )?;
        Ok(Parsed::Request(TraceRow::new(arrival, 0, op, start, bytes)))
    }
}

impl Decoder for Vscsi {
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
