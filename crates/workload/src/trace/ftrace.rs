//! Text of ftrace, trace-cmd and perf with the kernel's block events (Documentation/trace/ftrace.rst; include/trace/events/block.h).

use std::collections::BTreeMap;

use super::fields::{SECTOR, extent, largest, time, whole};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use super::rwbs::{self, Asked};
use crate::HostOp;
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "ftrace",
    title: "ftrace text",
    description: "lines of ftrace, trace-cmd or perf script with the events block_rq_issue (D), block_bio_queue (Q) or block_rq_complete (C): process, CPU, flags, time in s, \
                  event, device, RWBS, sector + sectors of 512 bytes; events of one action are requests (workload.action, D if left out); each pair of device numbers is a \
                  device",
    example: "             app-2000    [000] ..... 100.000000: block_rq_issue: 259,0 R 4096 () 43112 + 8 none,0,0 [app]",
    binary: false,
    extensions: &["ftrace", "trace-cmd"],
    time_unit: TimeUnit::Seconds,
    source: "the kernel's include/trace/events/block.h, which prints the events",
    traps: &[
        "Other events are skipped and counted. Requests that went past the block layer (io_uring passthrough) have no block events.",
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
            others: BTreeMap::new(),
        })
    },
    actions: true,
};

/// Kinds of events that are counted by their names.
const MOST_KINDS: usize = 64;

struct Ftrace {
    unit: TimeUnit,
    wanted: &'static str,
    requests: u64,
    /// Other events by their names.
    others: BTreeMap<String, u64>,
}

/// A word and what follows it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Time, event and what follows it: `... 100.000300: block:block_rq_issue: 259,0 ...`. The time is the first word that is a number and ends in a colon.
fn event(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut rest = line;
    loop {
        let (column, behind) = word(rest)?;
        rest = behind;
        let Some(time) = column.strip_suffix(b":") else {
            continue;
        };
        if !time.contains(&b'.') || !time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
            continue;
        }
        let (name, behind) = word(rest)?;
        let name = name.strip_suffix(b":")?;
        // perf puts the name of the subsystem before it
        let name = name.strip_prefix(b"block:").unwrap_or(name);
        return Some((time, name, behind));
    }
}

impl Ftrace {
    fn request(&mut self, arrival: &[u8], rest: &[u8]) -> Result<Parsed, RowError> {
        let wrong = |column, what, found: &[u8], accepted: &'static str| RowError {
            column,
            what,
            found: super::bytes::quoted(found),
            accepted: accepted.into(),
        };
        let arrival = time(arrival, self.unit.ns()).ok_or_else(|| {
            wrong(
                4,
                "time",
                arrival,
                "a decimal number of at most 584 years; see workload.time_unit",
            )
        })?;
        let short = || RowError::whole("an event of too few columns", "device, RWBS, sector + sectors");
        let (device, rest) = word(rest).ok_or_else(short)?;
        let number = super::blkparse::device(device)
            .ok_or_else(|| wrong(6, "device", device, "major and minor number, such as 259,0"))?;
        let (letters, rest) = word(rest).ok_or_else(short)?;
        let asked = rwbs::asked(letters).map_err(|()| wrong(7, "RWBS", letters, rwbs::ACCEPTED))?;
        let Some(Asked { op, fua, flush }) = asked else {
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
        let Some((time, name, rest)) = event(row) else {
            // what trace-cmd writes above the events
            let is_head =
                row.starts_with(b"cpus=") || row.starts_with(b"CPU ") || row.starts_with(b"version =");
            if is_head {
                return Ok(Parsed::Other);
            }
            return Err(RowError::whole(
                format!("no event in {}", super::bytes::quoted(row)),
                "process, CPU, flags, time and event, such as `app-1 [000] ..... 1.5: block_rq_issue: 259,0 R 4096 () 8 + 8 [app]`",
            ));
        };
        if name == self.wanted.as_bytes() {
            return self.request(time, rest);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if self.others.len() < MOST_KINDS || self.others.contains_key(&name) {
            *self.others.entry(name).or_default() += 1;
        }
        Ok(Parsed::Other)
    }

    fn remarks(&self) -> Vec<String> {
        if self.requests > 0 || self.others.is_empty() {
            return Vec::new();
        }
        let others: Vec<String> = self
            .others
            .iter()
            .map(|(name, count)| format!("{count} of {name}"))
            .collect();
        vec![format!(
            "as ftrace text it has no event {}, but {}; see workload.action (\"Q\" for block_bio_queue, \"D\" for block_rq_issue, \"C\" for block_rq_complete)",
            self.wanted,
            others.join(", ")
        )]
    }
}
