//! HP's SRT format, version 1.3, binary (Ruemmler and Wilkes, "UNIX disk access patterns", USENIX Winter 1993).

use memchr::{memchr, memmem};

use super::bytes::quoted;
use super::fields::{LARGEST, extent, whole};
use super::format::{Format, unmistakable};
use super::row::{Decoded, Decoder, Parsed, RowError, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "srt",
    title: "HP SRT 1.3 binary",
    description: "a header in ASCII that ends with a form feed, then records of 56 bytes, each 14 signed 32-bit numbers, \
                  big-endian: record size (56), type and version, seconds and microseconds of the enqueueing, start and \
                  stop in us after it, bytes, block, device word (bits 8 to 15: device), driver type, cylinder, flags (bit 0 \
                  set: read), info, queue length; the block counts sectors of the size that the header names",
    example: "2424 5452 5f49 4f52 4543 2d31 2e33 0a 736563746f7273697a65203d203235363b 0c 00000038 00040001 00000000 \
              000057cf 0000004c 00002736 00001000 00000410 08000107 00000004 00000001 0000001b 00070000 00000001",
    binary: true,
    extensions: &["srt"],
    time_unit: TimeUnit::Microseconds,
    source: "Ruemmler and Wilkes, \"UNIX disk access patterns\", USENIX Winter 1993; read as DiskSim 4.0 reads it",
    traps: &[
        "Blocks do not always have 512 bytes: the header says `sectorsize = 256` for some disks. Disks of different sector \
         sizes in one file are refused.",
        "The arrival is the time at which the request was queued; the response lasts until its end, the start of the service is not used.",
        "workload.time_unit is the unit of the microseconds word; a second is a million of them.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        Box::new(Srt {
            unit: reading.unit,
            sector: None,
        })
    },
    actions: false,
};

/// First bytes of a file.
const MAGIC: &[u8] = b"$$TR_IOREC-1.3";
/// Longest header, in bytes.
const HEADER: usize = 64 << 10;
/// Bytes of a record.
const RECORD: usize = 56;
/// The second word of a record: kind 4, version 1.
const TYPE: i32 = 0x4_0001;

struct Srt {
    unit: TimeUnit,
    /// Bytes of a sector, once the header is read.
    sector: Option<u64>,
}

impl Srt {
    fn header(&mut self, bytes: &[u8]) -> Decoded {
        let start = &bytes[..bytes.len().min(HEADER)];
        let refused = |error: RowError| Decoded::Row {
            parsed: Err(error),
            used: start.len(),
        };
        let magic = &start[..start.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            let found = format!("the file begins with {}", quoted(magic));
            return refused(RowError::whole(found, "a header that begins with $$TR_IOREC-1.3"));
        }
        match memchr(0x0c, start).map(|end| (end, sector_size(&start[..end]))) {
            Some((end, Ok(sector))) => {
                self.sector = Some(sector);
                Decoded::Framing { used: end + 1 }
            }
            Some((_, Err(error))) => refused(error),
            None if start.len() < HEADER => Decoded::Incomplete,
            None => refused(RowError::whole(
                "no form feed ends the header",
                "a header of at most 64 KiB that ends with a form feed",
            )),
        }
    }

    fn parse(&self, record: &[u8; RECORD], sector: u64) -> Result<Parsed, RowError> {
        let mut words = [0_i32; RECORD / 4];
        for (word, bytes) in words.iter_mut().zip(record.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |value, byte| value << 8 | i32::from(*byte));
        }
        let [
            size,
            kind,
            seconds,
            micros,
            _,
            stop,
            bytes,
            block,
            device,
            _,
            _,
            flags,
            _,
            _,
        ] = words;
        if (size, kind) != (RECORD as i32, TYPE) {
            return Err(RowError {
                column: 1,
                what: "record size and type",
                found: format!("{size}, {kind}"),
                accepted: "56, 262145".into(),
            });
        }
        let counted = |column, what, value: i32| {
            u64::try_from(value).map_err(|_| RowError {
                column,
                what,
                found: value.to_string(),
                accepted: "a number that is not negative".into(),
            })
        };
        let time = counted(3, "seconds", seconds)? * 1_000_000 + counted(4, "microseconds", micros)?;
        let Some(arrival) = time.checked_mul(self.unit.ns()) else {
            return Err(RowError {
                column: 3,
                what: "seconds",
                found: seconds.to_string(),
                accepted: "at most 584 years; see workload.time_unit".into(),
            });
        };
        let (start, bytes) = extent(
            (8, "block", counted(8, "block", block)?, sector),
            (7, "bytes", counted(7, "bytes", bytes)?, 1),
            LARGEST,
        )?;
        let op = if flags & 1 == 1 {
            HostOp::Read
        } else {
            HostOp::Write
        };
        let device = u64::from(device as u32 >> 8 & 0xff);
        let response = u64::try_from(stop)
            .unwrap_or_default()
            .saturating_mul(self.unit.ns());
        let row = TraceRow::new(arrival, device, op, start, bytes);
        Ok(Parsed::Request(row.answered(response)))
    }
}

/// The one sector size that a header names.
fn sector_size(header: &[u8]) -> Result<u64, RowError> {
    const KEY: &[u8] = b"sectorsize";
    let mut found = None;
    for place in memmem::find_iter(header, KEY) {
        let value = header[place + KEY.len()..].trim_ascii_start();
        let value = value.strip_prefix(b"=").unwrap_or(value).trim_ascii_start();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let size = whole(&value[..digits]).filter(|size| (1..=1 << 16).contains(size));
        match (size, found) {
            (None, _) => {
                let shown = format!(
                    "its header says sectorsize = {}",
                    quoted(&value[..value.len().min(12)])
                );
                return Err(RowError::whole(shown, "a sector size from 1 to 65536 bytes"));
            }
            (Some(size), Some(other)) if size != other => {
                let shown = format!("its header names disks with sectors of {other} and of {size} bytes");
                return Err(RowError::whole(shown, "disks of one sector size"));
            }
            (size, _) => found = size,
        }
    }
    found.ok_or_else(|| RowError::whole("its header names no sectorsize", "`sectorsize = 256` or the like"))
}

impl Decoder for Srt {
    fn decode(&mut self, bytes: &[u8], _last: bool) -> Decoded {
        let Some(sector) = self.sector else {
            return self.header(bytes);
        };
        match bytes.first_chunk() {
            Some(record) => Decoded::Row {
                parsed: self.parse(record, sector),
                used: RECORD,
            },
            None => Decoded::Incomplete,
        }
    }
}
