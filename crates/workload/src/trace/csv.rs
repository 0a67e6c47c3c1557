//! Delimited text with columns as the user says (`[workload.csv]`).

use super::bytes::quoted;
use super::fields::{ADDRESS_END, Separator, extent, largest};
use super::format::{Format, text, unmistakable};
use super::names::Names;
use super::numbers::Numbers;
use super::quoted_columns::QuotedColumns;
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::{CsvColumn, CsvConfig};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "csv",
    title: "delimited text",
    description: "any columns: [workload.csv] says which hold time, operation, address, length, device and placement handle, what they count in, \
                  and what the operations are called",
    example: "when;what;where;length\n0.5;W;4096;8192",
    binary: false,
    extensions: &[],
    time_unit: TimeUnit::Seconds,
    source: "the user's own description",
    traps: &[
        "It is not recognised automatically: set workload.format = \"csv\" and the columns in [workload.csv].",
        "The unit of the times is workload.time_unit, by default seconds.",
        "Where a trace names a block and an offset within it, workload.csv.block is the column of the block and workload.csv.block_size its bytes: the address is their product, and the offset is added.",
        "Lines that start with # are skipped, and so are up to 100 lines above a header line, where columns are named. Columns may stand in quotes. Where the header line has the names with another separator, that one is taken; where rows have one column more than it, the first is an index.",
        "Numbers may be written as spreadsheets and data frames write them: 4096.0, \"4,096\", 4.096,0 between semicolons, 4.096e+03, 0x1000. A comma that may part groups or decimals is refused. Times may be dates, year first (2024-03-01 10:00:00.5), or times of day.",
    ],
    likeness: unmistakable,
    decoder: |reading| text(Csv::new(reading.csv.clone(), reading.unit)),
    actions: false,
};

/// What a wanted column holds.
const TIME: usize = 0;
const OP: usize = 1;
const OFFSET: usize = 2;
const SIZE: usize = 3;
const DEVICE: usize = 4;
const RESPONSE: usize = 5;
const PLACEMENT: usize = 6;
const BLOCK: usize = 7;
const QUEUE: usize = 8;
const FUA: usize = 9;
const WANTED: usize = 10;
/// Rows above the header line at most.
const PREAMBLE: u32 = 100;
/// Bit of a device that has a name in place of a number.
const NAMED: u64 = 1 << 63;

pub(super) struct Csv {
    config: CsvConfig,
    unit: TimeUnit,
    separator: Separator,
    /// Number of each wanted column, once it is known.
    places: Option<[Option<u32>; WANTED]>,
    devices: Names,
    /// Rows that were passed over above the header line.
    above: u32,
    /// Why the first of them is no header line.
    no_header: Option<String>,
    numbers: Numbers,
    /// Columns of the header line whose rows have not been seen yet.
    header_columns: Option<u32>,
    /// What was found otherwise than `config` says.
    found: Vec<String>,
}

/// Separators that are tried where the header line has not all names with the one that is set.
const SEPARATORS: [(Separator, &str); 5] = [
    (Separator::One(b';'), "`;`"),
    (Separator::One(b'\t'), "tabs"),
    (Separator::One(b','), "`,`"),
    (Separator::One(b'|'), "`|`"),
    (Separator::Blank, "blanks"),
];

impl Csv {
    /// Rows with columns as `config` says, whose times count in `unit`.
    pub(super) fn new(config: CsvConfig, unit: TimeUnit) -> Self {
        let separator = config.separator().map_or(Separator::Blank, Separator::One);
        Self {
            unit,
            separator,
            places: None,
            devices: Names::default(),
            above: 0,
            no_header: None,
            numbers: Numbers::new(separator),
            header_columns: None,
            found: Vec::new(),
            config,
        }
    }

    /// The wanted columns of a header line, with the separator that is set, or with another one that it has the names with.
    fn places_by(&mut self, header: &[u8]) -> Result<[Option<u32>; WANTED], RowError> {
        let fault = match self.places(Some(header)) {
            Ok(places) => return Ok(places),
            Err(fault) if self.names_columns() => fault,
            Err(fault) => return Err(fault),
        };
        let before = self.separator;
        for (separator, name) in SEPARATORS {
            self.separator = separator;
            if let Ok(places) = self.places(Some(header)) {
                self.numbers = Numbers::new(separator);
                self.found.push(format!("its columns are parted by {name}"));
                return Ok(places);
            }
        }
        self.separator = before;
        Err(fault)
    }

    /// Data frames leave out the name of an index before the others: rows have one column more than the header line.
    fn skip_index(&mut self, row: &[u8]) {
        let Some(named) = self.header_columns.take() else {
            return;
        };
        let mut columns = QuotedColumns::new(row, self.separator);
        let mut last: &[u8] = b"";
        while let Some(column) = columns.next() {
            last = column;
        }
        if columns.column() != named + 1 || last.is_empty() {
            return;
        }
        let wanted = self.config.columns();
        for (place, (_, column)) in self.places.iter_mut().flatten().zip(wanted) {
            if matches!(column, Some(CsvColumn::Name(_))) {
                *place = place.map(|place| place + 1);
            }
        }
        self.found.push(
            "its rows have one column more than its header line, so that the first is taken for an index"
                .into(),
        );
    }

