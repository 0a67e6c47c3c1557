//! Counts a trace request by request.

use std::collections::BTreeMap;

use super::arrivals::Arrivals;
use super::growth::{Curve, PARTS, Part};
use super::histogram::Histogram;
use super::pages::{MOST, Pages};
use super::popularity::Popularity;
use super::requests::Request;
use super::runs::Runs;
use super::{SizeCount, TraceStats};
use crate::HostOp;

/// Bytes of the page that footprints count in.
const PAGE: u64 = 4096;
/// Requests beyond this many bytes count as pages only up to here.
const LARGEST: u64 = 1 << 30;
/// Different sizes that are counted one by one.
const SIZES: usize = 1 << 16;
/// The commonest sizes that are told of.
const COMMON: usize = 16;

/// Requests of one operation by size.
#[derive(Debug)]
struct Sizes {
    requests: u64,
    bytes: u64,
    histogram: Histogram,
    exact: BTreeMap<u64, u64>,
}

impl Sizes {
    fn new() -> Self {
        Self {
            requests: 0,
            bytes: 0,
            histogram: Histogram::new(),
            exact: BTreeMap::new(),
        }
    }

    fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.histogram.add(bytes);
        if let Some(count) = self.exact.get_mut(&bytes) {
            *count += 1;
        } else if self.exact.len() < SIZES {
            self.exact.insert(bytes, 1);
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.bytes as f64 / self.requests as f64)
    }

    /// The commonest sizes, the commonest first.
    fn common(&self) -> Vec<SizeCount> {
        let mut sizes: Vec<SizeCount> = self
            .exact
            .iter()
            .map(|(bytes, count)| SizeCount {
                bytes: *bytes,
                count: *count,
            })
            .collect();
        sizes.sort_by_key(|size| std::cmp::Reverse(size.count));
        sizes.truncate(COMMON);
        sizes
    }
}

/// What is counted; requests come in the order of time. Memory is bounded, whatever the trace: see
/// `pages` for the pages; all else is counters.
pub(crate) struct Tally {
    laid_out: u64,
    requests: u64,
    reads: Sizes,
    writes: Sizes,
    trims: u64,
    flushes: u64,
    sizes: Histogram,
    aligned_start: u64,
    aligned: u64,
    cut: u64,
    runs: Runs,
    arrivals: Arrivals,
    pages: Pages,
    growth: Curve,
    parts: Vec<Part>,
}

impl Tally {
    /// For a trace on `devices` devices, that take `laid_out` bytes side by side.
    pub(crate) fn new(devices: usize, laid_out: u64) -> Self {
        let part = |index: u64| Part {
            from_byte: (u128::from(laid_out) * u128::from(index) / u128::from(PARTS)) as u64,
            ..Part::default()
        };
        Self {
            laid_out,
            requests: 0,
            reads: Sizes::new(),
            writes: Sizes::new(),
            trims: 0,
            flushes: 0,
            sizes: Histogram::new(),
            aligned_start: 0,
            aligned: 0,
            cut: 0,
            runs: Runs::new(devices),
            arrivals: Arrivals::new(),
            pages: Pages::new(MOST),
            growth: Curve::new(),
            parts: (0..PARTS).map(part).collect(),
        }
    }

    /// Counts a request; all but flushes and zone management have a length.
    pub(crate) fn add(&mut self, request: &Request) {
        let &Request { start, bytes, .. } = request;
        self.requests += 1;
        let is_write = match request.op {
            HostOp::Read => Some(false),
            op if op.sends_data() => Some(true),
            _ => None,
        };
        self.trims += u64::from(request.op == HostOp::Trim);
        if let Some(is_write) = is_write {
            let part = u128::from(start) * u128::from(PARTS) / u128::from(self.laid_out.max(1));
            let part = (part as usize).min(self.parts.len() - 1);
            if is_write {
                self.writes.add(bytes);
                self.parts[part].writes += 1;
            } else {
                self.reads.add(bytes);
                self.parts[part].reads += 1;
            }
            self.cut += u64::from(bytes > LARGEST);
            let end = start + bytes.min(LARGEST);
            self.pages
                .add(start / PAGE, end.saturating_sub(1) / PAGE, is_write);
        }
        let since = self.arrivals.add(request.arrival);
        self.growth.add(self.requests, since, &self.pages);
        if !request.op.has_length() {
            self.flushes += u64::from(request.op == HostOp::Flush);
            return; // it moves nothing
        }
        self.sizes.add(bytes);
        let starts = start.is_multiple_of(PAGE);
        self.aligned_start += u64::from(starts);
        self.aligned += u64::from(starts && bytes.is_multiple_of(PAGE));
        self.runs.add(request.device, start, start + bytes, is_write);
    }

