//! What the user must be told about a run: each is said once, clearly, and never left silent.
//!
//! Every constructor is a pure function from numbers to the note, `None` where all is well.

mod keys;
mod of_trace;
mod recovery;
mod steady;
mod warm_up;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use wordline_units::{Duration, SimTime, grouped};

pub use keys::NOTE_KEYS;
pub use warm_up::WarmUpLength;

/// Requests that must lie beyond a percentile for it to mean something.
const TAIL: u64 = 10;
/// Share of time from which a resource is called the bottleneck.
const SATURATED: f64 = 0.95;
/// Share of the time with a request in the drive from which throughput tells of the drive (assumed: half).
const BUSY: f64 = 0.5;
/// Share of the requests that may be unfinished at the last arrival before the offered load is
/// called too high, as a divisor: 1 %.
const BACKLOG: u64 = 100;
/// Share of the page reads that may miss all data before the user is told.
const UNMAPPED: f64 = 0.05;

/// How much a note weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The figures may not mean what the user thinks.
    Warning,
}

/// One thing that the user must be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// How much it weighs.
    pub severity: Severity,
    /// Stable name for scripts: `no_flash`, `gc_never_ran`, ...
    pub key: &'static str,
    /// What it says, in whole sentences.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "note",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {} [{}]", self.text, self.key)
    }
}

/// A resource that can limit a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// The controller's cores.
    Firmware,
    /// The busiest flash channel.
    Channel,
}

impl Resource {
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Firmware => (
                "bottleneck.firmware",
                "The firmware CPU was",
                "more or faster cores, or fewer cycles for each step, would change the figures",
            ),
            Self::Channel => (
                "bottleneck.channel",
                "The busiest flash channel was",
                "a faster bus, more channels or an order that spreads the load would change the figures",
            ),
        }
    }
}

/// What is known of an open-loop run when its last request arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Requests of the run.
    pub requests: u64,
    /// Requests that had arrived but were not acknowledged when the last one arrived.
    pub unfinished: u64,
    /// Requests that the drive takes in at once.
    pub depth: u64,
    /// First to last arrival.
    pub arrivals: Duration,
    /// First arrival to last acknowledgement.
    pub window: Duration,
}

impl Note {
    /// A note of this weight. Its key is one of [`NOTE_KEYS`].
    pub(crate) fn new(severity: Severity, key: &'static str, text: String) -> Self {
        debug_assert!(
            NOTE_KEYS.iter().any(|(known, _)| *known == key),
            "{key} is not documented"
        );
        let text = grouped(&text);
        Self { severity, key, text }
    }

    fn warning(key: &'static str, text: String) -> Self {
        Self::new(Severity::Warning, key, text)
    }

    fn info(key: &'static str, text: String) -> Self {
        Self::new(Severity::Info, key, text)
    }

    /// What a part of the run (ageing, workload) wants the user to know.
    #[must_use]
    pub fn remark(part: &'static str, text: String) -> Self {
        Self::info(part, text)
    }

    /// The user stopped the run after so many requests of so many, if that is known.
    #[must_use]
    pub fn interrupted(requests: u64, of: Option<u64>, simulated: Duration) -> Self {
        let of = of.map_or_else(String::new, |of| format!(" of {of}"));
        Self::warning(
            "interrupted",
            format!(
                "The run was interrupted after {requests}{of} requests and {} of simulated time: all figures are \
                 those of this part of the workload.",
                simulated.rounded()
            ),
        )
    }

    /// The user stopped the saving of the drive's state.
    #[must_use]
    pub fn not_saved(path: &Path) -> Self {
        Self::warning(
            "not_saved",
            format!(
                "The run was interrupted while the state of the drive was being saved: {} was not written.",
                path.display()
            ),
        )
    }

    /// Totals that must agree do not: a defect of the simulator.
    #[must_use]
    pub fn inconsistent(totals: &[&str]) -> Option<Self> {
        (!totals.is_empty()).then(|| {
            Self::warning(
                "inconsistent",
                format!(
                    "The totals of the run do not add up ({}), so that its figures are wrong (check.conservation \
                     is false).",
                    totals.join(", ")
                ),
            )
        })
    }

    /// Requests were served but no flash page was read or programmed.
    #[must_use]
    pub fn no_flash(requests: u64, page_operations: u64) -> Option<Self> {
        (requests > 0 && page_operations == 0).then(|| {
            Self::warning(
                "no_flash",
                format!(
                    "None of the {requests} requests touched flash: they were served from the controller's \
                     memory or concerned sectors that hold no data. To measure flash, fill the drive first \
                     (`--set age.method=steady_state`) or turn the write buffer off (`--set buffer.policy=none`)."
                ),
            )
        })
    }