    /// Finds the wanted columns in the header line, or takes them by their numbers.
    fn places(&self, header: Option<&[u8]>) -> Result<[Option<u32>; WANTED], RowError> {
        let mut places = [None; WANTED];
        for ((key, wanted), place) in self.config.columns().into_iter().zip(&mut places) {
            *place = match wanted {
                None if self.config.is_optional(key) => None,
                None => {
                    return Err(RowError::whole(
                        format!("{key} is unset"),
                        "the number or name of a column",
                    ));
                }
                Some(CsvColumn::Number(number)) => Some(*number),
                Some(CsvColumn::Name(name)) => Some(self.named(key, name, header.unwrap_or_default())?),
            };
        }
        Ok(places)
    }

    fn named(&self, key: &str, name: &str, header: &[u8]) -> Result<u32, RowError> {
        let mut columns = QuotedColumns::new(header, self.separator);
        while let Some(column) = columns.next() {
            if column.eq_ignore_ascii_case(name.trim().as_bytes()) {
                return Ok(columns.column());
            }
        }
        Err(RowError::whole(
            format!("no column of the header line is called {name:?}, as {key} says"),
            "the name of a column in the first row, or its number",
        ))
    }

    fn operation(&self, word: &[u8]) -> Option<HostOp> {
        let CsvConfig {
            read,
            write,
            trim,
            flush,
            ..
        } = &self.config;
        let among = |words: &[String]| {
            words
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
        };
        [
            (read, HostOp::Read),
            (write, HostOp::Write),
            (trim, HostOp::Trim),
            (flush, HostOp::Flush),
        ]
        .into_iter()
        .find_map(|(words, op)| among(words).then_some(op))
        .or_else(|| {
            let is_called = |(name, _): &&(&[u8], HostOp)| word.eq_ignore_ascii_case(name);
            FURTHER_WORDS.iter().find(is_called).map(|(_, op)| *op)
        })
    }

    fn request(&mut self, row: &[u8], places: [Option<u32>; WANTED]) -> Result<TraceRow, RowError> {
        let mut found = [b"".as_slice(); WANTED];
        let mut columns = QuotedColumns::new(row, self.separator);
        let last = places.iter().flatten().max().copied().unwrap_or_default();
        while columns.column() < last {
            let Some(column) = columns.next() else {
                return Err(columns.missing(last));
            };
            for (place, found) in places.iter().zip(&mut found) {
                if *place == Some(columns.column()) {
                    *found = column;
                }
            }
        }
        let place = |wanted: usize| places[wanted].unwrap_or_default();
        let wrong = |wanted: usize, accepted: &'static str| RowError {
            column: place(wanted),
            what: NAMES[wanted],
            found: quoted(found[wanted]),
            accepted: accepted.into(),
        };
        let mut moment_of = |wanted: usize| {
            match places[wanted] {
            None => Ok(0),
            Some(_) if wanted == RESPONSE && found[RESPONSE].trim_ascii().is_empty() => Ok(0),
            Some(_) => self.numbers.moment(found[wanted], self.unit).ok_or_else(|| {
                wrong(
                    wanted,
                    "a decimal number, not negative, of at most 584 years (see workload.time_unit), or a date such as 2024-03-01 10:00:00.5",
                )
            }),
        }
        };
        let (arrival, response) = (moment_of(TIME)?, moment_of(RESPONSE)?);
        let op = self
            .operation(found[OP])
            .ok_or_else(|| wrong(OP, "a word of workload.csv.read, write, trim or flush, or write_zeroes, zone_append, zone_open, zone_close, zone_finish or zone_reset"))?;
        let device = match (places[DEVICE], self.numbers.whole(found[DEVICE])) {
            (None, _) => 0,
            (Some(_), Some(number)) if number < NAMED => number,
            (Some(column), _) => NAMED | self.devices.number(found[DEVICE], column, NAMES[DEVICE])?,
        };
        let attributes = attributes(&mut self.numbers, op, &found, &wrong)?;
        if op == HostOp::Flush {
            return Ok(TraceRow {
                attributes,
                ..TraceRow::flush(arrival, device).answered(response)
            });
        }
        let mut number = |wanted: usize| {
            self.numbers.whole(found[wanted]).ok_or_else(|| {
                wrong(
                    wanted,
                    "a whole number, not negative, below 2^64, without a comma that may part groups or decimals",
                )
            })
        };
        let (first, unit, start_column) = start(&self.config, &places, &mut number, &wrong)?;
        let (start, bytes) = extent(
            (place(start_column), NAMES[start_column], first, unit),
            (
                place(SIZE),
                NAMES[SIZE],
                number(SIZE)?,
                self.config.size_unit.bytes(),
            ),
            largest(op),
        )?;
        let row = TraceRow::new(arrival, device, op, start, bytes).answered(response);
        Ok(TraceRow { attributes, ..row })
    }
}

