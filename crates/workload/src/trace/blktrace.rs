//! Binary output of blktrace, as one CPU's file or several one behind the other (the kernel's include/uapi/linux/blktrace_api.h).

use super::fields::{SECTOR, extent, largest};
use super::format::{Format, unmistakable};
use super::row::{Attributes, Decoded, Decoder, Parsed, RowError, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "blktrace",
    title: "binary blktrace",
    description: "records of 48 bytes, little-endian: magic number and version (u32, 0x65617407), sequence (u32), time in ns (u64), sector of 512 bytes (u64), bytes \
                  (u32), action (u32), process id (u32), device (u32), CPU (u32), error (u16), bytes of a payload that follows (u16); only records of one action are \
                  requests (workload.action, D if left out)",
    example: "07746165 00000000 c409000000000000 788f000000000000 00100000 07004100 64000000 00003010 00000000 0000 0000",
    binary: true,
    extensions: &["blktrace"],
    time_unit: TimeUnit::Nanoseconds,
    source: "the kernel's include/uapi/linux/blktrace_api.h",
    traps: &[
        "blktrace writes one file per CPU (NAME.blktrace.0, .1, ...), each of which holds a part of the requests: put them together first (`cat NAME.blktrace.* > all.blktrace`); the records are sorted by time (workload.disorder).",
        "Files of machines with the other order of bytes are refused.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        Box::new(BlkTrace {
            unit: reading.unit,
            action: match reading.action.unwrap_or_default().letter() {
                b'Q' => QUEUE,
                b'C' => COMPLETE,
                _ => ISSUE,
            },
            requests: 0,
            others: 0,
        })
    },
    actions: true,
};

/// The first byte counts the version.
const MAGIC: u32 = 0x6561_7407;
const RECORD: usize = 48;
/// Actions, in the lower 16 bits.
const QUEUE: u16 = 1;
const ISSUE: u16 = 7;
const COMPLETE: u16 = 8;
/// What is asked for, in the upper 16 bits.
const WRITE: u16 = 1 << 1;
const FLUSH: u16 = 1 << 2;
/// Commands of the host's own, and messages.
const PASSTHROUGH: u16 = 1 << 9;
const NOTIFY: u16 = 1 << 10;
const DISCARD: u16 = 1 << 13;
const FUA: u16 = 1 << 15;

struct BlkTrace {
    unit: TimeUnit,
    action: u16,
    requests: u64,
    /// Records of other actions.
    others: u64,
}

/// A number of `N` bytes at `from`, the lowest first.
fn number<const N: usize>(record: &[u8; RECORD], from: usize) -> u64 {
    let bytes = record.iter().skip(from).take(N).rev();
    bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
}

impl BlkTrace {
    fn parse(&mut self, record: &[u8; RECORD]) -> Result<Parsed, RowError> {
        if number::<4>(record, 0) != u64::from(MAGIC) {
            return Err(RowError {
                column: 1,
                what: "magic number",
                found: format!("{:#x}", number::<4>(record, 0)),
                accepted: format!("{MAGIC:#x}, version 7 of the format").into(),
            });
        }
        let action = number::<2>(record, 28) as u16;
        let asked = number::<2>(record, 30) as u16;
        if asked & (NOTIFY | PASSTHROUGH) != 0 {
            return Ok(Parsed::Other);
        }
        if action != self.action {
            self.others += 1;
            return Ok(Parsed::Other);
        }
        let (time, bytes) = (number::<8>(record, 8), number::<4>(record, 24));
        let arrival = time.checked_mul(self.unit.ns()).ok_or_else(|| RowError {
            column: 3,
            what: "time",
            found: time.to_string(),
            accepted: "at most 584 years; see workload.time_unit".into(),
        })?;
        let device = number::<4>(record, 36);
        if bytes == 0 {
            return Ok(if asked & FLUSH == 0 {
                Parsed::Other
            } else {
                self.requests += 1;
                Parsed::Request(TraceRow::flush(arrival, device))
            });
        }
        let op = if asked & DISCARD != 0 {
            HostOp::Trim
        } else if asked & WRITE != 0 {
            HostOp::Write
        } else {
            HostOp::Read
        };
        let (start, bytes) = extent(
            (4, "sector", number::<8>(record, 16), SECTOR),
            (5, "bytes", bytes, 1),
            largest(op),
        )?;
        self.requests += 1;
        Ok(Parsed::Request(TraceRow {
            attributes: Attributes {
                fua: op == HostOp::Write && asked & FUA != 0,
                ..Attributes::default()
            },
            ..TraceRow::new(arrival, device, op, start, bytes)
        }))
    }
}

impl Decoder for BlkTrace {
    fn decode(&mut self, bytes: &[u8], _last: bool) -> Decoded {
        let Some(record) = bytes.first_chunk() else {
            return Decoded::Incomplete;
        };
        let payload = number::<2>(record, 46) as usize;
        let used = RECORD + payload;
        let is_record = number::<4>(record, 0) == u64::from(MAGIC);
        if is_record && bytes.len() < used {
            return Decoded::Incomplete;
        }
        Decoded::Row {
            parsed: self.parse(record),
            used,
        }
    }

    fn remarks(&self) -> Vec<String> {
        if self.requests > 0 || self.others == 0 {
            return Vec::new();
        }
        vec![format!(
            "as binary blktrace none of its {} records is of the action that is read; see workload.action (\"Q\" for requests as they were queued, \"C\" for completions)",
            self.others
        )]
    }
}
