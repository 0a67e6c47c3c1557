//! Text that blkparse writes (Axboe, Brunelle and Scott, blktrace; blkparse(1), default output).

use super::fields::{Columns, SECTOR, Separator, whole};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "blkparse",
    title: "blkparse text",
    description: "major and minor device number, CPU, sequence number, time in s, process id, action, RWBS, sector + \
                  sectors of 512 bytes, process; only events of one action are requests (workload.action, D if left out); \
                  each pair of device numbers is a device",
    example: "  8,16   3        5     0.000026421  3645  D   R 4938888 + 256 [java]",
    binary: false,
    extensions: &["blkparse", "blktrace"],
    time_unit: TimeUnit::Seconds,
    source: "blkparse(1), default output format; the letters of RWBS as the kernel's blk_fill_rwbs writes them",
    traps: &[
        "Several events are recorded for each request; only those of one action are read: workload.action = \"Q\" for the requests of the file system, \"D\" for those issued to the driver.",
        "RWBS: R reads, W writes, D discards (TRIM), F alone flushes; F after W is forced unit access; N and events without sectors are skipped. An event that is both a flush and a write (FW) is read as a write.",
        "Events of different CPUs are not in chronological order; they are sorted (workload.disorder).",
        "A few events have impossible times. An event more than a year after all previous events is given the time of the previous event, and a note counts such events.",
        "The summary at the end is skipped.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(BlkParse {
            unit: reading.unit,
            action: reading.action.unwrap_or_default().letter(),
            summary: false,
            clock: None,
            absurd: 0,
        })
    },
    actions: true,
};

/// Nanoseconds of a year: a time so far ahead of all events before is a defect of the recording.
const YEAR: u64 = 365 * 86_400 * 1_000_000_000;

struct BlkParse {
    unit: TimeUnit,
    /// The action whose events are requests.
    action: u8,
    /// The summary has begun.
    summary: bool,
    /// Time of the event before, and the latest so far.
    clock: Option<(u64, u64)>,
    /// Events with absurd times.
    absurd: u64,
}

/// What an event asks for.
struct Asked {
    op: HostOp,
    fua: bool,
}

impl BlkParse {
    /// The time of an event, mended where it is absurd.
    #[inline]
    fn mended(&mut self, time: u64) -> u64 {
        let (before, latest) = self.clock.unwrap_or((time, time));
        if time.saturating_sub(latest) > YEAR {
            self.absurd += 1;
            return before;
        }
        self.clock = Some((time, latest.max(time)));
        time
    }
}

/// Reads `8,16`.
fn device(column: &[u8]) -> Option<u64> {
    let comma = column.iter().position(|byte| *byte == b',')?;
    let number = |digits| whole(digits).filter(|number| *number < 1 << 32);
    Some(number(&column[..comma])? << 32 | number(&column[comma + 1..])?)
}

/// Reads RWBS: an `F` in front for a flush, the direction, an `F` for forced unit access, marks.
/// `None` where no sectors are asked for and nothing is flushed.
fn asked(rwbs: &[u8]) -> Result<Option<Asked>, ()> {
    let (flush, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (op, marks) = match rest {
        [b'R', marks @ ..] => (Some(HostOp::Read), marks),
        [b'W', marks @ ..] => (Some(HostOp::Write), marks),
        [b'D', marks @ ..] => (Some(HostOp::Trim), marks),
        [b'N', marks @ ..] => (flush.then_some(HostOp::Flush), marks),
        marks if flush => (Some(HostOp::Flush), marks),
        _ => return Err(()),
    };
    if !marks.iter().all(|mark| b"FASMBE".contains(mark)) {
        return Err(());
    }
    let fua = op == Some(HostOp::Write) && marks.first() == Some(&b'F');
    Ok(op.map(|op| Asked { op, fua }))
}

impl RowParser for BlkParse {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let column = columns.need("device")?;
        let Some(device) = device(column) else {
            self.summary |= column.starts_with(b"CPU") || column == b"Total";
            if self.summary {
                return Ok(Parsed::Other);
            }
            return Err(columns.wrong("device", column, "major and minor number, such as 8,16"));
        };
        self.summary = false;
        columns.number("CPU")?;
        columns.number("sequence")?;
        let time = columns.time("time", self.unit)?;
        columns.number("process id")?;
        let action = columns.need("action")?;
        if action.is_empty() || action.len() > 2 || !action.iter().all(u8::is_ascii_alphabetic) {
            return Err(columns.wrong("action", action, "one or two letters, such as D, Q or C"));
        }
        if action != [self.action] {
            return Ok(Parsed::Other);
        }
        let rwbs = columns.need("RWBS")?;
        let Ok(asked) = asked(rwbs) else {
            let accepted = "R, W, D, F or N, and marks such as S (synchronous) and M (metadata)";
            return Err(columns.wrong("RWBS", rwbs, accepted));
        };
        let Some(Asked { op, fua }) = asked else {
            return Ok(Parsed::Other);
        };
        let rest = columns.rest().trim_ascii_start();
        if op == HostOp::Flush || !rest.first().is_some_and(u8::is_ascii_digit) {
            // requests of the drive's own management carry no sectors
            return Ok(match op {
                HostOp::Flush => Parsed::Request(TraceRow::flush(self.mended(time), device)),
                _ => Parsed::Other,
            });
        }
        let (start, bytes) = columns.extent_around(("sector", SECTOR), b"+", ("sectors", SECTOR))?;
        let arrival = self.mended(time);
        Ok(Parsed::Request(TraceRow {
            attributes: Attributes {
                fua,
                ..Attributes::default()
            },
            ..TraceRow::new(arrival, device, op, start, bytes)
        }))
    }

    fn remarks(&self) -> Vec<String> {
        if self.absurd == 0 {
            return Vec::new();
        }
        vec![format!(
            "{} events have times more than a year after all events before them; they arrive with the event before them",
            self.absurd
        )]
    }
}
