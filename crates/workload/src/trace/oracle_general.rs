//! `oracleGeneral`, the binary form of cache traces (libCacheSim; Yang et al.).

use super::fields::{LARGEST, SECTOR, extent};
use super::format::{Format, unmistakable};
use super::row::{Decoded, Decoder, Parsed, RowError, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "oracle_general",
    title: "oracleGeneral",
    description: "records of 24 bytes, little-endian: time in s (u32), object (u64), bytes (u32), the request at which the object comes next (i64, -1 for never); each is a \
                  read of the object, which is taken for a sector of 512 bytes",
    example: "80105e5f d102000000000000 00100000 ffffffffffffffff",
    binary: true,
    extensions: &["oraclegeneral"],
    time_unit: TimeUnit::Seconds,
    source: "libCacheSim (https://github.com/1a1a11a/libCacheSim), which distributes traces in this form, many of them compressed with zstd",
    traps: &[
        "The form does not say what a request does: all are read as reads.",
        "Objects of block traces are block numbers, in whichever unit the trace had; they are taken for sectors of 512 bytes. Objects of other traces are keys that mean no place: set workload.fold = \"modulo\" for them.",
        "Times are whole seconds: all requests of a second arrive at its begin; workload.replay = \"closed_loop\" leaves them out.",
        "Written from the description of the form: it was not tested with a real file.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        Box::new(OracleGeneral {
            unit: reading.unit,
            rows: 0,
            latest: 0,
        })
    },
    actions: false,
};

const RECORD: usize = 24;
/// Requests that a trace may have: a trillion.
const MOST_REQUESTS: u64 = 1 << 40;
/// Addresses are folded to this many sectors, 2 EiB: keys that are hashes lie beyond any drive.
const SECTORS: u64 = 1 << 52;

struct OracleGeneral {
    unit: TimeUnit,
    rows: u64,
    latest: u64,
}

impl OracleGeneral {
    fn parse(&mut self, record: &[u8; RECORD]) -> Result<Parsed, RowError> {
        let number = |from: usize, bytes: usize| {
            let bytes = record.iter().skip(from).take(bytes).rev();
            bytes.fold(0_u64, |value, byte| value << 8 | u64::from(*byte))
        };
        let (time, object, bytes, next) = (number(0, 4), number(4, 8), number(12, 4), number(16, 8) as i64);
        self.rows += 1;
        if record
            .iter()
            .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
        {
            return Err(RowError::whole("text", "binary records of 24 bytes"));
        }
        // what tells the form from other bytes: times do not fall, and a request comes next behind this one
        if time < self.latest {
            return Err(RowError {
                column: 1,
                what: "time",
                found: time.to_string(),
                accepted: "a time not before that of the record above".into(),
            });
        }
        let is_next = next == -1
            || next == i64::MAX
            || u64::try_from(next).is_ok_and(|next| (self.rows..MOST_REQUESTS).contains(&next));
        if !is_next {
            return Err(RowError {
                column: 4,
                what: "next access",
                found: next.to_string(),
                accepted: "the number of a later request, or -1".into(),
            });
        }
        self.latest = time;
        let arrival = time.saturating_mul(self.unit.ns());
        let (start, bytes) = extent(
            (2, "object", object % SECTORS, SECTOR),
            (3, "bytes", bytes, 1),
            LARGEST,
        )?;
        Ok(Parsed::Request(TraceRow::new(
            arrival,
            0,
            HostOp::Read,
            start,
            bytes,
        )))
    }
}

impl Decoder for OracleGeneral {
    fn decode(&mut self, bytes: &[u8], _last: bool) -> Decoded {
        match bytes.first_chunk() {
            Some(record) => Decoded::Row {
                parsed: self.parse(record),
                used: RECORD,
            },
            None => Decoded::Incomplete,
        }
    }

    fn remarks(&self) -> Vec<String> {
        if self.rows == 0 {
            return Vec::new();
        }
        vec!["oracleGeneral says neither what requests do nor where: each is read as a read at the sector whose number is the object".to_owned()]
    }
}
