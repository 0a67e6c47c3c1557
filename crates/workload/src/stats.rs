//! What a trace is like, in figures.

use serde::Serialize;

/// A bucket of a histogram: from `from` to below twice `from` (the first: 0 to below 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// Lower bound, in the unit of the histogram.
    pub from: u64,
    /// Requests, or gaps, in it.
    pub count: u64,
}

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
    path: &std::path::Path,
    format: Option<&str>,
    time_unit: Option<crate::TimeUnit>,
) -> Result<TraceStats, crate::WorkloadError> {
    let _ = (format, time_unit);
    Err(crate::WorkloadError::file(path, "readers follow"))
}
