//! Which format a trace has: what the user says, else what the file's name and first rows say.

use std::path::Path;

use super::bytes::quoted;
use super::chunks::{Chunks, LONGEST_RECORD};
use super::fields::{SECTOR, whole};
use super::format::{Format, by_name, formats};
use super::output::name_inside;
use super::reader::TraceFile;
use super::row::{Decoded, Parsed, RowError};
use super::wordline;
use crate::WorkloadError;
use crate::config::TimeUnit;

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

/// Settles the format of the trace at `path`; `format` and `unit` are the user's own word.
///
/// # Errors
/// An unknown format; a file that cannot be read or that no format fits.
pub(crate) fn recognise(
    path: &Path,
    format: Option<&str>,
    unit: Option<TimeUnit>,
) -> Result<Recognised, WorkloadError> {
    let hint = Hint::of(path);
    let settled = |format: &'static Format, unit_of_name: Option<TimeUnit>| TraceFile {
        path: path.to_owned(),
        format,
        unit: unit.or(unit_of_name).unwrap_or(format.time_unit),
    };
    if let Some(name) = format {
        let format = by_name(name)?;
        // a unit in the name belongs to the format in the name
        let of_name = hint
            .unit
            .filter(|_| hint.format.is_some_and(|hinted| hinted.name == name));
        return Ok(Recognised {
            file: settled(format, of_name),
            notes: Vec::new(),
        });
    }
    let (sample, whole_file) = sample(path)?;
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
            file: settled(&wordline::FORMAT, None),
            notes: Vec::new(),
        });
    }
    let trials: Vec<Trial> = formats()
        .iter()
        .map(|format| Trial::of(format, &sample, whole_file))
        .collect();
    let fitting: Vec<&Trial> = trials.iter().filter(|trial| trial.fits()).collect();
    let signs = Signs::of(&sample);
    let best = fitting.iter().max_by_key(|trial| {
        // the first of equals: max_by_key would take the last
        let order = std::cmp::Reverse(
            formats()
                .iter()
                .position(|format| format.name == trial.format.name),
        );
        let hinted = hint.format.is_some_and(|hinted| hinted.name == trial.format.name);
        (hinted, (trial.format.likeness)(&signs).0, order)
    });
    let Some(best) = best else {
        return Err(WorkloadError::file(path, no_format(&trials, &sample)));
    };
    let hinted = hint.format.is_some_and(|hinted| hinted.name == best.format.name);
    let file = settled(best.format, hint.unit.filter(|_| hinted));
    let note = explain(&file, hinted, &signs, &fitting, &hint, &trials);
    Ok(Recognised {
        file,
        notes: vec![note],
    })
}

/// What the name of a file suggests.
struct Hint {
    format: Option<&'static Format>,
    unit: Option<TimeUnit>,
}

impl Hint {
    fn of(path: &Path) -> Self {
        let name = name_inside(path);
        let Some((_, extension)) = name.rsplit_once('.') else {
            return Self {
                format: None,
                unit: None,
            };
        };
        let named = |extension: &str| {
            formats()
                .iter()
                .find(|format| format.extensions.contains(&extension))
        };
        let (stem, unit) = match extension.rsplit_once('-') {
            Some((stem, unit)) => (stem, TimeUnit::ALL.into_iter().find(|known| known.name() == unit)),
            None => (extension, None),
        };
        match unit {
            Some(_) => Self {
                format: named(stem),
                unit,
            },
            None => Self {
                format: named(extension),
                unit: None,
            },
        }
    }
}

/// The first bytes of a trace, decompressed, and whether they are all of it.
fn sample(path: &Path) -> Result<(Vec<u8>, bool), WorkloadError> {
    let mut chunks = Chunks::open(path)?;
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
            break;
        }
    }
    let bytes = chunks.bytes();
    let all = chunks.ended() && bytes.len() <= SAMPLE;
    let cut = if all || bytes.len() <= SAMPLE || !bytes[..SAMPLE].contains(&b'\n') {
        bytes.len()
    } else {
        SAMPLE
    };
    Ok((bytes[..cut].to_vec(), all))
}

