//! Records of requests: a byte of marks, then varints of what differs from what was expected.
//!
//! | bits of the marks | meaning |
//! |---|---|
//! | 0 to 2 | operation, an index into `OPS`; 6 for those to zones that move no data, of which a byte follows, an index into `ZONE_OPS` |
//! | 3 | FUA |
//! | 4 | a device follows: its place in the table; else that of the record before |
//! | 5 | a length follows; else that of the record before |
//! | 6 | start and length count in sectors of 512 bytes, else in bytes |
//! | 7 | queue and placement handle follow; else those of the record before |
//!
//! After the marks: device, gap since the arrival before, distance from the end of the device's
//! request before (both signed, zigzag), length, queue, placement handle. A varint has seven bits
//! to a byte, the lowest first; the top bit says that more follow.

use crate::HostOp;
use crate::trace::row::{Attributes, TraceRow};

/// Operations by code. Codes are part of the form: new operations go to the end.
const OPS: [HostOp; 6] = [
    HostOp::Read,
    HostOp::Write,
    HostOp::Trim,
    HostOp::Flush,
    HostOp::WriteZeroes,
    HostOp::ZoneAppend,
];
/// The code of operations to zones that move no data.
const OF_ZONE: u8 = OPS.len() as u8;
/// These operations by their byte. Bytes are part of the form too.
const ZONE_OPS: [HostOp; 4] = [
    HostOp::ZoneOpen,
    HostOp::ZoneClose,
    HostOp::ZoneFinish,
    HostOp::ZoneReset,
];
const FUA: u8 = 1 << 3;
const DEVICE: u8 = 1 << 4;
const LENGTH: u8 = 1 << 5;
const IN_SECTORS: u8 = 1 << 6;
const QUEUE: u8 = 1 << 7;
/// 512-byte sectors as a shift.
const SECTOR: u32 = 9;
/// Bytes of the shortest record: marks, gap, distance.
pub(super) const SHORTEST: usize = 3;

/// What the next record is expected to say; the same for writer and reader.
#[derive(Debug, Default)]
pub(super) struct Expected {
    device: usize,
    arrival: u64,
    bytes: u64,
    attributes: Attributes,
    /// The byte after the last request, by device.
    ends: Vec<u64>,
}

impl Expected {
    /// Makes room for a further device.
    pub(super) fn add_device(&mut self) {
        self.ends.push(0);
    }

    /// Appends the record of `row` on the `device`-th device to `out`.
    pub(super) fn write(&mut self, row: &TraceRow, device: usize, out: &mut Vec<u8>) {
        let distance = row.start.wrapping_sub(self.end(device));
        let shift = if (distance | row.bytes) & ((1 << SECTOR) - 1) == 0 {
            SECTOR
        } else {
            0
        };
        let Attributes {
            fua,
            queue,
            placement,
        } = row.attributes;
        let queued = (queue, placement) != (self.attributes.queue, self.attributes.placement);
        let of_zone = ZONE_OPS.iter().position(|op| *op == row.op);
        let code = match of_zone {
            Some(_) => OF_ZONE,
            None => OPS.iter().position(|op| *op == row.op).unwrap_or_default() as u8,
        };
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        out.push(
            code | mark(fua, FUA)
                | mark(device != self.device, DEVICE)
                | mark(row.bytes != self.bytes, LENGTH)
                | mark(shift == SECTOR, IN_SECTORS)
                | mark(queued, QUEUE),
        );
        out.extend(of_zone.map(|op| op as u8));
        if device != self.device {
            push_varint(device as u64, out);
        }
        push_varint(zigzag(row.arrival.wrapping_sub(self.arrival).cast_signed()), out);
        push_varint(zigzag(distance.cast_signed() >> shift), out);
        if row.bytes != self.bytes {
            push_varint(row.bytes >> shift, out);
        }
        if queued {
            push_varint(queue.into(), out);
            push_varint(placement.into(), out);
        }
        self.note(row, device);
    }

    /// The request that `bytes` begin with, its device as a place in the table, and the bytes that
    /// it takes; `None` if they begin with no record.
    #[inline]
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<(TraceRow, usize)> {
        let mut rest = bytes;
        let (&marks, after) = rest.split_first()?;
        rest = after;
        let op = if marks & 7 == OF_ZONE {
            let (&of_zone, after) = rest.split_first()?;
            rest = after;
            *ZONE_OPS.get(usize::from(of_zone))?
        } else {
            *OPS.get(usize::from(marks & 7))?
        };
        let device = if marks & DEVICE == 0 {
            self.device
        } else {
            usize::try_from(varint(&mut rest)?).ok()?
        };
        let shift = if marks & IN_SECTORS == 0 { 0 } else { SECTOR };
        let arrival = self
            .arrival
            .wrapping_add(unzigzag(varint(&mut rest)?).cast_unsigned());
        let distance = unzigzag(varint(&mut rest)?).cast_unsigned() << shift;
        let start = self.ends.get(device)?.wrapping_add(distance);
        let bytes_of_it = if marks & LENGTH == 0 {
            self.bytes
        } else {
            varint(&mut rest)?.checked_mul(1 << shift)?
        };
        let mut attributes = Attributes {
            fua: marks & FUA != 0,
            ..self.attributes
        };
        if marks & QUEUE != 0 {
            attributes.queue = u16::try_from(varint(&mut rest)?).ok()?;
            attributes.placement = u16::try_from(varint(&mut rest)?).ok()?;
        }
        let row = TraceRow {
            arrival,
            device: device as u64,
            op,
            start,
            bytes: bytes_of_it,
            attributes,
            response: None,
        };
        self.note(&row, device);
        Some((row, bytes.len() - rest.len()))
    }

    #[inline]
    fn note(&mut self, row: &TraceRow, device: usize) {
        self.device = device;
        self.arrival = row.arrival;
        self.bytes = row.bytes;
        self.attributes = row.attributes;
        if let Some(end) = self.ends.get_mut(device) {
            *end = row.start.wrapping_add(row.bytes);
        }
    }

    fn end(&self, device: usize) -> u64 {
        self.ends.get(device).copied().unwrap_or_default()
    }
}

const fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a varint off `bytes`; `None` if there is none of 64 bits.
#[inline]
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u64::from(*byte));
    }
    let Some(word) = bytes.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk)) else {
        return long_varint(bytes);
    };
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return long_varint(bytes);
    }
    // keep the bytes up to the first without the top bit, then close the gaps of the top bits
    let word = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let word = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x3fff_0000_3fff_0000) >> 2);
    let word = (word & 0x0000_0000_0fff_ffff) | ((word & 0x0fff_ffff_0000_0000) >> 4);
    *bytes = bytes.get(ends.trailing_zeros() as usize / 8 + 1..)?;
    Some(word)
}

#[cold]
fn long_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
