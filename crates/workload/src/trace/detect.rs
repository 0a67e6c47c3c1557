//! Which format a trace has: what the user says, else what the file's name and first rows say.

use std::cmp::Reverse;
use std::path::Path;

use wordline_keys::RefusedValue;
use wordline_units::ByteSize;

use super::bytes::quoted;
use super::chunks::{Chunks, LONGEST_RECORD};
use super::compression::Compression;
use super::container;
use super::fields::{SECTOR, whole};
use super::format::{Format, Reading, by_name, formats};
use super::plausible::Totals;
use super::reader::TraceFile;
use super::row::{Decoded, Parsed, RowError};
use super::wordline;
use crate::config::{CsvConfig, TraceAction};
use crate::time_unit::TimeUnit;
use crate::{WorkloadConfig, WorkloadError};
use wording::{explain, no_format};

mod header;
mod wording;

/// Rows that are looked at.
const ROWS: usize = 1_000;
/// Bytes that are looked at.
const SAMPLE: usize = 128 << 10;

/// What the first rows look like, for formats whose columns are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    /// Some arrival has a decimal point.
    pub(crate) decimals: bool,
    /// Columns are separated by tabs.
    pub(crate) tabs: bool,
    /// The third and fourth columns hold multiples of 512 only, and some fourth is not 0.
    pub(crate) in_bytes: bool,
    /// Requests continue one another if sizes count in 4-KiB pages, more often than if they
    /// count in sectors.
    pub(crate) page_runs: bool,
}

/// A trace whose format is settled, and what the user should know about that.
#[derive(Debug)]
pub(crate) struct Recognised {
    pub(crate) file: TraceFile,
    pub(crate) notes: Vec<String>,
}

/// What the user says about a trace; everything else is recognised.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceOptions<'a> {
    /// Name of the format.
    pub format: Option<&'a str>,
    /// Unit of the times.
    pub unit: Option<TimeUnit>,
    /// The action whose events are requests.
    pub action: Option<TraceAction>,
    /// Seed of what is drawn from a table.
    pub seed: Option<u64>,
    /// Bytes of a logical block, where addresses count them.
    pub logical_block: Option<u64>,
    /// The columns of delimited text.
    pub csv: Option<&'a CsvConfig>,
}

impl<'a> TraceOptions<'a> {
    /// What a configuration says.
    #[must_use]
    pub fn of(config: &'a WorkloadConfig) -> Self {
        Self {
            format: config.format.as_deref(),
            unit: config.time_unit,
            action: config.action,
            seed: Some(config.seed),
            logical_block: config.logical_block.map(ByteSize::bytes),
            csv: Some(&config.csv),
        }
    }

    /// The trace at `path` as a file of `format`, in whose name stands a unit.
    fn file(
        &self,
        path: &Path,
        format: &'static Format,
        named: Option<TimeUnit>,
    ) -> Result<TraceFile, RefusedValue> {
        if let Some(action) = self.action.filter(|_| !format.actions) {
            let accepted = format!(
                "nothing: the rows of {} say one time of each request; leave it out",
                format.title
            );
            return Err(RefusedValue::new(
                "workload.action",
                char::from(action.letter()),
                accepted,
            ));
        }
        let usual = Reading::times_in(format.time_unit);
        Ok(TraceFile {
            path: path.to_owned(),
            format,
            unit_from_name: self.unit.is_none() && named.is_some_and(|unit| unit != format.time_unit),
            reading: Reading {
                unit: self.unit.or(named).unwrap_or(format.time_unit),
                action: self.action,
                seed: self.seed.unwrap_or(usual.seed),
                logical_block: self.logical_block.unwrap_or(usual.logical_block),
                csv: self.csv.cloned().unwrap_or(usual.csv),
            },
        })
    }
}

