//! Text of ftrace, trace-cmd and perf with the kernel's block events (Documentation/trace/ftrace.rst; include/trace/events/block.h).

use super::events::{Event, PassedOver, word, wrong};
use super::fields::{SECTOR, extent, largest, whole};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use super::rwbs::{self, Asked};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "ftrace",
    title: "ftrace text",
    description: "lines of ftrace, trace-cmd report or perf script with the events block_rq_issue (D), block_bio_queue (Q) or block_rq_complete (C): process, CPU, flags, time in s, \
                  event, device, RWBS, sector + sectors of 512 bytes; events of one action are requests (workload.action, D if left out); each pair of device numbers is a \
                  device",
    example: "             app-2000    [000] ..... 100.000000: block_rq_issue: 259,0 R 4096 () 43112 + 8 none,0,0 [app]",
    binary: false,
    extensions: &["ftrace", "trace-cmd", "perf"],
    time_unit: TimeUnit::Seconds,
    source: "the kernel's include/trace/events/block.h, which prints the events",
    traps: &[
        "Other events are skipped and counted. Requests that went past the block layer (io_uring passthrough) have no block events; the format `nvme_events` reads those of the NVMe driver.",
        "Call chains (`perf record -g`) are skipped. A note says where the recorder lost events.",
        "The letters of RWBS are those of blkparse.",
        "Lines of one CPU follow those of another where buffers were written one after the other; they are sorted (workload.disorder).",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Ftrace {
            unit: reading.unit,
            wanted: match reading.action.unwrap_or_default().letter() {
                b'Q' => "block_bio_queue",
                b'C' => "block_rq_complete",
                _ => "block_rq_issue",
            },
            requests: 0,
            without_sectors: 0,
            others: PassedOver::default(),
        })
    },
    actions: true,
};

struct Ftrace {
    unit: TimeUnit,
    wanted: &'static str,
    requests: u64,
    /// Events of requests without sectors that flush nothing.
    without_sectors: u64,
    others: PassedOver,
}

impl Ftrace {
    fn request(&mut self, event: &Event<'_>) -> Result<Parsed, RowError> {
        let (arrival, rest) = (event.arrival(self.unit)?, event.rest);
        let short = || RowError::whole("an event of too few columns", "device, RWBS, sector + sectors");
        let (device, rest) = word(rest).ok_or_else(short)?;
        let number = super::blkparse::device(device)
            .ok_or_else(|| wrong(6, "device", device, "major and minor number, such as 259,0"))?;
        let (letters, rest) = word(rest).ok_or_else(short)?;
        let asked = rwbs::asked(letters).map_err(|()| wrong(7, "RWBS", letters, rwbs::ACCEPTED))?;
        let Some(Asked { op, fua, flush }) = asked else {
            self.without_sectors += 1;
            return Ok(Parsed::Other);
        };
        // bytes and a command stand between in events of requests: `4096 () 43112 + 8`
        let plus = rest.iter().position(|byte| *byte == b'+').ok_or_else(short)?;
        let (before, behind) = (rest[..plus].trim_ascii_end(), &rest[plus + 1..]);
        let start = before
            .iter()
            .rposition(|byte| byte.is_ascii_whitespace())
            .map_or(0, |blank| blank + 1);
        let sector = &before[start..];
        let (sectors, _) = word(behind).ok_or_else(short)?;
        let first = whole(sector).ok_or_else(|| wrong(8, "sector", sector, "a whole number"))?;
        let count = whole(sectors).ok_or_else(|| wrong(9, "sectors", sectors, "a whole number"))?;
        self.requests += 1;
        if op == HostOp::Flush || (flush && count == 0) {
            return Ok(Parsed::Request(TraceRow::flush(arrival, number)));
        }
        let (start, bytes) = extent(
            (8, "sector", first, SECTOR),
            (9, "sectors", count, SECTOR),
            largest(op),
        )?;
        Ok(Parsed::Request(TraceRow {
            attributes: Attributes {
                fua,
                ..Attributes::default()
            },
            ..TraceRow::new(arrival, number, op, start, bytes)
        }))
    }
}

impl RowParser for Ftrace {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let Some(event) = Event::of(row) else {
            self.others.line(
                row,
                "process, CPU, flags, time and event, such as `app-1 [000] ..... 1.5: block_rq_issue: 259,0 R 4096 () 8 + 8 [app]`",
            )?;
            return Ok(Parsed::Other);
        };
        if event.name == self.wanted.as_bytes() {
            return self.request(&event);
        }
        self.others.event(event.name);
        Ok(Parsed::Other)
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.requests == 0
            && let Some(others) = self.others.listed()
        {
            remarks.push(format!(
                "as ftrace text it has no event {}, but {others}; see workload.action (\"Q\" for block_bio_queue, \"D\" for block_rq_issue, \"C\" for block_rq_complete)",
                self.wanted
            ));
        }
        if self.without_sectors > 0 {
            remarks.push(format!(
                "{} events of requests neither read, write, trim nor flush (commands of management; before Linux 6.18 zeroes that are written, too); they are left out",
                self.without_sectors
            ));
        }
        remarks.extend(self.others.lost());
        remarks
    }
}
