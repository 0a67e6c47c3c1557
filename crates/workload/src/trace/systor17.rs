//! SYSTOR17 CSV: enterprise virtual desktops (Lee et al., SYSTOR 2017).

use super::fields::{Columns, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "systor17",
    title: "SYSTOR17 CSV",
    description: "time in s, response time in s (ignored), R or W (empty: another command, passed over), LUN, offset in \
                  bytes, size in bytes; a header line is allowed; each LUN is a device",
    example: "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,899056122368,131072",
    binary: false,
    extensions: &["csv", "systor17"],
    time_unit: TimeUnit::Seconds,
    source: "Lee et al., \"Understanding Storage Traffic Characteristics on Enterprise Virtual Desktop Infrastructure\", SYSTOR \
             2017",
    traps: &[
        "Rows are in the order of completion; they are sorted by time (workload.disorder).",
        "Rows with an empty type are commands other than read and write; they are skipped.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Systor {
            unit: reading.unit,
            first: true,
        })
    },
    actions: false,
};

struct Systor {
    unit: TimeUnit,
    first: bool,
}

impl RowParser for Systor {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && row.trim_ascii_start().starts_with(b"Timestamp,Response") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let arrival = columns.time("Timestamp", self.unit)?;
        // may be empty where the command never ended
        columns.need("Response")?;
        let kind = columns.need("IOType")?;
        if kind.is_empty() {
            return Ok(Parsed::Other);
        }
        let op = columns.as_read_or_write("IOType", kind)?;
        let device = columns.number("LUN")?;
        let (start, bytes) = columns.extent(("Offset", 1), ("Size", 1))?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