/// The address: a number, the bytes that it counts, and the column that it is taken from. With blocks it is in bytes.
fn start(
    config: &CsvConfig,
    places: &[Option<u32>; WANTED],
    number: &mut impl FnMut(usize) -> Result<u64, RowError>,
    wrong: &dyn Fn(usize, &'static str) -> RowError,
) -> Result<(u64, u64, usize), RowError> {
    let unit = config.offset_unit.bytes();
    let Some(block_size) = config.block_size.filter(|_| places[BLOCK].is_some()) else {
        return Ok((number(OFFSET)?, unit, OFFSET));
    };
    let within = places[OFFSET].map_or(Ok(0), |_| number(OFFSET))?;
    let block = number(BLOCK)?.checked_mul(block_size.bytes());
    let address = block.and_then(|block| block.checked_add(within.checked_mul(unit)?));
    let address = address
        .filter(|address| *address < ADDRESS_END)
        .ok_or_else(|| wrong(BLOCK, "a block whose address is below 4 EiB"))?;
    Ok((address, 1, BLOCK))
}

/// What the request asks for beside its extent.
fn attributes(
    numbers: &mut Numbers,
    op: HostOp,
    found: &[&[u8]; WANTED],
    wrong: &dyn Fn(usize, &'static str) -> RowError,
) -> Result<Attributes, RowError> {
    let mut short = |wanted: usize, accepted| match found[wanted].trim_ascii() {
        b"" => Ok(0),
        digits => numbers
            .whole(digits)
            .and_then(|number| u16::try_from(number).ok())
            .ok_or_else(|| wrong(wanted, accepted)),
    };
    let fua = match found[FUA].trim_ascii() {
        b"" | b"0" => false,
        b"1" => true,
        word if word.eq_ignore_ascii_case(b"true") => true,
        word if word.eq_ignore_ascii_case(b"false") => false,
        _ => return Err(wrong(FUA, "true or 1, false, 0 or nothing")),
    };
    let placement = match op {
        HostOp::Write => short(PLACEMENT, "a placement handle from 0 (none) to 65535, or nothing")?,
        _ => 0,
    };
    Ok(Attributes {
        fua,
        queue: short(QUEUE, "a submission queue from 0 to 65535, or nothing")?,
        placement,
    })
}

/// What further commands are called.
const FURTHER_WORDS: [(&[u8], HostOp); 6] = [
    (b"write_zeroes", HostOp::WriteZeroes),
    (b"zone_append", HostOp::ZoneAppend),
    (b"zone_open", HostOp::ZoneOpen),
    (b"zone_close", HostOp::ZoneClose),
    (b"zone_finish", HostOp::ZoneFinish),
    (b"zone_reset", HostOp::ZoneReset),
];

/// The keys that name the wanted columns, for messages.
const NAMES: [&str; WANTED] = [
    "workload.csv.time",
    "workload.csv.op",
    "workload.csv.offset",
    "workload.csv.size",
    "workload.csv.device",
    "workload.csv.response",
    "workload.csv.placement",
    "workload.csv.block",
    "workload.csv.queue",
    "workload.csv.fua",
];

impl Csv {
    /// Whether columns are sought by name: a row that lacks one may then stand above the header line.
    fn names_columns(&self) -> bool {
        let columns = self.config.columns();
        columns
            .iter()
            .any(|(_, column)| matches!(column, Some(CsvColumn::Name(_))))
    }
}

impl RowParser for Csv {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        self.skip_index(row);
        let places = match self.places {
            Some(places) => places,
            None => {
                let header = self.config.header.then_some(row);
                let found = match header {
                    Some(header) => self.places_by(header),
                    None => self.places(None),
                };
                let places = match found {
                    Ok(places) => places,
                    // what stands above the header line names no columns
                    Err(error) if header.is_some() && self.above < PREAMBLE && self.names_columns() => {
                        self.no_header
                            .get_or_insert_with(|| format!("row 1: {error}; the row is {}", quoted(row)));
                        self.above += 1;
                        return Ok(Parsed::Other);
                    }
                    Err(error) => return Err(error),
                };
                self.places = Some(places);
                if header.is_some() {
                    let mut named = QuotedColumns::new(row, self.separator);
                    while named.next().is_some() {}
                    self.header_columns = Some(named.column());
                    return Ok(Parsed::Other);
                }
                places
            }
        };
        self.request(row, places).map(Parsed::Request)
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = match (self.above, self.places) {
            (0, _) => Vec::new(),
            (above, Some(_)) => vec![format!("{above} lines above the header line were passed over")],
            (above, None) => {
                let why = self.no_header.as_deref().unwrap_or_default();
                vec![format!(
                    "{why}; none of its {above} lines is a header line with these columns"
                )]
            }
        };
        remarks.extend(self.found.iter().cloned());
        let rounded = self.numbers.rounded();
        if rounded > 0 {
            remarks.push(format!(
                "{rounded} of its whole numbers are written with an exponent and fewer digits than they have, so that they may have been rounded; write such columns without exponents"
            ));
        }
        remarks
    }
}
