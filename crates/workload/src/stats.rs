//! What a trace is like, in figures.

mod histogram;
mod pages;
mod tally;

use std::path::Path;

use serde::Serialize;

pub use histogram::Bucket;

use crate::WorkloadError;
use crate::config::{DeviceLayout, TimeUnit};
use crate::trace::Layout;
use crate::trace::detect::recognise;
use crate::trace::order::Ordered;
use crate::trace::reader::Wanted;
use crate::trace::replay::doubts;
use crate::trace::scan::Scan;
use tally::Tally;

/// What a trace is like. Figures that the trace does not have (the mean of no reads, a gap
/// between fewer than two requests) are `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceStats {
    /// Name of the format that it was read as.
    pub format: String,
    /// Unit of its times, as it was read: `s`, `ms`, `us`, `100ns` or `ns`.
    pub time_unit: String,
    /// Requests, those without length excluded.
    pub requests: u64,
    /// Requests that read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Requests that deallocate.
    pub trims: u64,
    /// Requests without length; no other figure counts them.
    pub zero_length: u64,
    /// Reads in percent of all requests.
    pub read_percent: f64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Mean size of a read in bytes.
    pub mean_read_bytes: Option<f64>,
    /// Mean size of a write in bytes.
    pub mean_write_bytes: Option<f64>,
    /// Earliest to latest arrival in seconds.
    pub span_s: f64,
    /// Mean gap between arrivals in milliseconds: the span over one less than the requests.
    pub mean_interarrival_ms: Option<f64>,
    /// Rows whose time lies before that of an earlier row.
    pub out_of_order: u64,
    /// Devices.
    pub devices: u64,
    /// End of the highest request on any device, in bytes.
    pub highest_byte: u64,
    /// Bytes of a drive on which the devices lie side by side.
    pub laid_out_bytes: u64,
    /// Distinct 4-KiB pages that are read.
    pub pages_read: u64,
    /// Distinct 4-KiB pages that are written.
    pub pages_written: u64,
    /// Share of page writes that falls on the most written tenth of the written pages, in percent.
    pub top_tenth_percent: Option<f64>,
    /// Requests that start at a multiple of 4 KiB, in percent.
    pub aligned_start_percent: f64,
    /// Requests that start and end at multiples of 4 KiB, in percent.
    pub aligned_percent: f64,
    /// Requests that start where the request before on their device ended, in percent.
    pub sequential_percent: f64,
    /// Requests by size in bytes, in powers of two.
    pub size_histogram: Vec<Bucket>,
    /// Gaps between arrivals in nanoseconds, in powers of two, in the order of time.
    pub interarrival_histogram: Vec<Bucket>,
    /// What the user should know: what the format was guessed from, what else it might be.
    pub notes: Vec<String>,
}

/// Reads a trace to its end and describes it. `format` and `time_unit` override what is
/// recognised.
///
/// # Errors
/// An unknown format; a trace that cannot be read or is malformed.
pub fn trace_stats(
    path: &Path,
    format: Option<&str>,
    time_unit: Option<TimeUnit>,
) -> Result<TraceStats, WorkloadError> {
    let recognised = recognise(path, format, time_unit)?;
    let file = recognised.file;
    let scan = Scan::of(&file, Wanted::ALL)?;
    let mut rows = Ordered::new(file.rows(Wanted::ALL)?, scan.out_of_order == 0);
    let mut tally = Tally::new(&scan);
    while let Some(row) = rows.next_row()? {
        tally.add(&row);
    }
    let layout = Layout::new(&scan.devices, DeviceLayout::SideBySide, None);
    let mut notes = recognised.notes;
    notes.extend(doubts(&file, &scan));
    Ok(TraceStats {
        format: file.format.name.to_owned(),
        time_unit: file.unit.name().to_owned(),
        zero_length: rows.rows().zero_length(),
        laid_out_bytes: layout
            .map_err(|problem| WorkloadError::file(path, problem))?
            .end(),
        notes,
        ..tally.finish(&scan)
    })
}
