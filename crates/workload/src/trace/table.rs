//! Tables of requests whose columns have names that say everything: Parquet, Arrow, or delimited text with a header line.

use super::csv::Csv;
use super::fields::{SECTOR, Separator};
use super::format::{Format, text};
use super::quoted_columns::QuotedColumns;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::{CsvColumn, CsvConfig};
use crate::time_unit::TimeUnit;
use wordline_units::ByteSize;

pub(crate) const FORMAT: Format = Format {
    name: "table",
    title: "table of requests",
    description: "columns by name, in any order: time (in s, or in workload.time_unit) or time_s, time_ms, time_us, time_ns, arrival_ns; op or class; offset in bytes or \
                  sector of 512 bytes; size in bytes or sectors of 512 bytes; device, response_ns, queue, fua and placement may be there too, and others are passed over. The \
                  file is Parquet, Arrow (IPC, Feather), or text with commas, semicolons, tabs or `|` and a header line",
    example: "time,op,offset,size\n0.5,W,4096,8192\n0.75,R,0,4096",
    binary: false,
    extensions: &["parquet", "arrow", "ipc", "feather", "csv", "tsv"],
    time_unit: TimeUnit::Seconds,
    source: "Wordline's own: `wordline convert` writes it as Parquet, and the `requests.parquet` of a result is one",
    traps: &[
        "Tables with other names are read with workload.format = \"csv\" and [workload.csv], also from Parquet and Arrow.",
        "Columns of a date and time type are taken in seconds, whatever they count in.",
        "The table of requests of a result does not tell trims from flushes: `other` with sectors is taken for a trim, without for a flush.",
        "Arrow files are those with a footer (`ARROW1`), not streams.",
    ],
    likeness: |_| (10, "its header line names the columns"),
    decoder: |reading| {
        text(Table {
            unit: reading.unit,
            rows: None,
            others: 0,
        })
    },
    actions: false,
};

/// Names of the column of the time, and what it counts in; `None` for what the user or the format says.
const TIMES: [(&str, Option<TimeUnit>); 6] = [
    ("time", None),
    ("time_s", Some(TimeUnit::Seconds)),
    ("time_ms", Some(TimeUnit::Milliseconds)),
    ("time_us", Some(TimeUnit::Microseconds)),
    ("time_ns", Some(TimeUnit::Nanoseconds)),
    ("arrival_ns", Some(TimeUnit::Nanoseconds)),
];
const OPERATIONS: [&str; 2] = ["op", "class"];
const OFFSETS: [(&str, u64); 2] = [("offset", 1), ("sector", SECTOR)];
const SIZES: [(&str, u64); 2] = [("size", 1), ("sectors", SECTOR)];
/// What parts the columns of text, as far as the header line shows it.
const SEPARATORS: [u8; 4] = *b",;\t|";
/// What a result calls trims and flushes.
const OTHER: &str = "other";

struct Table {
    unit: TimeUnit,
    rows: Option<Csv>,
    /// Requests that may be trims or flushes.
    others: u64,
}

/// The columns as the header line names them; `None` where it lacks one that is needed.
fn columns(header: &[u8], separator: u8, usual: TimeUnit) -> Option<(CsvConfig, TimeUnit)> {
    let mut named = QuotedColumns::new(header, Separator::One(separator));
    let names: Vec<String> = std::iter::from_fn(|| named.next())
        .map(|name| String::from_utf8_lossy(name).to_ascii_lowercase())
        .collect();
    let column = |name: &str| {
        names
            .iter()
            .any(|known| known == name)
            .then(|| CsvColumn::Name(name.to_owned()))
    };
    let (time, unit) = TIMES
        .iter()
        .find_map(|(name, unit)| Some((column(name)?, unit.unwrap_or(usual))))?;
    let of = |choices: &[(&str, u64)]| {
        choices
            .iter()
            .find_map(|(name, unit)| Some((column(name)?, ByteSize(*unit))))
    };
    let (offset, offset_unit) = of(&OFFSETS)?;
    let (size, size_unit) = of(&SIZES)?;
    let op = OPERATIONS.iter().find_map(|name| column(name))?;
    let mut config = CsvConfig {
        time: Some(time),
        op: Some(op),
        offset: Some(offset),
        size: Some(size),
        device: column("device"),
        // its unit is that of the times
        response: column("response_ns").filter(|_| unit == TimeUnit::Nanoseconds),
        placement: column("placement"),
        queue: column("queue"),
        fua: column("fua"),
        offset_unit,
        size_unit,
        separator: char::from(separator).to_string(),
        ..CsvConfig::default()
    };
    config.trim.push(OTHER.to_owned());
    Some((config, unit))
}

impl RowParser for Table {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let Some(rows) = &mut self.rows else {
            let parted = SEPARATORS.iter().find_map(|by| columns(row, *by, self.unit));
            let (config, unit) = parted.ok_or_else(|| {
                RowError::whole(
                    format!("the header line is {}", super::bytes::quoted(row)),
                    "names of columns: time, op, offset and size (or time_ns, class, sector and sectors, as in the table of requests of a result)",
                )
            })?;
            let mut rows = Csv::new(config, unit);
            rows.parse(row)?;
            self.rows = Some(rows);
            return Ok(Parsed::Other);
        };
        Ok(match rows.parse(row)? {
            // of a result, which gives both the same class
            Parsed::Request(row) if row.op == HostOp::Trim && row.bytes == 0 => {
                self.others += 1;
                Parsed::Request(TraceRow {
                    attributes: row.attributes,
                    ..TraceRow::flush(row.arrival, row.device)
                })
            }
            parsed => parsed,
        })
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.rows.as_ref().map_or_else(Vec::new, Csv::remarks);
        if self.others > 0 {
            remarks.push(format!(
                "{} requests of the class `{OTHER}` or trims without a length are taken for flushes",
                self.others
            ));
        }
        remarks
    }
}
