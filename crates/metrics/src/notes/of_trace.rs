//! Notes on the replay of a trace: what of its results may not be the trace's own.

use wordline_units::{ByteSize, Duration};

use super::Note;

/// Times of a trace that are multiples of this, or of more, are coarse: reads of flash take as long.
const COARSE: Duration = Duration::from_us(10);
/// How much larger than a trace the drive is that a note proposes for it (assumed: sizes of drives come in steps of blocks).
const ROOM: f64 = 1.1;

impl Note {
    /// Half or more of the `gaps` between the requests of a trace are zero, and its times are multiples of 10 us or
    /// more: the recording could not tell the requests apart.
    #[must_use]
    pub fn coarse_timestamps(trace: &str, zero: u64, gaps: u64, resolution: Duration) -> Option<Self> {
        (gaps > 0 && 2 * zero >= gaps && resolution >= COARSE).then(|| {
            Self::warning(
                "coarse_timestamps",
                format!(
                    "{trace}: {:.0} % of its requests arrive at the same time as the request before them, and its \
                     times are multiples of {}: they are too coarse to tell the requests apart. Requests that were \
                     recorded one after the other are sent all at once and wait for each other, which makes latencies, \
                     above all the high percentiles, longer than they were. Use a trace with finer times, or \
                     `workload.replay = \"closed_loop\"`, which ignores the times.",
                    zero as f64 / gaps as f64 * 100.0,
                    resolution.rounded()
                ),
            )
        })
    }

    /// The unit of a trace's times was taken from the name of its file, and differs from the usual one.
    #[must_use]
    pub fn unit_from_name(trace: &str, unit: &str, usual: &str) -> Self {
        Self::warning(
            "unit_from_name",
            format!(
                "{trace}: its times are taken to be in {unit} because the file's name says so; {usual} is usual for \
                 its format. If the name is wrong, so is every rate and latency: set `workload.time_unit`."
            ),
        )
    }

    /// The addresses of a trace, of which the highest ends at byte `end`, lie in less than a tenth of the space of
    /// `capacity` bytes that it was replayed in.
    #[must_use]
    pub fn small_footprint(trace: &str, end: u64, capacity: u64) -> Option<Self> {
        (end < capacity / 10).then(|| {
            Self::info(
                "small_footprint",
                format!(
                    "{trace}: its addresses end at {}, {:.2} % of the drive's user space of {}. The rest of the drive \
                     keeps what it held before the run, so write amplification and wear are not those of a drive of the \
                     trace's own size; make the drive smaller (`--set capacity={}GB`) to have these.",
                    ByteSize(end).rounded(),
                    end as f64 / capacity as f64 * 100.0,
                    ByteSize(capacity).rounded(),
                    ((end as f64 * ROOM / 1e9).ceil() as u64).max(1)
                ),
            )
        })
    }

    /// Requests of a trace lay beyond the drive's user space and were wrapped around into it.
    #[must_use]
    pub fn folded(trace: &str, folded: u64, requests: u64) -> Option<Self> {
        (folded > 0).then(|| {
            Self::warning(
                "folded",
                format!(
                    "{trace}: {folded} of {requests} requests ({:.2} %) lay beyond the drive's user space and were \
                     wrapped around into it (`workload.fold`). Addresses that were apart share pages now: overwrites, \
                     sequential runs and buffer hits are not those of the trace. A larger drive \
                     (`capacity`) keeps the addresses.",
                    folded as f64 / requests.max(1) as f64 * 100.0
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_times_leave_half_of_the_gaps_at_zero() {
        let note = |zero, gaps, us| Note::coarse_timestamps("a.spc", zero, gaps, Duration::from_us(us));
        assert_eq!(note(49, 100, 1_000), None);
        assert_eq!(note(94, 100, 9), None);
        assert_eq!(note(0, 0, 0), None);
        assert!(note(50, 100, 10).is_some());
        let text = note(94, 100, 15_625).unwrap().text;
        assert!(
            text.starts_with("a.spc: 94 %") && text.contains("multiples of 15.6 ms"),
            "{text}"
        );
    }

    #[test]
    fn a_trace_far_from_the_drive_in_size() {
        assert_eq!(Note::small_footprint("a.spc", 100, 1_000), None);
        let text = Note::small_footprint("a.spc", 1 << 30, 1 << 37).unwrap().text;
        assert!(
            text.contains("end at 1 GiB, 0.78 %")
                && text.contains("of 128 GiB")
                && text.contains("`--set capacity=2GB`"),
            "{text}"
        );
        assert_eq!(Note::folded("a.spc", 0, 9), None);
        let text = Note::folded("a.spc", 1, 8).unwrap().text;
        assert!(text.contains("1 of 8 requests (12.50 %)"), "{text}");
        let text = Note::unit_from_name("a.spc-ms", "ms", "s").text;
        assert!(
            text.contains("in ms because the file's name") && text.contains("s is usual"),
            "{text}"
        );
    }
}
