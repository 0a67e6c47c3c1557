//! What a trace is like, in figures.

mod arrivals;
mod growth;
mod histogram;
mod pages;
mod popularity;
mod requests;
mod reuse;
mod runs;
mod stack;
mod start_offsets;
mod tally;

use std::path::Path;

use serde::Serialize;

pub use arrivals::{Dispersion, Gaps};
pub use growth::{Growth, Part};
pub use histogram::Bucket;
pub use popularity::{Point, Popularity};
pub use reuse::Reuse;
pub use runs::Sequentiality;
pub use start_offsets::StartOffsets;

use crate::time_unit::TimeUnit;
use crate::trace::detect::{Recognised, TraceOptions, recognise};
use crate::trace::reader::Wanted;
use crate::trace::replay::doubts;
use crate::trace::scan::Scan;
use crate::{ArrivalGaps, WorkloadError};
pub(crate) use requests::{Request, Requests};
pub(crate) use tally::Tally;

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
    /// Requests that make earlier writes durable; they have neither an address nor a length.
    pub flushes: u64,
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
    /// Distinct 4-KiB pages that are read or written.
    pub pages_touched: u64,
    /// Share of the pages that footprint, popularity and reuse are measured on: 1 means all, so
    /// that these figures are exact.
    pub pages_sampled_share: f64,
    /// Share of page writes that falls on the most written tenth of the written pages, in percent.
    pub top_tenth_percent: Option<f64>,
    /// Requests that start at a multiple of 4 KiB, in percent.
    pub aligned_start_percent: f64,
    /// Requests that start and end at multiples of 4 KiB, in percent.
    pub aligned_percent: f64,
    /// Requests that start where the request before on their device ended, in percent.
    pub sequential_percent: f64,
    /// Runs of requests that follow each other without a gap.
    pub sequential: Sequentiality,
    /// The gaps between arrivals.
    pub interarrival: Gaps,
    /// Burstiness, by length of the window that arrivals are counted in.
    pub dispersion: Vec<Dispersion>,
    /// How unevenly pages are read.
    pub read_popularity: Option<Popularity>,
    /// How unevenly pages are written.
    pub write_popularity: Option<Popularity>,
    /// How unevenly pages are used.
    pub popularity: Option<Popularity>,
    /// How soon pages are read after they were read or written.
    pub read_reuse: Reuse,
    /// How soon pages are written after they were read or written.
    pub write_reuse: Reuse,
    /// The commonest sizes of reads.
    pub read_sizes: Vec<SizeCount>,
    /// The commonest sizes of writes.
    pub write_sizes: Vec<SizeCount>,
    /// Requests by size in bytes, in powers of two.
    pub size_histogram: Vec<Bucket>,
    /// Reads by size in bytes, in powers of two.
    pub read_size_histogram: Vec<Bucket>,
    /// Writes by size in bytes, in powers of two.
    pub write_size_histogram: Vec<Bucket>,
    /// Gaps between arrivals in nanoseconds, in powers of two, in the order of time.
    pub interarrival_histogram: Vec<Bucket>,
    /// How the footprint grows.
    pub growth: Vec<Growth>,
    /// Where on the drive requests start.
    pub addresses: Vec<Part>,
    /// How coarse the times are.
    #[serde(skip)]
    pub arrival_gaps: ArrivalGaps,
    /// Unit of the times and the usual one of the format, where the file's name alone says so.
    #[serde(skip)]
    pub unit_from_name: Option<(TimeUnit, TimeUnit)>,
    /// The table of start offsets, if the file is one: the other figures are then those of a
    /// surrogate that is drawn from it.
    pub start_offsets: Option<StartOffsets>,
    /// What the user should know: what the format was guessed from, what else it might be, what
    /// is sampled.
    pub notes: Vec<String>,
}

/// Requests of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeCount {
    /// The size in bytes.
    pub bytes: u64,
    /// How many requests have it.
    pub count: u64,
}

/// Reads a trace to its end and describes it. `options` overrides what is recognised. Memory is bounded, whatever the length of the trace: up to 2 Mi distinct pages are
/// followed one by one, beyond that a sample of them (`pages_sampled_share`).
///
/// # Errors
/// Options that cannot be used; a trace that cannot be read or is malformed.
pub fn trace_stats(path: &Path, options: &TraceOptions<'_>) -> Result<TraceStats, WorkloadError> {
    trace_stats_watched(path, options, &|| true)
}

/// As [`trace_stats`]. `goes_on` is asked now and then, and stops the work by returning false.
///
/// # Errors
/// As [`trace_stats`]; `WorkloadError::Interrupted`.
pub fn trace_stats_watched(
    path: &Path,
    options: &TraceOptions<'_>,
    goes_on: &dyn Fn() -> bool,
) -> Result<TraceStats, WorkloadError> {
    let recognised = recognise(path, options)?;
    let scan = Scan::of(&recognised.file, Wanted::ALL, &mut |_| goes_on())?;
    described(recognised, &scan, goes_on)
}

/// The statistics of a trace that was scanned.
pub(crate) fn described(
    recognised: Recognised,
    scan: &Scan,
    goes_on: &dyn Fn() -> bool,
) -> Result<TraceStats, WorkloadError> {
    let mut requests = Requests::open(&recognised.file, scan, goes_on)?;
    let mut tally = Tally::new(requests.devices(), requests.laid_out());
    while let Some(request) = requests.next()? {
        tally.add(&request);
    }
    let mut stats = tally.finish();
    let mut notes = recognised.notes;
    notes.extend(
        scan.remarks
            .iter()
            .map(|remark| format!("{}: {remark}", recognised.file.path.display())),
    );
    notes.extend(doubts(&recognised.file, scan));
    notes.append(&mut stats.notes);
    Ok(TraceStats {
        format: recognised.file.format.name.to_owned(),
        time_unit: recognised.file.reading.unit.name().to_owned(),
        zero_length: requests.zero_length(),
        out_of_order: scan.out_of_order,
        devices: scan.devices.len() as u64,
        highest_byte: scan
            .devices
            .iter()
            .map(|device| device.end)
            .max()
            .unwrap_or_default(),
        unit_from_name: recognised.file.named_unit(),
        start_offsets: scan.offsets.as_deref().and_then(StartOffsets::of),
        notes,
        ..stats
    })
}
