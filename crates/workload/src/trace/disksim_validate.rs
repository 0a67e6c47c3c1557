//! DiskSim's validation traces (Bucy et al., DiskSim 4.0, `valid/`).

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "disksim_validate",
    title: "DiskSim validation",
    description: "R or W, what the disk's cache did (Hit, Miss, Doub, Trip; ignored), block and blocks of 512 bytes, service time \
                  in us, time in us from its completion to the next request",
    example: "R Miss  564347     2     14095.370     13876.270",
    binary: false,
    extensions: &["validate"],
    time_unit: TimeUnit::Microseconds,
    source: "Bucy et al., \"The DiskSim Simulation Environment Version 4.0 Reference Manual\", CMU-PDL-08-101, format `validate`",
    traps: &[
        "There are no arrival times. The first request arrives at time 0, each other one when it was sent to the measured disk: after the service time of the previous request and the pause that followed. workload.replay = \"closed_loop\" with workload.queue_depth = 1 replays the requests in order without times.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Validate {
            unit: reading.unit,
            clock: 0,
        })
    },
    actions: false,
};

struct Validate {
    unit: TimeUnit,
    /// When the next request is sent, in nanoseconds.
    clock: u64,
}

impl RowParser for Validate {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let op = columns.read_or_write("type")?;
        let cache = columns.need("cache")?;
        if !cache.iter().all(u8::is_ascii_alphabetic) {
            return Err(columns.wrong("cache", cache, "a word such as Hit or Miss"));
        }
        let (start, bytes) = columns.extent(("block", SECTOR), ("blocks", SECTOR))?;
        let service = columns.time("service time", self.unit)?;
        let pause = columns.time("pause", self.unit)?;
        columns.end()?;
        let arrival = self.clock;
        self.clock = arrival.saturating_add(service).saturating_add(pause);
        let row = TraceRow::new(arrival, 0, op, start, bytes);
        Ok(Parsed::Request(row.answered(service)))
    }
}