/// Settles the format of the trace at `path`.
///
/// # Errors
/// An unknown format; a file that cannot be read or that no format fits; an action for a format
/// without any.
pub(crate) fn recognise(path: &Path, told: &TraceOptions<'_>) -> Result<Recognised, WorkloadError> {
    let hint = Hint::of(path);
    if let Some(name) = told.format {
        let format = by_name(name)?;
        if !format.binary
            && let Some(problem) = container::named(&sample(path)?.bytes)
        {
            return Err(WorkloadError::file(path, problem));
        }
        return Ok(Recognised {
            file: told.file(path, format, hint.unit_of(format))?,
            notes: Vec::new(),
        });
    }
    let Sample {
        bytes: sample,
        is_whole: whole_file,
        fault,
    } = sample(path)?;
    if sample.iter().all(u8::is_ascii_whitespace) {
        let problem = if whole_file {
            "the file is empty; at least one request is expected"
        } else {
            "it begins with nothing but blanks; a block trace is expected (`wordline formats`)"
        };
        return Err(WorkloadError::file(path, problem));
    }
    if sample.starts_with(&wordline::MAGIC) {
        return Ok(Recognised {
            file: told.file(path, &wordline::FORMAT, None)?,
            notes: Vec::new(),
        });
    }
    if let Some(problem) = container::named(&sample) {
        return Err(WorkloadError::file(path, problem));
    }
    let trials: Vec<Trial> = formats()
        .iter()
        .map(|format| Trial::of(format, told.action, &sample, whole_file))
        .collect();
    let signs = Signs::of(&sample);
    let mut fitting: Vec<&Trial> = trials.iter().filter(|trial| trial.fits()).collect();
    // a stable sort: equals stay in the order of the table
    fitting.sort_by_key(|trial| {
        Reverse((
            hint.suggests(trial.format),
            trial.reading.may_have_lost_times(),
            trial.reading.is_plausible_or_counts(),
            (trial.format.likeness)(&signs).0,
        ))
    });
    let Some(best) = fitting.first() else {
        if let Some(problem) = fault {
            return Err(WorkloadError::file(path, problem));
        }
        return Err(WorkloadError::file(path, no_format(&trials, &hint, &sample)));
    };
    let file = told.file(path, best.format, hint.unit_of(best.format))?;
    let mut notes = vec![explain(&file, &signs, &fitting, &hint, &trials)];
    if file.reading.unit == best.format.time_unit && !hint.suggests(best.format) {
        let others = fitting.iter().skip(1);
        notes.extend(best.reading.doubt(
            path,
            best.format,
            others.map(|trial| (trial.format, &trial.reading)),
        ));
    }
    Ok(Recognised { file, notes })
}

/// What the name of a file suggests.
struct Hint {
    /// Its extension, in lower case and without the unit and the ending of a compression.
    extension: String,
    unit: Option<TimeUnit>,
}

