//! Lines of ftrace, trace-cmd and perf script, whatever events they hold.

use std::collections::BTreeMap;

use super::bytes::quoted;
use super::fields::time;
use super::row::RowError;
use crate::time_unit::TimeUnit;

/// Kinds of events that are counted by their names.
const MOST_KINDS: usize = 64;
/// Digits of the address that a line of a call chain begins with, at least.
const ADDRESS_DIGITS: usize = 8;

/// An event: when it happened, its name, and what the kernel printed of it.
pub(super) struct Event<'a> {
    pub(super) time: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) rest: &'a [u8],
}

/// A word and what follows it.
pub(super) fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

impl<'a> Event<'a> {
    /// Time, event and what follows it: `... 100.000300: block:block_rq_issue: 259,0 ...`. The time is the first word that is a
    /// number and ends in a colon.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let mut rest = line;
        loop {
            let (column, behind) = word(rest)?;
            rest = behind;
            let Some(time) = column.strip_suffix(b":") else {
                continue;
            };
            if !time.contains(&b'.') || !time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
                continue;
            }
            let (mut name, mut behind) = word(rest)?;
            // perf may put the period of its sampling before the event
            if name.iter().all(u8::is_ascii_digit) {
                (name, behind) = word(behind)?;
            }
            let name = name.strip_suffix(b":")?;
            // perf puts the name of the subsystem before it
            let start = name
                .iter()
                .rposition(|byte| *byte == b':')
                .map_or(0, |colon| colon + 1);
            return Some(Self {
                time,
                name: &name[start..],
                rest: behind,
            });
        }
    }

    /// When it happened, in nanoseconds.
    ///
    /// # Errors
    /// A time beyond 584 years.
    pub(super) fn arrival(&self, unit: TimeUnit) -> Result<u64, RowError> {
        time(self.time, unit.ns()).ok_or_else(|| {
            wrong(
                4,
                "time",
                self.time,
                "a decimal number of at most 584 years; see workload.time_unit",
            )
        })
    }
}

/// A column of an event is wrong.
pub(super) fn wrong(column: u32, what: &'static str, found: &[u8], accepted: &'static str) -> RowError {
    RowError {
        column,
        what,
        found: quoted(found),
        accepted: accepted.into(),
    }
}

/// What is passed over, and counted.
#[derive(Default)]
pub(super) struct PassedOver {
    /// Events by their names.
    events: BTreeMap<String, u64>,
    /// Lines that say that the recorder lost events.
    gaps: u64,
}

impl PassedOver {
    /// Counts an event that is no request.
    pub(super) fn event(&mut self, name: &[u8]) {
        let name = String::from_utf8_lossy(name).into_owned();
        if self.events.len() < MOST_KINDS || self.events.contains_key(&name) {
            *self.events.entry(name).or_default() += 1;
        }
    }

    /// Takes a line without an event: what stands above the events, call chains below them, gaps of the recording.
    ///
    /// # Errors
    /// Any other line.
    pub(super) fn line(&mut self, row: &[u8], example: &'static str) -> Result<(), RowError> {
        let is_gap = row.starts_with(b"CPU:") && row.windows(5).any(|word| word == b"LOST ");
        let is_head = row.starts_with(b"cpus=") || row.starts_with(b"CPU ") || row.starts_with(b"version =");
        let is_address = word(row).is_some_and(|(address, _)| {
            row.starts_with(b"\t")
                && address.len() >= ADDRESS_DIGITS
                && address.iter().all(u8::is_ascii_hexdigit)
        });
        self.gaps += u64::from(is_gap);
        if is_gap || is_head || is_address {
            return Ok(());
        }
        Err(RowError::whole(format!("no event in {}", quoted(row)), example))
    }

    /// That events were lost, if any were.
    pub(super) fn lost(&self) -> Option<String> {
        (self.gaps > 0).then(|| {
            format!(
                "the recorder lost events at {} places (`LOST`), so that requests are missing; record with larger buffers (trace-cmd: -b)",
                self.gaps
            )
        })
    }

    /// The events by their names, as a list; `None` where there are none.
    pub(super) fn listed(&self) -> Option<String> {
        let listed: Vec<String> = self
            .events
            .iter()
            .map(|(name, count)| format!("{count} of {name}"))
            .collect();
        (!listed.is_empty()).then(|| listed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Event::of(line.as_bytes()).map(|event| (text(event.time), text(event.name)))
    }

    #[test]
    fn events_are_found_in_lines_of_each_tool() {
        let wanted = Some(("100.000300".to_owned(), "block_rq_issue".to_owned()));
        for line in [
            // trace-cmd report and the file `trace`
            "  app-2003 [003] ..... 100.000300: block_rq_issue: 259,0 WS 4096 () 9616 + 8 [app]",
            "  two words-2003 [003] 100.000300: block_rq_issue: 259,0 WS 4096 () 9616 + 8 [app]",
            // perf script, also with the period
            "app  2003 [003]   100.000300: block:block_rq_issue: 259,0 WS 4096 () 9616 + 8 [app]",
            "app  2003 [003]   100.000300:          1 block:block_rq_issue: 259,0 WS 4096 () 9616 + 8 [app]",
        ] {
            assert_eq!(parts(line), wanted, "{line}");
        }
        assert_eq!(parts("no time here: at all"), None);
    }

    #[test]
    fn lines_without_events_are_told_apart() {
        let mut over = PassedOver::default();
        for line in [
            "cpus=4",
            "CPU 3 is empty",
            "\tffffffff8b0a1234 submit_bio+0x20 ([kernel.kallsyms])",
            "CPU:2 [LOST 17 EVENTS]",
        ] {
            assert!(over.line(line.as_bytes(), "an event").is_ok(), "{line}");
        }
        assert!(over.line(b"something else", "an event").is_err());
        assert!(over.lost().is_some_and(|told| told.contains("1 places")));
        over.event(b"sched_switch");
        assert_eq!(over.listed().as_deref(), Some("1 of sched_switch"));
    }
}
