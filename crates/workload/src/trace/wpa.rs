//! The table Disk Usage of Windows Performance Analyzer, exported as CSV.

use super::bytes::quoted;
use super::etw::number;
use super::fields::{LARGEST, Separator, extent, time};
use super::format::{Format, text, unmistakable};
use super::quoted_columns::QuotedColumns;
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "wpa",
    title: "Disk Usage of Windows Performance Analyzer",
    description: "a header line, then a row per request, in any order of columns: IO Type (Read, Write, Flush), Init Time (s), Min Offset and Size (B) in bytes, if there is one Disk, which is a \
                  device, and IO Time (us). Numbers may stand in quotes, be grouped by commas, or be hexadecimal behind 0x; other columns are not looked at",
    example: "IO Type,Process,Disk,Min Offset,Size (B),Init Time (s),IO Time (us),Count\nRead,app.exe (3984),0,\"655,360\",\"4,096\",0.008329000,283.000,1",
    binary: false,
    extensions: &["wpa", "csv"],
    time_unit: TimeUnit::Seconds,
    source: "Microsoft, Windows Performance Analyzer, graph Disk Usage; the names of its columns are assumed",
    traps: &[
        "Which columns are exported is chosen in the table: those above have to be among them, with a row per request. Where Count is exported it is 1: rows that sum up several requests are refused.",
        "Rows need not be in the order of Init Time: they are sorted (workload.disorder).",
        "The names of the columns are assumed: no page that lists them was found. It was not tested with a real file.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(Wpa {
            unit: reading.unit,
            layout: None,
        })
    },
    actions: false,
};

/// Longest number, in bytes.
const LONGEST: usize = 40;

/// What the columns say that are looked at.
const OP: usize = 0;
const INIT: usize = 1;
const OFFSET: usize = 2;
const SIZE: usize = 3;
const DISK: usize = 4;
const ELAPSED: usize = 5;
const COUNT: usize = 6;
/// Their names, without the units.
const NAMES: [&str; 7] = [
    "IO Type",
    "Init Time",
    "Min Offset",
    "Size",
    "Disk",
    "IO Time",
    "Count",
];

/// Columns by what they say, counted from 1.
#[derive(Clone, Copy, Default)]
struct Layout {
    places: [Option<u32>; NAMES.len()],
    /// Nanoseconds of the unit of IO Time.
    elapsed_ns: u64,
}

struct Wpa {
    unit: TimeUnit,
    /// What the header line says.
    layout: Option<Layout>,
}

/// The unit of a column of times, which stands in parentheses behind its name; `None` for one that is not known.
fn unit_of(text: &str) -> Option<TimeUnit> {
    match text {
        "s" => Some(TimeUnit::Seconds),
        "ms" => Some(TimeUnit::Milliseconds),
        // the micro sign and the Greek letter
        "us" | "\u{b5}s" | "\u{3bc}s" => Some(TimeUnit::Microseconds),
        "ns" => Some(TimeUnit::Nanoseconds),
        _ => None,
    }
}

impl Layout {
    /// As the header line says.
    fn named(row: &[u8], unit: TimeUnit) -> Result<Self, RowError> {
        let mut found = Self::default();
        let mut columns =
            QuotedColumns::new(row.strip_prefix(b"\xef\xbb\xbf").unwrap_or(row), Separator::COMMA);
        while let Some(column) = columns.next() {
            let name = String::from_utf8_lossy(column);
            let (name, of) = match name
                .trim()
                .strip_suffix(')')
                .and_then(|name| name.split_once('('))
            {
                Some((name, of)) => (name.trim(), of.trim()),
                None => (name.trim(), ""),
            };
            let Some(what) = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let wrong = |accepted| RowError {
                column: columns.column(),
                what: NAMES[what],
                found: quoted(column),
                accepted,
            };
            match what {
                INIT if unit_of(of) != Some(unit) => {
                    let accepted = format!(
                        "Init Time ({}), as workload.time_unit says; or the unit of the column there",
                        unit.name()
                    );
                    return Err(wrong(accepted.into()));
                }
                ELAPSED => {
                    let unit = unit_of(of).ok_or_else(|| wrong("IO Time (s), (ms), (us) or (ns)".into()))?;
                    found.elapsed_ns = unit.ns();
                }
                SIZE if !matches!(of, "" | "B") => return Err(wrong("Size (B)".into())),
                _ => {}
            }
            found.places[what] = Some(columns.column());
        }
        if let Some(missing) = [OP, INIT, OFFSET, SIZE]
            .iter()
            .find(|what| found.places[**what].is_none())
        {
            return Err(RowError::whole(
                format!("the first line has no column {}", NAMES[*missing]),
                "a header line with the columns IO Type, Init Time (s), Min Offset and Size (B)",
            ));
        }
        Ok(found)
    }
}

