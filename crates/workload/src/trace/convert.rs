//! From any trace that can be read to a form that is written.

use std::path::Path;

use super::compression::Compression;
use super::detect::{TraceOptions, recognise};
use super::msr_writer::MsrWriter;
use super::reader::Wanted;
use super::row::TraceRow;
use super::scan::{LOOK, no_request};
use super::wordline::TraceWriter;
use crate::config::TimeUnit;
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
}

impl Writer {
    /// The writer that the name of `output` asks for.
    fn of(output: &Path) -> Result<Self, WorkloadError> {
        let (_, name) = Compression::of_name(output);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("wlt") => Ok(Self::Wordline(TraceWriter::create(output)?)),
            Some("csv" | "msr") => Ok(Self::Msr(MsrWriter::create(output)?)),
            _ => {
                let accepted = "its name says no form that is written; accepted are names that end in .wlt (Wordline \
                                binary) and in .csv or .msr (MSR Cambridge CSV), then .gz, .zst, .bz2 or .xz to have them compressed";
                Err(WorkloadError::file(output, accepted))
            }
        }
    }

    fn write(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        match self {
            Self::Wordline(writer) => writer.write_row(row),
            Self::Msr(writer) => writer.write_row(row),
        }
    }

    fn finish(self) -> Result<Option<String>, WorkloadError> {
        match self {
            Self::Wordline(writer) => writer.finish().map(|_| None),
            Self::Msr(writer) => writer.finish(),
        }
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
    let mut rows = recognised.file.rows(Wanted::ALL)?;
    let mut writer = Writer::of(output)?;
    let mut requests = 0;
    while let Some(row) = rows.next_request()? {
        writer
            .write(&row)
            .map_err(|error| SourceError(format!("row {} of {}: {error}", rows.row(), input.display())))?;
        requests += 1;
        if requests % LOOK == 0 && !progress(rows.share(), requests) {
            return Err(WorkloadError::Interrupted);
        }
    }
    if requests == 0 {
        let problem = no_request((rows.row(), rows.zero_length()), &rows.remarks(), Wanted::ALL);
        return Err(WorkloadError::file(input, problem));
    }
    // also a trace that is shorter than the way to the first look
    if !progress(1.0, requests) {
        return Err(WorkloadError::Interrupted);
    }
    let mut notes = recognised.notes;
    let remarks = rows.remarks().into_iter();
    notes.extend(remarks.map(|remark| format!("{}: {remark}", input.display())));
    notes.extend(writer.finish()?);
    Ok(Converted {
        requests,
        notes,
        unit_from_name: recognised.file.named_unit(),
    })
}