    /// Requests were refused.
    #[must_use]
    pub fn refused(refused: u64, requests: u64) -> Option<Self> {
        (refused > 0).then(|| {
            Self::warning(
                "refused",
                format!(
                    "{refused} of {requests} requests were refused, since they reach beyond the capacity of the \
                     drive, or since their stream is one more than the drive keeps open: they are acknowledged at once, so that latencies look shorter than they are, and count in \
                     no bandwidth."
                ),
            )
        })
    }

    /// The drive took no writes from a time on.
    #[must_use]
    pub fn read_only(since: SimTime, refused: u64, requests: u64) -> Self {
        Self::warning(
            "read_only",
            format!(
                "The drive takes no writes since {:.6} s: so many blocks were retired that a pool has too few. {refused} of {requests} requests were refused, \
                 which are acknowledged at once, so that latencies look shorter than they are, and count in no bandwidth.",
                since.since(SimTime::ZERO).as_secs()
            ),
        )
    }

    /// The host, which collects zones, sent no command for more than 5 % of the `reads` of pages, since nothing was written there.
    #[must_use]
    pub fn unwritten_reads(unwritten: u64, reads: u64) -> Option<Self> {
        let share = unwritten as f64 / reads.max(1) as f64;
        (share > UNMAPPED).then(|| {
            Self::warning(
                "unwritten_reads",
                format!(
                    "The host sent no command for {unwritten} of {reads} page reads ({:.0} %), as nothing was written there: they count in \
                     no figure. Have the host write every page first (`workload.zones.fill = true`).",
                    share * 100.0
                ),
            )
        })
    }

    /// More than 5 % of the `reads` of pages found no data there, though a run whose drive was
    /// filled may well read a few such pages.
    #[must_use]
    pub fn unmapped_reads(unmapped: u64, reads: u64) -> Option<Self> {
        let share = unmapped as f64 / reads.max(1) as f64;
        (share > UNMAPPED).then(|| {
            Self::warning(
                "unmapped_reads",
                format!(
                    "{unmapped} of {reads} page reads ({:.0} %) found no data at their address and were answered \
                     without flash, so reads look faster than they are; fill the drive first \
                     (`--set age.method=steady_state`).",
                    share * 100.0
                ),
            )
        })
    }

    /// Fewer than 10 requests lie beyond a percentile that the summary gives.
    #[must_use]
    pub fn too_short(class: &str, count: u64) -> Option<Self> {
        // requests beyond a percentile = count / divisor
        let weak: Vec<&str> = [
            ("p95", 20),
            ("p99", 100),
            ("p99.9", 1_000),
            ("p99.99", 10_000),
            ("p99.999", 100_000),
        ]
        .iter()
        .filter(|(_, divisor)| count < TAIL * divisor)
        .map(|(name, _)| *name)
        .collect();
        (count > 0 && !weak.is_empty()).then(|| {
            // the two far percentiles are extras: to miss them alone is no cause for alarm
            let severity = if weak.contains(&"p99.9") {
                Severity::Warning
            } else {
                Severity::Info
            };
            let text = format!(
                "{} of {count} {class} requests {} on fewer than {TAIL} requests; treat {} as indicative.",
                and(&weak),
                if weak.len() == 1 { "rests" } else { "rest" },
                if weak.len() == 1 { "it" } else { "them" }
            );
            Self::new(severity, "too_short", text)
        })
    }

    /// The offered load exceeded the drive: when the last request arrived, more than 1 % of all
    /// requests, and more than the drive takes in at once, were unfinished.
    #[must_use]
    pub fn overloaded(load: &Load) -> Option<Self> {
        let grew = load.unfinished > load.depth && load.unfinished > load.requests / BACKLOG;
        grew.then(|| {
            let rate = |requests: u64, time: Duration| {
                if time == Duration::ZERO {
                    "all at once".to_owned()
                } else {
                    format!("{:.0}/s", requests as f64 / time.as_secs())
                }
            };
            Self::warning(
                "overloaded",
                format!(
                    "The offered load exceeded the drive and the queue grew: {} of {} requests were \
                     unfinished when the last one arrived (offered {}, served {}). Latencies measure the \
                     length of the run more than the drive; slow the workload down (a smaller `--compress-time`, a longer \
                     `workload.interarrival`) or use a closed loop (`workload.queue_depth`).",
                    load.unfinished,
                    load.requests,
                    rate(load.requests, load.arrivals),
                    rate(load.requests, load.window),
                ),
            )
        })
    }

