//! Disk events of Event Tracing for Windows, as the CSV of `tracerpt trace.etl -of CSV`.

use super::etw::{columns, number};
use super::fields::{LARGEST, extent, time};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "tracerpt",
    title: "ETW events as CSV of tracerpt",
    description: "a header line that names the columns Event Name, Type, Clock-Time and, last, User Data; rows of the event DiskIo with the types Read, Write and FlushBuffers. Clock-Time is the \
                  completion in ticks of 100 ns since 1601. User Data are those of the classes DiskIo_TypeGroup1 and DiskIo_TypeGroup3: disk, flags, bytes, reserved, offset in bytes, file object, \
                  IRP, response time in ticks, thread; of a flush disk, flags, response time, IRP, thread. Each disk is a device",
    example: "Event Name, Type, Event ID, Version, Channel, Level, Opcode, Task, Keyword, PID, TID, Processor Number, Instance ID, Parent Instance ID, Activity ID, Related Activity ID, Clock-Time, \
              Kernel(ms), User(ms), User Data\n\
              DiskIo, Read, 0, 3, 0, 0, 10, 0, 0x0000000000000000, 0x00000F90, 0x00002E44, 1, , , , , 133500000000012830, 0, 0, 0, 0x00060043, 4096, 0, 655360, 0xFFFFE288272D0D20, \
              0xFFFFE288B23F1B20, 2830, 11844",
    binary: false,
    extensions: &["tracerpt", "csv"],
    time_unit: TimeUnit::Ticks,
    source: "Microsoft, Event Tracing for Windows: class DiskIo_TypeGroup1 of the kernel logger (learn.microsoft.com); the other columns are assumed",
    traps: &[
        "Times are those of completions: a request arrives its response time earlier. Rows are then not in the order of time, and are sorted (workload.disorder).",
        "Response times count the performance counter of the recording computer, taken to tick at 10 MHz, as it does since Windows 10; the file does not say.",
        "Other events are skipped, and so are ReadInit, WriteInit and FlushInit, which have no address.",
        "The user data of reads and writes are those that Microsoft describes. The columns before them, and the user data of flushes, are assumed: no page that lists them was found. It was not tested with a real file.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Tracerpt {
            unit: reading.unit,
            layout: None,
        })
    },
    actions: false,
};

/// Nanoseconds of a tick of the performance counter.
const TICK_NS: u64 = 100;

/// Columns, counted from 0.
#[derive(Clone, Copy)]
struct Layout {
    event: usize,
    kind: usize,
    clock: usize,
    /// The first one of the data of the event.
    data: usize,
}

struct Tracerpt {
    unit: TimeUnit,
    /// What the header line says.
    layout: Option<Layout>,
}

impl Layout {
    fn named(row: &[u8]) -> Option<Self> {
        let (header, count) = columns(row);
        let place = |name: &[u8]| {
            header[..count]
                .iter()
                .position(|column| column.eq_ignore_ascii_case(name))
        };
        Some(Self {
            event: place(b"Event Name")?,
            kind: place(b"Type")?,
            clock: place(b"Clock-Time")?,
            data: place(b"User Data")?,
        })
    }
}

impl Tracerpt {
    fn request(&self, row: &[&[u8]], op: HostOp, layout: Layout) -> Result<TraceRow, RowError> {
        let column = |place: usize| row.get(place).copied().unwrap_or_default();
        let wrong = |place: usize, what, accepted: &'static str| RowError {
            column: place as u32 + 1,
            what,
            found: super::bytes::quoted(column(place)),
            accepted: accepted.into(),
        };
        let whole = |place: usize, what| {
            let accepted = "a whole number, or hexadecimal digits behind 0x";
            number(column(place)).ok_or_else(|| wrong(place, what, accepted))
        };
        let accepted = "ticks of 100 ns, at most 584 years of them; see workload.time_unit";
        let completed = time(column(layout.clock), self.unit.ns())
            .ok_or_else(|| wrong(layout.clock, "Clock-Time", accepted))?;
        let data = layout.data;
        let disk = whole(data, "DiskNumber")?;
        let response = data + if op == HostOp::Flush { 2 } else { 7 };
        let elapsed = whole(response, "HighResResponseTime")?
            .checked_mul(TICK_NS)
            .ok_or_else(|| wrong(response, "HighResResponseTime", "ticks of at most 584 years"))?;
        let arrival = completed.saturating_sub(elapsed);
        if op == HostOp::Flush {
            return Ok(TraceRow::flush(arrival, disk).answered(elapsed));
        }
        let (size, offset) = (data + 2, data + 4);
        let (start, bytes) = extent(
            (offset as u32 + 1, "ByteOffset", whole(offset, "ByteOffset")?, 1),
            (size as u32 + 1, "TransferSize", whole(size, "TransferSize")?, 1),
            LARGEST,
        )?;
        Ok(TraceRow::new(arrival, disk, op, start, bytes).answered(elapsed))
    }
}

impl RowParser for Tracerpt {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let Some(layout) = self.layout else {
            let layout = Layout::named(row).ok_or_else(|| {
                RowError::whole(
                    format!("the first line is {}", super::bytes::quoted(row)),
                    "a header line with the columns Event Name, Type, Clock-Time and User Data",
                )
            })?;
            self.layout = Some(layout);
            return Ok(Parsed::Other);
        };
        let (found, count) = columns(row);
        let found = &found[..count];
        if found.get(layout.event) != Some(&&b"DiskIo"[..]) {
            return Ok(Parsed::Other);
        }
        let op = match found.get(layout.kind).copied().unwrap_or_default() {
            b"Read" => HostOp::Read,
            b"Write" => HostOp::Write,
            b"FlushBuffers" => HostOp::Flush,
            _ => return Ok(Parsed::Other),
        };
        Ok(Parsed::Request(self.request(found, op, layout)?))
    }

    fn is_certain(&self) -> bool {
        self.layout.is_some()
    }
}