/// How far a format gets with the first rows.
struct Trial {
    format: &'static Format,
    requests: usize,
    /// The row that it stumbles over, counted from 1, and why.
    failure: Option<(u64, RowError)>,
}

impl Trial {
    fn of(format: &'static Format, sample: &[u8], whole_file: bool) -> Self {
        let mut decoder = (format.decoder)(format.time_unit);
        let mut trial = Self {
            format,
            requests: 0,
            failure: None,
        };
        let (mut rest, mut row) = (sample, 0);
        while !rest.is_empty() && trial.requests < ROWS {
            row += 1;
            match decoder.decode(rest, whole_file) {
                Decoded::Row {
                    parsed: Ok(parsed),
                    used,
                } => {
                    trial.requests += usize::from(matches!(parsed, Parsed::Request(_)));
                    rest = &rest[used.min(rest.len())..];
                }
                Decoded::Blank { used } | Decoded::Framing { used } => rest = &rest[used.min(rest.len())..],
                Decoded::Row {
                    parsed: Err(error), ..
                } => {
                    trial.failure = Some((row, error));
                    break;
                }
                Decoded::Incomplete => break,
            }
        }
        trial
    }

    fn fits(&self) -> bool {
        self.requests > 0 && self.failure.is_none()
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

/// Says what the trace was taken for, why, and what else it might be.
fn explain(
    file: &TraceFile,
    hinted: bool,
    signs: &Signs,
    fitting: &[&Trial],
    hint: &Hint,
    trials: &[Trial],
) -> String {
    let why = if hinted {
        "so its name says, and its first rows fit"
    } else {
        (file.format.likeness)(signs).1
    };
    let mut note = format!(
        "{}: read as {}, times in {} ({why})",
        file.path.display(),
        file.format.title,
        file.unit.name()
    );
    let others: Vec<&str> = fitting
        .iter()
        .filter(|trial| trial.format.name != file.format.name)
        .map(|trial| trial.format.title)
        .collect();
    if let Some((last, first)) = others.split_last() {
        let listed = if first.is_empty() {
            (*last).to_owned()
        } else {
            format!("{} or {last}", first.join(", "))
        };
        note += &format!("; the rows would also fit {listed}");
    }
    if let Some(name) = hint.format.filter(|_| !hinted) {
        let failure = trials
            .iter()
            .find(|trial| trial.format.name == name.name)
            .and_then(|trial| trial.failure.as_ref());
        if let Some((row, error)) = failure {
            note += &format!(
                "; its name suggests {}, but row {row} does not fit: {error}",
                name.title
            );
        }
    }
    note + "; if that is wrong, set workload.format (--format) or workload.time_unit"
}

/// Why no format fits.
fn no_format(trials: &[Trial], sample: &[u8]) -> String {
    let ask = "name the format with workload.format (--format) to see the row as that format reads it, or see `wordline \
               formats` for those that are known";
    let nearest = trials
        .iter()
        .max_by_key(|trial| trial.requests)
        .filter(|trial| trial.requests > 0);
    if let Some((Trial { format, requests, .. }, (row, error))) =
        nearest.and_then(|trial| Some((trial, trial.failure.as_ref()?)))
    {
        let text = quoted(
            sample
                .split(|byte| *byte == b'\n')
                .nth(*row as usize - 1)
                .unwrap_or_default()
                .trim_ascii_end(),
        );
        return format!(
            "row {row}: {error}; the row is {text}; {requests} requests before it read well as {}; {ask}",
            format.title
        );
    }
    if sample
        .iter()
        .take(4096)
        .any(|byte| *byte == 0 || (*byte < 32 && !byte.is_ascii_whitespace()))
    {
        return format!(
            "it begins with {} and is no text; no format that is known fits; {ask}",
            quoted(sample)
        );
    }
    let first = sample
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty());
    let reasons: Vec<String> = trials
        .iter()
        .filter_map(|trial| Some(format!("{}: {}", trial.format.title, trial.failure.as_ref()?.1)))
        .collect();
    format!(
        "no format fits its first row, {}; {}; {ask}",
        quoted(first.unwrap_or_default()),
        reasons.join("; ")
    )
}
