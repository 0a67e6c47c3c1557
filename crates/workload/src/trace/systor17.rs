//! SYSTOR17 CSV: enterprise virtual desktops (Lee et al., SYSTOR 2017).

use super::fields::{Columns, Separator, time};
use super::format::{Format, text, unmistakable};
use super::names::is_header;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "systor17",
    title: "SYSTOR17 CSV",
    description: "time in s, response time in s (may be empty), R or W (empty: another command, passed over), LUN, offset in \
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
    fn is_parted_by_commas(&self) -> bool {
        true
    }

    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "Timestamp,Response") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::COMMA);
        let arrival = columns.time("Timestamp", self.unit)?;
        // empty where the command never ended
        let response = columns.need("Response")?;
        let response = match response.trim_ascii() {
            b"" => 0,
            given => time(given, self.unit.ns()).ok_or_else(|| {
                columns.wrong("Response", response, "a decimal number of seconds, or nothing")
            })?,
        };
        let kind = columns.need("IOType")?;
        if kind.is_empty() {
            return Ok(Parsed::Other);
        }
        let op = columns.as_read_or_write("IOType", kind)?;
        let device = columns.number("LUN")?;
        let (start, bytes) = columns.extent(("Offset", 1), ("Size", 1))?;
        columns.end()?;
        let row = TraceRow::new(arrival, device, op, start, bytes);
        Ok(Parsed::Request(row.answered(response)))
    }
}
