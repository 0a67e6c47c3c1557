//! Events of WiscSee (He et al., "The Unwritten Contract of Solid State Drives", EuroSys 2017).

use super::fields::{Columns, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "wiscsee",
    title: "WiscSee events",
    description: "process id, action (D issue, C complete), operation (read, write, discard), offset in bytes, size in bytes, \
                  time in s, seconds since the event before (ignored), synchronous (True or False, ignored); only events of \
                  one action are requests (workload.action, D if left out)",
    example: "39949 D read 299008 4096 0.000000000 0 False",
    binary: false,
    extensions: &["wiscsee"],
    time_unit: TimeUnit::Seconds,
    source: "He et al., \"The Unwritten Contract of Solid State Drives\", EuroSys 2017; events for its FTL simulator",
    traps: &[
        "There is an event when a request is issued and one when it completes; only those of one action are read.",
        "discard becomes a TRIM request.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(WiscSee {
            unit: reading.unit,
            action: reading.action.unwrap_or_default().letter(),
        })
    },
    actions: true,
};

struct WiscSee {
    unit: TimeUnit,
    action: u8,
}

impl RowParser for WiscSee {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        columns.number("process id")?;
        let action = columns.need("action")?;
        if !matches!(action, b"D" | b"C" | b"Q") {
            return Err(columns.wrong("action", action, "D (issue), C (complete) or Q (queue)"));
        }
        let wanted = action == [self.action];
        let op = match columns.need("operation")? {
            b"read" => HostOp::Read,
            b"write" => HostOp::Write,
            b"discard" => HostOp::Trim,
            other => return Err(columns.wrong("operation", other, "read, write or discard")),
        };
        let (start, bytes) = columns.extent(("offset", 1), ("size", 1))?;
        let arrival = columns.time("time", self.unit)?;
        columns.need("delta")?;
        let synchronous = columns.need("synchronous")?;
        if !matches!(synchronous, b"True" | b"False") {
            return Err(columns.wrong("synchronous", synchronous, "True or False"));
        }
        columns.end()?;
        Ok(match wanted {
            true => Parsed::Request(TraceRow::new(arrival, 0, op, start, bytes)),
            false => Parsed::Other,
        })
    }
}
