//! What the user is told about the format of a trace.

use std::cmp::Reverse;

use super::super::bytes::quoted;
use super::super::container;
use super::super::reader::TraceFile;
use super::{Failure, Hint, Signs, Trial, header};

/// Says what the trace was taken for, why, and what else it might be; `fitting` begins with it.
pub(super) fn explain(
    file: &TraceFile,
    signs: &Signs,
    fitting: &[&Trial],
    hint: &Hint,
    trials: &[Trial],
) -> String {
    let hinted = hint.suggests(file.format);
    let alone = fitting.iter().filter(|trial| hint.suggests(trial.format)).count() == 1;
    let why = if hinted && alone {
        "so its name says, and its first rows fit"
    } else {
        (file.format.likeness)(signs).1
    };
    let mut note = format!(
        "{}: read as {}, times in {} ({why})",
        file.path.display(),
        file.format.title,
        file.reading.unit.name()
    );
    let others: Vec<&str> = trials
        .iter()
        .filter(|trial| trial.fits() && trial.format.name != file.format.name)
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
    let mut suggested = trials.iter().filter(|trial| hint.suggests(trial.format));
    if let (false, Some(named), None) = (hinted, suggested.next(), suggested.next())
        && let Some(Failure { row, error, .. }) = &named.failure
    {
        note += &format!(
            "; its name suggests {}, but row {row} does not fit: {error}",
            named.format.title
        );
    }
    note + "; if that is wrong, set workload.format (--format) or workload.time_unit"
}

/// Formats whose reasons are listed where none fits.
const REASONS: usize = 2;

/// Why no format fits.
pub(super) fn no_format(trials: &[Trial], hint: &Hint, sample: &[u8]) -> String {
    let ask = "name the format with workload.format (--format) to see the row as that format reads it, describe the columns \
               of other text with workload.format = \"csv\", or see `wordline formats` for those that are known";
    // the events are those of another action
    let by_action = trials.iter().filter(|trial| trial.format.actions);
    if let Some(remark) = by_action.filter_map(|trial| trial.remarks.first()).next() {
        return remark.clone();
    }
    if let Some(section) = container::job_file(sample) {
        return format!(
            "`{section}` begins a section of a fio job file or of a configuration, not a trace: a job file is run with `wordline run DRIVE --workload FILE`, or with \
             workload.kind = \"fio\""
        );
    }
    if let Some(option) = container::job_option(sample) {
        return format!(
            "`{option}` is an option of fio, not a request: a job file begins with a section, such as [job], and is run with `wordline run DRIVE --workload FILE`"
        );
    }
    let nearest = trials
        .iter()
        .max_by_key(|trial| trial.requests)
        .filter(|trial| trial.requests > 0);
    if let Some((Trial { format, requests, .. }, Failure { row, text, error })) =
        nearest.and_then(|trial| Some((trial, trial.failure.as_ref()?)))
    {
        return format!(
            "row {row}: {error}; the row is {text}; {requests} requests before it read well as {}; {ask}",
            format.title
        );
    }
    if hint.extension == "etl" {
        return "it is taken for an event log of Windows (.etl): turn it into text with `xperf -i FILE -o load.csv`, or `tracerpt FILE -o load.csv -of CSV`".to_owned();
    }
    if sample
        .iter()
        .take(4096)
        .any(|byte| *byte == 0 || (*byte < 32 && !byte.is_ascii_whitespace()))
    {
        return format!(
            "it begins with {}, is not text and matches no known format; {ask}",
            quoted(sample)
        );
    }
    let mut lines = sample
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        // a spreadsheet says first what parts the columns
        .filter(|line| !line.is_empty() && !line.starts_with(b"sep="));
    let first = lines.next();
    if let Some(told) = first.and_then(|first| header::described(first, lines.next())) {
        return told;
    }
    let mut text_formats: Vec<&Trial> = trials.iter().filter(|trial| !trial.format.binary).collect();
    let read = |trial: &Trial| trial.failure.as_ref().map_or((0, 0), Failure::progress);
    text_formats.sort_by_key(|trial| Reverse((hint.suggests(trial.format), read(trial))));
    // a format that does not get beyond the first column is near to nothing
    let near = |trial: &&&Trial| hint.suggests(trial.format) || read(trial) > (1, 1);
    let reasons: Vec<String> = text_formats
        .iter()
        .filter(near)
        .filter_map(|trial| {
            Some(format!(
                "{}: {}",
                trial.format.title,
                trial.failure.as_ref()?.error
            ))
        })
        .take(REASONS)
        .collect();
    let nearest = match reasons.len() {
        0 => "and none is near to it".to_owned(),
        1 => format!("the nearest is {}", reasons.join("; ")),
        _ => format!("the nearest are {}", reasons.join("; ")),
    };
    format!(
        "no format fits its first row, {}; {nearest}; {ask}",
        quoted(first.unwrap_or_default())
    )
}
