//! vscsi traces, version 1, binary (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015).

use super::fields::{LARGEST, SECTOR, extent};
use super::format::{Format, unmistakable};
use super::row::{Decoded, Decoder, Parsed, RowError, TraceRow};
use super::scsi;
use crate::HostOp;
use crate::time_unit::TimeUnit;

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
        "Records of version 2 have another layout: they are the format `vscsi2`.",
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

/// What a record says of a request, whatever the version: each with its column.
pub(super) struct Fields {
    pub(super) code: (u32, u64),
    pub(super) bytes: (u32, u64),
    pub(super) block: (u32, u64),
    pub(super) time: (u32, u64),
}

/// A number of a record, the lowest byte first.
pub(super) fn number(record: &[u8], range: std::ops::Range<usize>) -> u64 {
    let bytes = record.get(range).unwrap_or_default().iter().rev();
    bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The request of a record, whose times count in `unit`.
///
/// # Errors
/// A column that no record has.
#[inline]
pub(super) fn request(fields: &Fields, unit: TimeUnit) -> Result<Parsed, RowError> {
    let wrong = |(column, found): (u32, u64), what, accepted: &'static str| RowError {
        column,
        what,
        found: found.to_string(),
        accepted: accepted.into(),
    };
    let Ok(code) = u8::try_from(fields.code.1) else {
        return Err(wrong(fields.code, "SCSI operation code", "a code below 256"));
    };
    let Some(op) = scsi::operation(code) else {
        return Ok(Parsed::Other);
    };
    let Some(arrival) = fields.time.1.checked_mul(unit.ns()) else {
        let accepted = "at most 584 years; see workload.time_unit";
        return Err(wrong(fields.time, "time", accepted));
    };
    if op == HostOp::Flush {
        return Ok(Parsed::Request(TraceRow::flush(arrival, 0)));
    }
    let (start, bytes) = extent(
        (fields.block.0, "logical block", fields.block.1, SECTOR),
        (fields.bytes.0, "bytes", fields.bytes.1, 1),
        LARGEST,
    )?;
    Ok(Parsed::Request(TraceRow::new(arrival, 0, op, start, bytes)))
}

impl Vscsi {
    fn parse(&self, record: &[u8; RECORD]) -> Result<Parsed, RowError> {
        let version = number(record, 14..16);
        if version != 256 {
            return Err(RowError {
                column: 5,
                what: "version",
                found: version.to_string(),
                accepted: "256, version 1 of the format".into(),
            });
        }
        request(
            &Fields {
                code: (4, number(record, 12..14)),
                bytes: (2, number(record, 4..8)),
                block: (6, number(record, 16..24)),
                time: (7, number(record, 24..32)),
            },
            self.unit,
        )
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
