//! Tables of start offsets, from which a surrogate of the volume's trace is drawn.

mod draw;

use memchr::memchr;

use super::fields::{Columns, LARGEST, Separator, extent};
use super::format::{Format, unmistakable};
use super::row::{Batch, BatchEnd, Decoded, Decoder, Parsed, RowError, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;
use draw::Draw;

pub(crate) const FORMAT: Format = Format {
    name: "offset_frequency",
    title: "offset-frequency table",
    description: "a header line `LBA,Frequency`, then rows of a byte offset and the number of requests that start there; not a \
                  list of requests: a surrogate is drawn",
    example: "LBA,Frequency\n3154132992,116567\n3154137088,116566\n200626176,43422",
    binary: false,
    extensions: &["csv", "lbafreq"],
    time_unit: TimeUnit::Nanoseconds,
    source: "tables made from the MSR Cambridge traces (Narayanan, Donnelly and Rowstron, FAST 2008)",
    traps: &[
        "It is a table and not a trace. Requests are made in a random order (workload.seed), with each offset exactly as often as the table says: footprint and skew are those of the volume, order and locality in time are not.",
        "The table contains neither sizes nor operations: requests are assumed to be writes of 4 KiB. One of the published tables (mds_0) includes reads.",
        "There are no times: set workload.replay = \"closed_loop\".",
        "At most 4,194,304 rows and 67,108,864 requests.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        Box::new(OffsetFrequency {
            seed: reading.seed,
            header: false,
            offsets: Vec::new(),
            requests: 0,
            draw: None,
        })
    },
    actions: false,
};

/// Rows of a table.
const ROWS: usize = 1 << 22;
/// Requests in all; few for the fuzzer, since a line of a table stands for millions.
const REQUESTS: u64 = if cfg!(fuzzing) { 1 << 12 } else { 1 << 26 };
/// Requests drawn at once.
const BATCH: usize = 256;
/// Bytes of a request; assumed, the table does not say.
const SIZE: u64 = 4096;

/// Where requests start, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offset {
    /// First byte.
    pub(crate) start: u64,
    /// Requests that start there.
    pub(crate) requests: u64,
}

struct OffsetFrequency {
    seed: u64,
    /// The header line was read.
    header: bool,
    /// While the table is read: as it says; then rising, each once.
    offsets: Vec<Offset>,
    requests: u64,
    /// Once the table is read.
    draw: Option<Draw>,
}

impl OffsetFrequency {
    /// Reads a line; `None` for one that says nothing.
    fn line(&mut self, line: &[u8]) -> Result<Option<Offset>, RowError> {
        let line = line.trim_ascii();
        if matches!(line.first(), None | Some(b'#')) {
            return Ok(None);
        }
        if !std::mem::replace(&mut self.header, true) {
            if line.eq_ignore_ascii_case(b"LBA,Frequency") {
                return Ok(None);
            }
            let found = format!("the first line is {}", super::bytes::quoted(line));
            return Err(RowError::whole(found, "LBA,Frequency"));
        }
        let mut columns = Columns::new(line, Separator::COMMA);
        let start = columns.number("LBA")?;
        let (start, _) = extent((1, "LBA", start, 1), (1, "LBA", SIZE, 1), LARGEST)?;
        let requests = columns.number("Frequency")?;
        columns.end()?;
        Ok(Some(Offset { start, requests }))
    }

    fn add(&mut self, line: &[u8]) -> Result<(), RowError> {
        let Some(offset) = self.line(line)? else {
            return Ok(());
        };
        self.requests = self.requests.saturating_add(offset.requests);
        if self.requests > REQUESTS || self.offsets.len() == ROWS {
            let found = format!(
                "{} offsets with {} requests so far",
                self.offsets.len() + 1,
                self.requests
            );
            return Err(RowError::whole(
                found,
                "at most 4194304 offsets with 67108864 requests",
            ));
        }
        if offset.requests > 0 {
            self.offsets.push(offset);
        }
        Ok(())
    }

    /// The table is whole.
    fn drawing(&mut self) -> Draw {
        self.offsets.sort_unstable_by_key(|offset| offset.start);
        self.offsets.dedup_by(|later, kept| {
            let same = later.start == kept.start;
            kept.requests += if same { later.requests } else { 0 };
            same
        });
        Draw::new(self.seed, self.offsets.iter().map(|offset| offset.requests))
    }
}

fn request(start: u64) -> TraceRow {
    TraceRow::new(0, 0, HostOp::Write, start, SIZE)
}

impl Decoder for OffsetFrequency {
    /// A row as one request, so that the format is recognised.
    fn decode(&mut self, bytes: &[u8], last: bool) -> Decoded {
        let (line, used) = match memchr(b'\n', bytes) {
            Some(end) => (&bytes[..end], end + 1),
            None if last => (bytes, bytes.len()),
            None => return Decoded::Incomplete,
        };
        let parsed = self.line(line).map(|offset| match offset {
            Some(offset) => Parsed::Request(request(offset.start)),
            None => Parsed::Other,
        });
        Decoded::Row { parsed, used }
    }

    /// Reads the table, then draws. The last line stays in the buffer until all is drawn.
    fn fill(&mut self, bytes: &[u8], last: bool, batch: &mut Batch) -> (usize, BatchEnd) {
        let mut taken = 0;
        while self.draw.is_none() {
            let rest = &bytes[taken..];
            let (line, used) = match memchr(b'\n', rest) {
                Some(end) if last || end + 1 < rest.len() => (&rest[..end], end + 1),
                None if last => (rest, rest.len()),
                _ => return (taken, BatchEnd::Incomplete),
            };
            if let Err(error) = self.add(line) {
                return (taken, BatchEnd::Malformed { error, used });
            }
            batch.rows += 1;
            if used == rest.len() {
                self.draw = Some(self.drawing());
            } else {
                taken += used;
            }
        }
        let draws = self.draw.as_mut().into_iter().flatten().take(BATCH);
        let drawn = draws.filter_map(|index| Some((batch.rows, request(self.offsets.get(index)?.start))));
        batch.requests.extend(drawn);
        match batch.requests.is_empty() {
            true => (bytes.len(), BatchEnd::Incomplete),
            false => (taken, BatchEnd::Full),
        }
    }

    fn remarks(&self) -> Vec<String> {
        vec![format!(
            "a table, not a trace: a surrogate of {} writes of 4 KiB (size and operation assumed) is drawn from its {} offsets, in a \
             random order (workload.seed = {})",
            self.requests,
            self.offsets.len(),
            self.seed
        )]
    }

    fn offsets(&self) -> Option<&[Offset]> {
        Some(&self.offsets)
    }
}
