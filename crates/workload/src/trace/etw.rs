//! Disk events of Event Tracing for Windows, as text of `xperf -i trace.etl -o trace.csv` (the action `dumper`).

use super::fields::{Columns, LARGEST, Separator, extent, hexadecimal, time, whole};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "etw",
    title: "ETW disk events",
    description: "text of xperf: lines between BeginHeader and EndHeader that name the columns of each event, then events DiskRead, DiskWrite and DiskFlush: time of the \
                  completion in us, process, thread, CPU (not in old versions), IRP, offset in bytes and bytes (hexadecimal), elapsed time in us, disk; each disk is a device",
    example: "BeginHeader\n   DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum\nEndHeader\n   \
              DiskRead,       8612,          app.exe (3984),      11844,   1, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000,         283,        0",
    binary: false,
    extensions: &["etw", "csv"],
    time_unit: TimeUnit::Microseconds,
    source: "Microsoft, Windows Performance Toolkit, xperf's action dumper; the SNIA traces of Microsoft production servers (Kavalanekar et al., IISWC 2008) have this form",
    traps: &[
        "Times are those of completions: a request arrives its elapsed time earlier. Rows are then not in the order of time, and are sorted (workload.disorder).",
        "Other events are skipped. The events have neither deallocations nor forced unit access.",
        "The CSV of tracerpt and tables exported from Windows Performance Analyzer are formats of their own (tracerpt, wpa).",
        "Written from the header lines of published traces: it was not tested with a real file.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Etw {
            unit: reading.unit,
            place: Place::Start,
            layouts: [None; EVENTS.len()],
        })
    },
    actions: false,
};

/// The events that are requests.
const EVENTS: [(&[u8], HostOp); 3] = [
    (b"DiskRead", HostOp::Read),
    (b"DiskWrite", HostOp::Write),
    (b"DiskFlush", HostOp::Flush),
];
/// Columns that are looked at.
const MOST_COLUMNS: usize = 32;

/// Where in the file a row stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Header,
    Events,
}

/// Columns of an event, counted from 0.
#[derive(Clone, Copy)]
struct Layout {
    time: usize,
    offset: usize,
    size: usize,
    elapsed: usize,
    disk: usize,
}

struct Etw {
    unit: TimeUnit,
    place: Place,
    /// What the header says, by event.
    layouts: [Option<Layout>; EVENTS.len()],
}

/// The columns of a row; those beyond the last that is looked at are left out.
pub(super) fn columns(row: &[u8]) -> ([&[u8]; MOST_COLUMNS], usize) {
    let mut found = [&b""[..]; MOST_COLUMNS];
    let mut columns = Columns::new(row, Separator::COMMA);
    let mut count = 0;
    for place in &mut found {
        let Some(column) = columns.next() else { break };
        (*place, count) = (column, count + 1);
    }
    (found, count)
}

impl Layout {
    /// As a header line says.
    fn named(header: &[&[u8]], op: HostOp) -> Option<Self> {
        let place = |name: &[u8]| header.iter().position(|column| column.eq_ignore_ascii_case(name));
        let extent = |name: &[u8]| if op == HostOp::Flush { Some(0) } else { place(name) };
        Some(Self {
            time: place(b"TimeStamp")?,
            offset: extent(b"ByteOffset")?,
            size: extent(b"IOSize")?,
            elapsed: place(b"ElapsedTime")?,
            disk: place(b"DiskNum")?,
        })
    }

    /// As it is usual, where no header is: with or without a column for the CPU, behind which an address stands.
    fn usual(row: &[&[u8]], op: HostOp) -> Self {
        let cpu = usize::from(!row.get(4).is_some_and(|column| column.starts_with(b"0x")));
        let (offset, size, elapsed) = if op == HostOp::Flush { (0, 0, 5) } else { (5, 6, 7) };
        Self {
            time: 1,
            offset: offset + cpu,
            size: size + cpu,
            elapsed: elapsed + cpu,
            disk: elapsed + 1 + cpu,
        }
    }
}

/// A number in hexadecimal digits behind `0x`, or a decimal one.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    match text.strip_prefix(b"0x") {
        Some(digits) => hexadecimal(digits),
        None => whole(text),
    }
}

impl Etw {
    fn request(&self, row: &[&[u8]], op: HostOp, layout: Option<Layout>) -> Result<TraceRow, RowError> {
        let layout = layout.unwrap_or_else(|| Layout::usual(row, op));
        let column = |place: usize| row.get(place).copied().unwrap_or_default();
        let wrong = |place: usize, what, accepted: &'static str| RowError {
            column: place as u32 + 1,
            what,
            found: super::bytes::quoted(column(place)),
            accepted: accepted.into(),
        };
        let moment = |place, what| {
            let accepted = "a decimal number, not negative, of at most 584 years; see workload.time_unit";
            time(column(place), self.unit.ns()).ok_or_else(|| wrong(place, what, accepted))
        };
        let (completed, elapsed) = (
            moment(layout.time, "TimeStamp")?,
            moment(layout.elapsed, "ElapsedTime")?,
        );
        let disk =
            number(column(layout.disk)).ok_or_else(|| wrong(layout.disk, "DiskNum", "a whole number"))?;
        let arrival = completed.saturating_sub(elapsed);
        if op == HostOp::Flush {
            return Ok(TraceRow::flush(arrival, disk).answered(elapsed));
        }
        let bytes = |place, what| {
            number(column(place))
                .ok_or_else(|| wrong(place, what, "a number in hexadecimal digits, such as 0x00001000"))
        };
        let (start, bytes) = extent(
            (
                layout.offset as u32 + 1,
                "ByteOffset",
                bytes(layout.offset, "ByteOffset")?,
                1,
            ),
            (layout.size as u32 + 1, "IOSize", bytes(layout.size, "IOSize")?, 1),
            LARGEST,
        )?;
        Ok(TraceRow::new(arrival, disk, op, start, bytes).answered(elapsed))
    }
}

impl RowParser for Etw {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let first = Columns::new(row, Separator::COMMA).next().unwrap_or_default();
        let event = EVENTS.iter().position(|(name, _)| *name == first);
        match (self.place, event) {
            (Place::Start, _) if first == b"BeginHeader" => self.place = Place::Header,
            (Place::Header, _) if first == b"EndHeader" => self.place = Place::Events,
            (Place::Header, Some(event)) => {
                let (found, count) = columns(row);
                self.layouts[event] = Some(Layout::named(&found[..count], EVENTS[event].1).ok_or_else(|| {
                    RowError::whole(
                        "a header line without all of the columns",
                        "TimeStamp, ByteOffset, IOSize, ElapsedTime and DiskNum; of DiskFlush those without ByteOffset and IOSize",
                    )
                })?);
            }
            (Place::Start | Place::Events, Some(event)) => {
                self.place = Place::Events;
                let (found, count) = columns(row);
                let request = self.request(&found[..count], EVENTS[event].1, self.layouts[event])?;
                return Ok(Parsed::Request(request));
            }
            (Place::Start, None) => {
                return Err(RowError::whole(
                    format!("the first line is {}", super::bytes::quoted(row)),
                    "BeginHeader, or an event DiskRead, DiskWrite or DiskFlush",
                ));
            }
            (Place::Header | Place::Events, None) => {}
        }
        Ok(Parsed::Other)
    }

    fn is_certain(&self) -> bool {
        self.layouts.iter().any(Option::is_some)
    }
}