impl Hint {
    fn of(path: &Path) -> Self {
        let (_, name) = Compression::of_name(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let named = extension.rsplit_once('-').and_then(|(stem, unit)| {
            Some((
                stem,
                TimeUnit::ALL.into_iter().find(|known| known.name() == unit)?,
            ))
        });
        Self {
            extension: named.map_or(extension, |(stem, _)| stem).to_owned(),
            unit: named.map(|(_, unit)| unit),
        }
    }

    fn suggests(&self, format: &Format) -> bool {
        format.extensions.contains(&self.extension.as_str())
    }

    /// A unit in the name belongs to the format in the name.
    fn unit_of(&self, format: &Format) -> Option<TimeUnit> {
        self.unit.filter(|_| self.suggests(format))
    }
}

/// The first bytes of a trace, decompressed.
struct Sample {
    bytes: Vec<u8>,
    /// They are all of it.
    is_whole: bool,
    /// Why nothing could be read behind them.
    fault: Option<String>,
}

fn sample(path: &Path) -> Result<Sample, WorkloadError> {
    let mut chunks = Chunks::open(path)?;
    let mut fault = None;
    // a first line longer than the sample still counts, up to the longest record
    while !chunks.ended() {
        let bytes = chunks.bytes();
        if bytes.len() >= SAMPLE && (bytes.len() >= LONGEST_RECORD || bytes.contains(&b'\n')) {
            break;
        }
        let had = bytes.len();
        if let Err(problem) = chunks.more() {
            if had == 0 {
                return Err(WorkloadError::file(path, problem));
            }
            fault = Some(problem);
            break;
        }
    }
    let bytes = chunks.bytes();
    let all = chunks.ended() && fault.is_none() && bytes.len() <= SAMPLE;
    let cut = if all || bytes.len() <= SAMPLE || !bytes[..SAMPLE].contains(&b'\n') {
        bytes.len()
    } else {
        SAMPLE
    };
    Ok(Sample {
        bytes: bytes[..cut].to_vec(),
        is_whole: all,
        fault,
    })
}

impl Failure {
    /// How much was read: rows, and columns of the row that failed.
    fn progress(&self) -> (u64, u32) {
        (self.row, self.error.column)
    }
}

/// How far a format gets with the first rows.
struct Trial {
    format: &'static Format,
    requests: usize,
    failure: Option<Failure>,
    /// What the rows come to.
    reading: Totals,
    /// What the format has to say of rows none of which is a request.
    remarks: Vec<String>,
    /// The rows can be of this format only.
    certain: bool,
}

/// The row that a format stumbles over.
struct Failure {
    /// Its number, counted from 1.
    row: u64,
    /// What stands there.
    text: String,
    error: RowError,
}

impl Trial {
    fn of(format: &'static Format, action: Option<TraceAction>, sample: &[u8], whole_file: bool) -> Self {
        let mut decoder = (format.decoder)(&Reading {
            action,
            ..Reading::times_in(format.time_unit)
        });
        let mut trial = Self {
            format,
            requests: 0,
            failure: None,
            reading: Totals::default(),
            remarks: Vec::new(),
            certain: false,
        };
        let (mut rest, mut row) = (sample, 0);
        while !rest.is_empty() && trial.requests < ROWS {
            row += 1;
            match decoder.decode(rest, whole_file) {
                Decoded::Row {
                    parsed: Ok(parsed),
                    used,
                } => {
                    if let Parsed::Request(row) = parsed {
                        trial.requests += 1;
                        trial.reading.add(&row);
                    }
                    rest = &rest[used.min(rest.len())..];
                }
                Decoded::Blank { used } | Decoded::Framing { used } => rest = &rest[used.min(rest.len())..],
                Decoded::Row {
                    parsed: Err(error),
                    used,
                } => {
                    let text = quoted(rest[..used.min(rest.len())].trim_ascii_end());
                    trial.failure = Some(Failure { row, text, error });
                    break;
                }
                Decoded::Incomplete => break,
            }
        }
        if trial.requests == 0 && trial.failure.is_none() {
            trial.remarks = decoder.remarks();
        }
        trial.certain = decoder.is_certain();
        trial
    }

    fn fits(&self) -> bool {
        (self.requests > 0 || self.certain) && self.failure.is_none()
    }
}

impl Signs {
    fn of(sample: &[u8]) -> Self {
        let mut signs = Self {
            in_bytes: true,
            ..Self::default()
        };
        let (mut page_runs, mut sector_runs, mut sizes) = (0_u32, 0_u32, 0_u64);
        let mut before: Option<(u64, u64)> = None;
        for line in sample.split(|byte| *byte == b'\n').take(ROWS) {
            let mut columns = line
                .split(u8::is_ascii_whitespace)
                .filter(|column| !column.is_empty());
            let (Some(arrival), Some(_), Some(start), Some(size)) =
                (columns.next(), columns.next(), columns.next(), columns.next())
            else {
                continue;
            };
            let (Some(start), Some(size)) = (whole(start), whole(size)) else {
                continue;
            };
            signs.decimals |= arrival.contains(&b'.');
            signs.tabs |= line.contains(&b'\t');
            signs.in_bytes &= start.is_multiple_of(SECTOR) && size.is_multiple_of(SECTOR);
            sizes = sizes.saturating_add(size);
            if let Some((start_before, size_before)) = before {
                let gap = start.checked_sub(start_before);
                page_runs += u32::from(gap.is_some() && gap == size_before.checked_mul(8));
                sector_runs += u32::from(gap == Some(size_before));
            }
            before = Some((start, size));
        }
        signs.in_bytes &= sizes > 0;
        signs.page_runs = page_runs > sector_runs && page_runs > 1;
        signs
    }
}
