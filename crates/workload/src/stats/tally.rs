//! Counts a trace request by request.

use super::TraceStats;
use super::histogram::Histogram;
use super::pages::{PageCounts, PageSet};
use crate::HostOp;
use crate::trace::row::TraceRow;
use crate::trace::scan::{Device, Scan};

/// Bytes of the page that footprints count in.
const PAGE: u64 = 4096;

/// What is counted; requests come in the order of time.
pub(crate) struct Tally {
    devices: Vec<Device>,
    /// Where the request before ended, per device.
    ends: Vec<Option<u64>>,
    reads: u64,
    writes: u64,
    trims: u64,
    read_bytes: u64,
    written_bytes: u64,
    aligned_start: u64,
    aligned: u64,
    sequential: u64,
    pages_read: PageSet,
    pages_written: PageCounts,
    sizes: Histogram,
    gaps: Histogram,
    last_arrival: Option<u64>,
}

impl Tally {
    pub(crate) fn new(scan: &Scan) -> Self {
        Self {
            devices: scan.devices.clone(),
            ends: vec![None; scan.devices.len()],
            reads: 0,
            writes: 0,
            trims: 0,
            read_bytes: 0,
            written_bytes: 0,
            aligned_start: 0,
            aligned: 0,
            sequential: 0,
            pages_read: PageSet::default(),
            pages_written: PageCounts::default(),
            sizes: Histogram::new(),
            gaps: Histogram::new(),
            last_arrival: None,
        }
    }

    /// Counts a request, which has a length.
    pub(crate) fn add(&mut self, row: &TraceRow) {
        let device = self
            .devices
            .binary_search_by_key(&row.device, |device| device.number)
            .unwrap_or_default();
        let (first, last) = (row.start / PAGE, row.end().saturating_sub(1) / PAGE);
        match row.op {
            HostOp::Read => {
                self.reads += 1;
                self.read_bytes += row.bytes;
                self.pages_read.add(device as u32, first, last);
            }
            HostOp::Write => {
                self.writes += 1;
                self.written_bytes += row.bytes;
                self.pages_written.add(device as u32, first, last);
            }
            HostOp::Trim => self.trims += 1,
            HostOp::WriteZeroes | HostOp::Flush => {}
        }
        let starts = row.start.is_multiple_of(PAGE);
        self.aligned_start += u64::from(starts);
        self.aligned += u64::from(starts && row.bytes.is_multiple_of(PAGE));
        if let Some(end) = self.ends.get_mut(device) {
            self.sequential += u64::from(*end == Some(row.start));
            *end = Some(row.end());
        }
        self.sizes.add(row.bytes);
        if let Some(last) = self.last_arrival {
            self.gaps.add(row.arrival.saturating_sub(last));
        }
        self.last_arrival = Some(row.arrival);
    }

    /// The figures, less those that the caller knows.
    pub(crate) fn finish(self, scan: &Scan) -> TraceStats {
        let percent = |part: u64| 100.0 * part as f64 / scan.requests.max(1) as f64;
        let mean = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
        let span_s = scan.span() as f64 / 1e9;
        TraceStats {
            format: String::new(),
            time_unit: String::new(),
            requests: scan.requests,
            reads: self.reads,
            writes: self.writes,
            trims: self.trims,
            zero_length: 0,
            read_percent: percent(self.reads),
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            mean_read_bytes: mean(self.read_bytes, self.reads),
            mean_write_bytes: mean(self.written_bytes, self.writes),
            span_s,
            mean_interarrival_ms: (scan.requests > 1).then(|| span_s * 1e3 / (scan.requests - 1) as f64),
            out_of_order: scan.out_of_order,
            devices: scan.devices.len() as u64,
            highest_byte: scan
                .devices
                .iter()
                .map(|device| device.end)
                .max()
                .unwrap_or_default(),
            laid_out_bytes: 0,
            pages_read: self.pages_read.len(),
            pages_written: self.pages_written.len(),
            top_tenth_percent: self.pages_written.top_tenth_percent(),
            aligned_start_percent: percent(self.aligned_start),
            aligned_percent: percent(self.aligned),
            sequential_percent: percent(self.sequential),
            size_histogram: self.sizes.buckets(),
            interarrival_histogram: self.gaps.buckets(),
            notes: Vec::new(),
        }
    }
}