    /// The drive had a request for less than half of the time, a share of `active`.
    #[must_use]
    pub fn mostly_idle(active: f64) -> Option<Self> {
        (active < BUSY).then(|| {
            let share = match active * 100.0 {
                share if share < 0.1 => "less than 0.1".to_owned(),
                share if share < 10.0 => format!("only {share:.1}"),
                share => format!("only {share:.0}"),
            };
            Self::info(
                "mostly_idle",
                format!(
                    "A request was in the drive for {share} % of the time: IOPS, MB/s and how steady they are describe the workload, not \
                     the limit of the drive. To load the drive, replay a trace faster (`--compress-time 10`) or use a closed loop \
                     (`--set workload.queue_depth=32`)."
                ),
            )
        })
    }

    /// A resource was busy for more than 95 % of the time.
    #[must_use]
    pub fn bottleneck(resource: Resource, utilization: f64) -> Option<Self> {
        let (key, subject, remedy) = resource.words();
        (utilization > SATURATED).then(|| {
            Self::info(
                key,
                format!(
                    "{subject} busy for {:.1} % of the time and limits the run: {remedy}.",
                    utilization * 100.0
                ),
            )
        })
    }

    /// Operations waited longer than the scheduler's rule allows.
    #[must_use]
    pub fn starved(operations: u64, longest: Duration, policy: &str) -> Option<Self> {
        (operations > 0).then(|| {
            Self::warning(
                "starved",
                format!(
                    "The policy `{policy}` let {operations} operations starve; the longest wait was {}. \
                     `scheduler.max_wait` bounds it.",
                    longest.rounded()
                ),
            )
        })
    }

    /// States the window that rates were divided by; `is_warmed` says that a warm-up came before it.
    #[must_use]
    pub fn window_stated(window: Duration, drain: Duration, is_warmed: bool) -> Self {
        let start = if is_warmed {
            "from the end of the warm-up, or the first arrival after it, to the last completion"
        } else {
            "first arrival to last completion"
        };
        let drained = if drain == Duration::ZERO {
            String::new()
        } else {
            format!(
                "; {} of background work after that is not counted",
                drain.rounded()
            )
        };
        Self::info(
            "window",
            format!(
                "IOPS and MB/s are averaged over {}, {start}{drained}.",
                window.rounded()
            ),
        )
    }

    /// The configured windows of the time series had to be widened.
    #[must_use]
    pub fn widened(configured: Duration, used: Duration) -> Option<Self> {
        (configured != used).then(|| {
            Self::warning(
                "window_widened",
                format!(
                    "`output.window = \"{configured}\"` would need more than 1048576 windows; the time series \
                     uses {used}."
                ),
            )
        })
    }

    /// A table does not hold all its rows.
    #[must_use]
    pub fn truncated(table: &str, option: &str, rows: u64, all: u64) -> Option<Self> {
        (rows < all).then(|| {
            Self::info(
                "table_truncated",
                format!("The table `{table}` holds {rows} of {all} rows; `{option}` sets the limit."),
            )
        })
    }
}

