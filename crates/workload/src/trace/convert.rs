//! From any trace that can be read to a form that is written.

use std::path::Path;

use super::blkparse_writer::BlkparseWriter;
use super::compression::Compression;
use super::detect::{TraceOptions, recognise};
use super::iolog_writer::IologWriter;
use super::msr_writer::MsrWriter;
use super::order::Ordered;
use super::reader::{Rows, Wanted};
use super::row::TraceRow;
use super::scan::{LOOK, no_request};
use super::table_writer::TableWriter;
use super::wordline::TraceWriter;
use crate::time_unit::TimeUnit;
use crate::{SourceError, WorkloadError};

/// What a conversion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// Requests that were written, those without length included.
    pub requests: u64,
    /// What the user should know: what the format was guessed from, what the output cannot hold.
    pub notes: Vec<String>,
    /// Unit of the input's times and the usual one of its format, where the file's name alone says so.
    pub unit_from_name: Option<(TimeUnit, TimeUnit)>,
}

/// A form that traces are written in.
enum Writer {
    Wordline(TraceWriter),
    Msr(MsrWriter),
    Iolog(IologWriter),
    Blkparse(BlkparseWriter),
    Table(TableWriter),
}

/// Forms that are written: ends of their names, and their names in sentences.
const FORMS: [(&[&str], &str); 5] = [
    (&["wlt"], "Wordline binary"),
    (&["csv", "msr"], "MSR Cambridge CSV"),
    (&["iolog", "iolog3"], "fio iolog version 3"),
    (&["blkparse"], "blkparse text"),
    (&["parquet"], "a table of requests, as Parquet"),
];

impl Writer {
    /// The writer that the name of `output` asks for.
    fn of(output: &Path) -> Result<Self, WorkloadError> {
        let (_, name) = Compression::of_name(output);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("wlt") => Ok(Self::Wordline(TraceWriter::create(output)?)),
            Some("csv" | "msr") => Ok(Self::Msr(MsrWriter::create(output)?)),
            Some("iolog" | "iolog3") => Ok(Self::Iolog(IologWriter::create(output)?)),
            Some("blkparse") => Ok(Self::Blkparse(BlkparseWriter::create(output)?)),
            Some("parquet") => Ok(Self::Table(TableWriter::create(output)?)),
            _ => {
                let forms: Vec<String> = FORMS
                    .iter()
                    .map(|(ends, form)| format!(".{} ({form})", ends.join(" or .")))
                    .collect();
                let problem = format!(
                    "its name says no form that is written; accepted are names that end in {}; .gz, .zst, .bz2 or .xz behind that compresses, except Parquet",
                    forms.join(", ")
                );
                Err(WorkloadError::file(output, problem))
            }
        }
    }

    /// Whether it takes requests in the order of time only.
    const fn needs_order(&self) -> bool {
        matches!(self, Self::Iolog(_))
    }

    fn write(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        match self {
            Self::Wordline(writer) => writer.write_row(row),
            Self::Msr(writer) => writer.write_row(row),
            Self::Iolog(writer) => writer.write_row(row),
            Self::Blkparse(writer) => writer.write_row(row),
            Self::Table(writer) => writer.write_row(row),
        }
    }

    fn finish(self) -> Result<Option<String>, WorkloadError> {
        match self {
            Self::Wordline(writer) => writer.finish().map(|_| None),
            Self::Msr(writer) => writer.finish(),
            Self::Iolog(writer) => writer.finish(),
            Self::Blkparse(writer) => writer.finish(),
            Self::Table(writer) => writer.finish(),
        }
    }
}

/// The requests of a trace, in their order or in that of time.
enum Requests {
    /// With those without length.
    AsRecorded(Box<Rows>),
    /// Without them.
    InOrder(Box<Ordered>),
}

impl Requests {
    fn next(&mut self) -> Result<Option<TraceRow>, SourceError> {
        match self {
            Self::AsRecorded(rows) => rows.next_request(),
            Self::InOrder(rows) => rows.next_row(),
        }
    }

    const fn rows(&self) -> &Rows {
        match self {
            Self::AsRecorded(rows) => rows,
            Self::InOrder(rows) => rows.rows(),
        }
    }

    /// Where the request that was taken last stands; in the order of time nothing says that.
    fn place(&self, input: &Path) -> String {
        match self {
            Self::AsRecorded(rows) => format!("row {} of {}", rows.row(), input.display()),
            Self::InOrder(_) => input.display().to_string(),
        }
    }

    /// What became of requests that the order does not allow.
    fn notes(&self) -> Vec<String> {
        let Self::InOrder(ordered) = self else {
            return Vec::new();
        };
        let late = ordered.late();
        let empty = ordered.rows().zero_length();
        [
            (
                late,
                "requests are recorded too late to be sorted in; each arrives with the request before it",
            ),
            (empty, "requests without length are left out"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, told)| format!("{count} {told}"))
        .collect()
    }
}

/// Reads the trace `input` and writes its requests, in their order, to `output`, whose name says
/// the form. `options` overrides what is recognised. Every now and then `progress`
/// gets the share done, 0 to 1, and the requests written; it stops the conversion by answering
/// `false`. The output is there when it is whole, and not before.
///
/// # Errors
/// A trace that cannot be read or is malformed; an output whose name says no form, that cannot be
/// written, or that cannot hold what the trace says; `WorkloadError::Interrupted`.
pub fn convert(
    input: &Path,
    output: &Path,
    options: &TraceOptions<'_>,
    progress: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Converted, WorkloadError> {
    let recognised = recognise(input, options)?;
    let rows = recognised.file.rows(Wanted::ALL)?;
    let mut writer = Writer::of(output)?;
    let mut requests = if writer.needs_order() {
        Requests::InOrder(Box::new(Ordered::new(rows, false)))
    } else {
        Requests::AsRecorded(Box::new(rows))
    };
    let mut written = 0;
    while let Some(row) = requests.next()? {
        writer
            .write(&row)
            .map_err(|error| SourceError(format!("{}: {error}", requests.place(input))))?;
        written += 1;
        if written % LOOK == 0 && !progress(requests.rows().share(), written) {
            return Err(WorkloadError::Interrupted);
        }
    }
    let rows = requests.rows();
    if written == 0 {
        let problem = no_request((rows.row(), rows.zero_length()), &rows.remarks(), Wanted::ALL);
        return Err(WorkloadError::file(input, problem));
    }
    // also a trace that is shorter than the way to the first look
    if !progress(1.0, written) {
        return Err(WorkloadError::Interrupted);
    }
    let mut notes = recognised.notes;
    let remarks = rows.remarks().into_iter().chain(requests.notes());
    notes.extend(remarks.map(|remark| format!("{}: {remark}", input.display())));
    notes.extend(writer.finish()?);
    Ok(Converted {
        requests: written,
        notes,
        unit_from_name: recognised.file.named_unit(),
    })
}
