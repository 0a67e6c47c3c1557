//! Text that blkparse writes (Axboe, Brunelle and Scott, blktrace; blkparse(1), default output).

use std::collections::BTreeMap;

use super::fields::{Columns, SECTOR, Separator, whole};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use super::rwbs::{self, Asked};
use crate::HostOp;
use crate::time_unit::TimeUnit;

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
        "RWBS: R reads, W writes, D discards (TRIM), F alone flushes; F after W is forced unit access; an event that flushes and has no sectors (FWS) is a flush. N and other events without sectors are skipped and counted. An event with sectors that is both a flush and a write (FW) is read as a write, and counted.",
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
            requests: 0,
            without_sectors: 0,
            flushing_writes: 0,
            others: BTreeMap::new(),
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
    requests: u64,
    /// Events of the action without sectors that flush nothing.
    without_sectors: u64,
    /// Writes that ask for a flush before them.
    flushing_writes: u64,
    /// Events of other actions, by their letters.
    others: BTreeMap<[u8; 2], u64>,
}

impl BlkParse {
    /// The time of an event, repaired where it is absurd.
    #[inline]
    fn repaired(&mut self, time: u64) -> u64 {
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
pub(super) fn device(column: &[u8]) -> Option<u64> {
    let comma = column.iter().position(|byte| *byte == b',')?;
    let number = |digits| whole(digits).filter(|number| *number < 1 << 32);
    Some(number(&column[..comma])? << 32 | number(&column[comma + 1..])?)
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
            let letters = [action[0], action.get(1).copied().unwrap_or(b' ')];
            *self.others.entry(letters).or_default() += 1;
            return Ok(Parsed::Other);
        }
        let letters = columns.need("RWBS")?;
        let Ok(asked) = rwbs::asked(letters) else {
            return Err(columns.wrong("RWBS", letters, rwbs::ACCEPTED));
        };
        let Some(Asked { op, fua, flush }) = asked else {
            self.without_sectors += 1;
            return Ok(Parsed::Other);
        };
        let rest = columns.rest().trim_ascii_start();
        let has_sectors = rest.first().is_some_and(u8::is_ascii_digit);
        if op == HostOp::Flush || (flush && !has_sectors) {
            self.requests += 1;
            return Ok(Parsed::Request(TraceRow::flush(self.repaired(time), device)));
        }
        if !has_sectors {
            // requests of the drive's own management carry no sectors
            self.without_sectors += 1;
            return Ok(Parsed::Other);
        }
        self.requests += 1;
        self.flushing_writes += u64::from(flush);
        let (start, bytes) = columns.extent_of(op, ("sector", SECTOR), Some(b"+"), ("sectors", SECTOR))?;
        let arrival = self.repaired(time);
        Ok(Parsed::Request(TraceRow {
            attributes: Attributes {
                fua,
                ..Attributes::default()
            },
            ..TraceRow::new(arrival, device, op, start, bytes)
        }))
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let action = char::from(self.action);
        if self.requests == 0 && !self.others.is_empty() {
            let others: Vec<String> = self
                .others
                .iter()
                .map(|([first, second], count)| {
                    let letters = [char::from(*first), char::from(*second)];
                    format!("{count} of {}", letters.iter().collect::<String>().trim())
                })
                .collect();
            let has = |letters: &[u8; 2]| self.others.contains_key(letters) && letters[0] != self.action;
            let ask = if has(b"D ") {
                "; set workload.action = \"D\" to replay requests as they were issued to the driver"
            } else if has(b"Q ") {
                "; set workload.action = \"Q\" to replay requests as they were queued, which is all that devices of the device mapper record"
            } else if has(b"C ") {
                "; set workload.action = \"C\" to replay requests at the times at which they were completed"
            } else {
                "; see workload.action"
            };
            remarks.push(format!(
                "as blkparse text it has no event of action {action}, but {}{ask}",
                others.join(", ")
            ));
        }
        if self.absurd > 0 {
            remarks.push(format!(
                "{} events have times more than a year after all events before them; they arrive with the event before them",
                self.absurd
            ));
        }
        if self.without_sectors > 0 {
            remarks.push(format!(
                "{} events of action {action} neither read, write, trim nor flush (commands of management; before Linux 6.18 zeroes that are written, too); they are left out",
                self.without_sectors
            ));
        }
        if self.flushing_writes > 0 {
            remarks.push(format!(
                "{} writes ask for a flush before them (FW), which is left out",
                self.flushing_writes
            ));
        }
        remarks
    }
}