/// Names in a sentence.
fn and(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_that_agree_make_no_note() {
        assert_eq!(Note::inconsistent(&[]), None);
        let note = Note::inconsistent(&["reads", "erases"]).unwrap();
        assert!(
            note.text.contains("do not add up (reads, erases)"),
            "{}",
            note.text
        );
    }

    #[test]
    fn no_flash_only_when_requests_missed_it() {
        assert!(
            Note::no_flash(5, 0)
                .unwrap()
                .text
                .contains("None of the 5 requests")
        );
        assert_eq!(Note::no_flash(5, 1), None);
        assert_eq!(Note::no_flash(0, 0), None);
    }

    #[test]
    fn reads_of_nothing_are_told_from_five_percent_on() {
        assert_eq!(Note::unmapped_reads(0, 0), None);
        assert_eq!(Note::unmapped_reads(5, 100), None);
        let note = Note::unmapped_reads(6, 100).unwrap();
        assert!(
            note.text.starts_with("6 of 100 page reads (6 %)"),
            "{}",
            note.text
        );
    }

    #[test]
    fn percentiles_need_ten_requests_beyond() {
        for (count, weak) in [(199, "p95,"), (999, "p99,"), (9_999, "p99.9,")] {
            let note = Note::too_short("read", count).unwrap();
            assert!(note.text.contains(weak), "{}", note.text);
            assert_eq!(note.severity, Severity::Warning);
            let enough = Note::too_short("read", count + 1).unwrap();
            assert!(!enough.text.contains(weak), "{}", enough.text);
        }
        assert_eq!(Note::too_short("read", 10_000).unwrap().severity, Severity::Info);
        assert!(
            Note::too_short("read", 999_999)
                .unwrap()
                .text
                .starts_with("p99.999 of 999,999 read requests rests on fewer than 10 requests; treat it")
        );
        assert_eq!(Note::too_short("read", 1_000_000), None);
        assert_eq!(Note::too_short("read", 0), None);
    }

    #[test]
    fn overload_is_a_backlog_beyond_depth_and_one_percent() {
        let load = |requests, unfinished| Load {
            requests,
            unfinished,
            depth: 32,
            arrivals: Duration::from_ms(1_000),
            window: Duration::from_ms(2_000),
        };
        assert_eq!(Note::overloaded(&load(100, 32)), None);
        assert!(Note::overloaded(&load(100, 33)).is_some());
        assert_eq!(Note::overloaded(&load(10_000, 100)), None);
        let note = Note::overloaded(&load(10_000, 101)).unwrap();
        assert!(
            note.text.contains("offered 10,000/s, served 5,000/s"),
            "{}",
            note.text
        );
        let burst = Load {
            arrivals: Duration::ZERO,
            ..load(100, 90)
        };
        assert!(
            Note::overloaded(&burst)
                .unwrap()
                .text
                .contains("offered all at once")
        );
    }

    #[test]
    fn a_bottleneck_is_busier_than_95_percent() {
        for resource in [Resource::Firmware, Resource::Channel] {
            assert_eq!(Note::bottleneck(resource, 0.95), None);
            assert!(Note::bottleneck(resource, 0.951).unwrap().text.contains("95.1 %"));
            assert_eq!(Note::bottleneck(resource, f64::NAN), None);
        }
    }

    #[test]
    fn a_drive_without_requests_for_more_than_half_of_the_time_is_told() {
        assert_eq!(Note::mostly_idle(0.5), None);
        assert_eq!(Note::mostly_idle(f64::NAN), None);
        let said = |active| Note::mostly_idle(active).unwrap().text;
        assert!(said(0.031).starts_with("A request was in the drive for only 3.1 % of the time: IOPS"));
        assert!(said(0.49).contains("for only 49 % of the time"));
        assert!(said(0.000_07).contains("for less than 0.1 % of the time"));
    }

    /// What fills a drive is named with its value, so that it can be copied.
    #[test]
    fn notes_say_how_to_fill_a_drive() {
        for note in [Note::no_flash(5, 0), Note::unmapped_reads(6, 100)] {
            let text = note.unwrap().text;
            assert!(text.contains("`--set age.method=steady_state`"), "{text}");
        }
    }

    #[test]
    fn the_rest_on_both_sides() {
        assert_eq!(Note::starved(0, Duration::ZERO, "reads_first"), None);
        assert!(
            Note::starved(2, Duration::from_ms(3), "reads_first")
                .unwrap()
                .text
                .contains("3 ms")
        );
        assert!(
            !Note::window_stated(Duration::from_ms(1), Duration::ZERO, false)
                .text
                .contains("background")
        );
        assert!(
            Note::window_stated(Duration::from_ms(1), Duration(5), true)
                .text
                .contains("averaged over 1 ms, from the end of the warm-up, or the first arrival after it, to the last completion; 5 ns of background")
        );
        assert_eq!(Note::widened(Duration(1), Duration(1)), None);
        assert!(Note::widened(Duration(1), Duration(2)).is_some());
        assert_eq!(Note::truncated("requests", "output.request_log", 3, 3), None);
        assert!(Note::truncated("requests", "output.request_log", 3, 4).is_some());
        let note = Note::interrupted(7, Some(9), Duration::from_ms(1));
        assert!(note.text.contains("after 7 of 9 requests and 1 ms"), "{note}");
        assert!(
            Note::interrupted(7, None, Duration::ZERO)
                .text
                .contains("after 7 requests")
        );
        let note = Note::unmapped_reads(1, 1).unwrap();
        assert!(note.to_string().starts_with("warning: ") && note.to_string().ends_with("[unmapped_reads]"));
    }
}