    /// The figures, less those that only the caller knows.
    pub(crate) fn finish(self) -> TraceStats {
        let percent = |part: u64| 100.0 * part as f64 / self.requests.max(1) as f64;
        let span = self.arrivals.span();
        let span_s = span as f64 / 1e9;
        let (read_reuse, write_reuse) = self.pages.reuse();
        let write_popularity = Popularity::of(self.pages.write_counts());
        let mut notes = Vec::new();
        if self.pages.sampled_share() < 1.0 {
            notes.push(format!(
                "more than {MOST} different pages are touched: footprint, popularity and reuse are those of a sample, 1 page \
                 in {}, chosen by a hash of the address",
                1.0 / self.pages.sampled_share()
            ));
        }
        if self.cut > 0 {
            notes.push(format!(
                "{} requests are larger than 1 GiB: only the pages of their first GiB are counted",
                self.cut
            ));
        }
        TraceStats {
            format: String::new(),
            time_unit: String::new(),
            requests: self.requests,
            reads: self.reads.requests,
            writes: self.writes.requests,
            trims: self.trims,
            flushes: self.flushes,
            zero_length: 0,
            read_percent: percent(self.reads.requests),
            read_bytes: self.reads.bytes,
            written_bytes: self.writes.bytes,
            mean_read_bytes: self.reads.mean(),
            mean_write_bytes: self.writes.mean(),
            span_s,
            mean_interarrival_ms: (self.requests > 1).then(|| span_s * 1e3 / (self.requests - 1) as f64),
            out_of_order: 0,
            devices: 0,
            highest_byte: 0,
            laid_out_bytes: self.laid_out,
            pages_read: self.pages.read(),
            pages_written: self.pages.written(),
            pages_touched: self.pages.touched(),
            pages_sampled_share: self.pages.sampled_share(),
            top_tenth_percent: write_popularity.as_ref().map(|writes| writes.top_10_percent),
            aligned_start_percent: percent(self.aligned_start),
            aligned_percent: percent(self.aligned),
            sequential_percent: percent(self.runs.sequential()),
            sequential: self.runs.figures(),
            interarrival: self.arrivals.gaps(),
            arrival_gaps: self.arrivals.recorded(),
            dispersion: self.arrivals.dispersion(),
            read_popularity: Popularity::of(self.pages.read_counts()),
            write_popularity,
            popularity: Popularity::of(self.pages.all_counts()),
            read_reuse,
            write_reuse,
            read_sizes: self.reads.common(),
            write_sizes: self.writes.common(),
            size_histogram: self.sizes.buckets(),
            read_size_histogram: self.reads.histogram.buckets(),
            write_size_histogram: self.writes.histogram.buckets(),
            interarrival_histogram: self.arrivals.buckets(),
            growth: self.growth.finish(self.requests, span, &self.pages),
            addresses: self.parts,
            unit_from_name: None,
            start_offsets: None,
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: HostOp, start: u64, bytes: u64, arrival: u64) -> Request {
        Request {
            arrival,
            device: 0,
            op,
            start,
            bytes,
        }
    }

    #[test]
    fn a_small_trace_is_described() {
        let mut tally = Tally::new(1, 64 << 12);
        tally.add(&request(HostOp::Write, 0, 4096, 100));
        tally.add(&request(HostOp::Write, 4096, 512, 1_000_100));
        tally.add(&request(HostOp::Read, 0, 8192, 2_000_100));
        tally.add(&request(HostOp::Trim, 0, 1 << 40, 4_000_100));
        let stats = tally.finish();
        assert_eq!(
            (stats.requests, stats.reads, stats.writes, stats.trims),
            (4, 1, 2, 1)
        );
        assert_eq!(
            (stats.pages_read, stats.pages_written, stats.pages_touched),
            (2, 2, 2)
        );
        assert_eq!(stats.mean_write_bytes, Some(2304.0));
        assert!((stats.mean_interarrival_ms.unwrap() - 4.0 / 3.0).abs() < 1e-9);
        assert!((stats.sequential_percent - 25.0).abs() < 1e-9);
        assert!((stats.aligned_percent - 75.0).abs() < 1e-9);
        assert_eq!((stats.addresses[0].reads, stats.addresses[0].writes), (1, 1));
        assert_eq!(
            (stats.addresses[1].from_byte, stats.addresses[1].writes),
            (4096, 1)
        );
        assert_eq!(stats.read_reuse.first_touches, 0);
        assert_eq!(stats.write_reuse.first_touches, 2);
        assert_eq!(stats.growth.len(), 4);
    }

    /// Sizes up to 2^62 bytes must neither hang nor overflow.
    #[test]
    fn huge_requests_are_bounded() {
        let mut tally = Tally::new(1, 1 << 63);
        for _ in 0..3 {
            tally.add(&request(HostOp::Write, 1 << 62, 1 << 62, 0));
        }
        let stats = tally.finish();
        assert_eq!(stats.pages_written, LARGEST / PAGE);
        assert!(stats.notes.iter().any(|note| note.contains("1 GiB")));
        assert_eq!(stats.addresses.last().map(|part| part.writes), Some(0));
        assert_eq!(stats.addresses[32].writes, 3);
    }
}
