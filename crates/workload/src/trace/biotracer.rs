//! BIOtracer logs of Android phones (Zhou et al., "An Empirical Study of File-System I/O", IISWC 2015).

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::TraceAction;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "biotracer",
    title: "BIOtracer text",
    description: "sector of 512 bytes, sectors, bytes (512 times as many), access type (bit 0 set: write; bit 2 ignored), four times \
                  in s: made, dispatched, handed to the device, finished; the first is the arrival, or that of workload.action: Q made, D handed to the device, C finished; \
                  the response lasts until finished",
    example: "8681184\t\t88\t\t45056\t\t0\t\t1398403999.646690157\t\t1398403999.652921876\t\t1398403999.653009063\t\t\
              1398403999.653717136",
    binary: false,
    extensions: &["biotracer"],
    time_unit: TimeUnit::Seconds,
    source: "Zhou et al., BIOtracer, IISWC 2015: block I/O of eMMC in Android phones",
    traps: &[
        "The clock of a phone jumps while it boots, and rows of several time bases may be mixed. The order of the rows is kept: a row whose time differs by more than a day from that of the previous row is given the time of the previous row, and later times continue from there. A note counts the jumps. After jumps, mean gap and span are lower bounds.",
        "Rows that are less than a day earlier than a previous row are sorted (workload.disorder).",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(BioTracer {
            unit: reading.unit,
            arrives: reading.action.unwrap_or(TraceAction::Queued),
            before: None,
            jumps: 0,
        })
    },
    actions: true,
};

/// Nanoseconds by which the time of a row differs from that of the row before only if the clock was set.
const JUMP: u64 = 86_400 * 1_000_000_000;

struct BioTracer {
    unit: TimeUnit,
    /// The action at which requests arrive.
    arrives: TraceAction,
    /// Time of the row before as it is recorded, and its arrival.
    before: Option<(u64, u64)>,
    /// How often the clock was set.
    jumps: u64,
}

impl BioTracer {
    /// The arrival of a row that is recorded at `time`.
    #[inline]
    fn arrival(&mut self, time: u64) -> u64 {
        let (recorded, arrival) = self.before.unwrap_or((time, time));
        let arrival = if time.abs_diff(recorded) > JUMP {
            self.jumps += 1;
            arrival
        } else if time >= recorded {
            arrival.saturating_add(time - recorded)
        } else {
            arrival.saturating_sub(recorded - time)
        };
        self.before = Some((time, arrival));
        arrival
    }
}

impl RowParser for BioTracer {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let (start, length) = columns.extent(("sector", SECTOR), ("sectors", SECTOR))?;
        let bytes = columns.number("bytes")?;
        if bytes != length {
            let found = bytes.to_string();
            return Err(columns.wrong("bytes", found.as_bytes(), "512 bytes for each of the sectors"));
        }
        let op = match columns.need("access type")? {
            [digit @ b'0'..=b'7'] if digit & 1 == 1 => HostOp::Write,
            [b'0'..=b'7'] => HostOp::Read,
            other => return Err(columns.wrong("access type", other, "a digit from 0 to 7")),
        };
        let mut moments = [0; 4];
        for (moment, what) in moments
            .iter_mut()
            .zip(["made", "dispatched", "handed over", "finished"])
        {
            *moment = columns.time(what, self.unit)?;
        }
        columns.end()?;
        let [made, _, handed_over, finished] = moments;
        let time = match self.arrives {
            TraceAction::Queued => made,
            TraceAction::Issued => handed_over,
            TraceAction::Completed => finished,
        };
        let response = finished
            .checked_sub(time)
            .filter(|response| *response <= JUMP)
            .unwrap_or_default();
        let row = TraceRow::new(self.arrival(time), 0, op, start, bytes);
        Ok(Parsed::Request(row.answered(response)))
    }

    fn remarks(&self) -> Vec<String> {
        if self.jumps == 0 {
            return Vec::new();
        }
        vec![format!(
            "its clock jumps by more than a day {} times; the order of its rows is kept, and a row after a jump arrives with the \
             row before it",
            self.jumps
        )]
    }
}