/// A number without the commas that group its digits; nothing where it is too long for one.
fn ungrouped<'a>(text: &[u8], buffer: &'a mut [u8; LONGEST]) -> &'a [u8] {
    let mut used = 0;
    for byte in text.iter().filter(|byte| **byte != b',') {
        if used == LONGEST {
            return &[];
        }
        buffer[used] = *byte;
        used += 1;
    }
    &buffer[..used]
}

impl Wpa {
    fn request(&self, row: &[u8], layout: Layout) -> Result<TraceRow, RowError> {
        let mut values = [&b""[..]; NAMES.len()];
        let mut columns = QuotedColumns::new(row, Separator::COMMA);
        while let Some(column) = columns.next() {
            if let Some(what) = layout
                .places
                .iter()
                .position(|place| *place == Some(columns.column()))
            {
                values[what] = column;
            }
        }
        let place = |what: usize| layout.places[what].unwrap_or_default();
        let wrong = |what: usize, accepted: &'static str| RowError {
            column: place(what),
            what: NAMES[what],
            found: quoted(values[what]),
            accepted: accepted.into(),
        };
        let whole = |what: usize| {
            number(ungrouped(values[what], &mut [0; LONGEST]))
                .ok_or_else(|| wrong(what, "a whole number, or hexadecimal digits behind 0x"))
        };
        let moment = |what: usize, scale: u64| {
            time(ungrouped(values[what], &mut [0; LONGEST]), scale)
                .ok_or_else(|| wrong(what, "a decimal number, not negative, of at most 584 years"))
        };
        if layout.places[COUNT].is_some() && whole(COUNT)? != 1 {
            return Err(wrong(COUNT, "1: a row for each request, not for a group of them"));
        }
        let op = match values[OP] {
            b"Read" => HostOp::Read,
            b"Write" => HostOp::Write,
            b"Flush" => HostOp::Flush,
            _ => return Err(wrong(OP, "Read, Write or Flush, in each row")),
        };
        let arrival = moment(INIT, self.unit.ns())?;
        let disk = match layout.places[DISK] {
            Some(_) => whole(DISK)?,
            None => 0,
        };
        let request = if op == HostOp::Flush {
            TraceRow::flush(arrival, disk)
        } else {
            let (start, bytes) = extent(
                (place(OFFSET), NAMES[OFFSET], whole(OFFSET)?, 1),
                (place(SIZE), NAMES[SIZE], whole(SIZE)?, 1),
                LARGEST,
            )?;
            TraceRow::new(arrival, disk, op, start, bytes)
        };
        Ok(match layout.places[ELAPSED] {
            Some(_) => request.answered(moment(ELAPSED, layout.elapsed_ns)?),
            None => request,
        })
    }
}

impl RowParser for Wpa {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        match self.layout {
            Some(layout) => Ok(Parsed::Request(self.request(row, layout)?)),
            None => {
                self.layout = Some(Layout::named(row, self.unit)?);
                Ok(Parsed::Other)
            }
        }
    }

    fn is_certain(&self) -> bool {
        self.layout.is_some()
    }
}
