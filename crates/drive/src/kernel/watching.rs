//! Looks at a run between events: whether the user goes on with it, and whether anything moves in it.

use wordline_ftl::FtlCounters;

use super::Drive;
use crate::error::RunError;
use crate::features::Features;
use crate::progress::{Phase, Progress};

/// Events between two looks at the progress callback.
const PROGRESS_EVENTS: u32 = 1 << 16;
/// The same where probes look at every event: what they do may take longer than the drive does, such as timing a recovery.
const PROBED_EVENTS: u32 = 1 << 4;
/// Events between two comparisons of what has moved.
const COMPARED_EVENTS: u32 = 1 << 16;
/// Events without anything that moves after which a run is given up (assumed): far more than a moment of any drive has, and a second at most.
const MOST_EVENTS: u64 = 1 << 20;

/// The same where the temperature of a drive that works is followed, which is an event every 10 ms: minutes in which nothing was done.
const MOST_WARM_EVENTS: u64 = 1 << 17;

/// What moves in a run where anything does.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moved {
    requests: (u64, u64),
    commands: u64,
    operations: u64,
    ftl: FtlCounters,
    /// Of a drive that is too warm to take up commands.
    temperature: Option<f64>,
}

/// Looks at a run while it goes on.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Requests of the run, where that is known.
    of: Option<u64>,
    /// Events between two looks.
    pub(super) every: u32,
    /// Events since the last comparison, and since anything moved.
    since_compared: u32,
    since_moved: u64,
    moved: Option<Moved>,
}

impl<F: Features> Drive<F> {
    /// Begins to watch the run.
    // once a run, and so kept out of the loop
    #[inline(never)]
    pub(crate) fn watch(&self) -> Watch {
        Watch {
            of: self.host.clients().len_hint(),
            every: if self.observe.has_probes() {
                PROBED_EVENTS
            } else {
                PROGRESS_EVENTS
            },
            since_compared: 0,
            since_moved: 0,
            moved: None,
        }
    }

    /// `watch.every` events have passed.
    ///
    /// # Errors
    /// Nothing has moved for too many events; `RunError::Interrupted` where the user stops the run again.
    #[inline(never)]
    pub(crate) fn look(
        &mut self,
        watch: &mut Watch,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), RunError> {
        watch.since_compared += watch.every;
        if watch.since_compared >= COMPARED_EVENTS {
            self.compare(watch)?;
        }
        let requests = self.host.counts().completed;
        let goes_on = progress(Progress {
            phase: Phase::Simulating,
            share: watch.of.map(|of| (requests as f64 / of.max(1) as f64).min(1.0)),
            requests,
            now: self.clock.now(),
        });
        if goes_on {
            return Ok(());
        }
        if !self.host.stop() {
            return Err(RunError::Interrupted);
        }
        self.pull()
    }

    /// Compares what has moved with what had before.
    fn compare(&self, watch: &mut Watch) -> Result<(), RunError> {
        let events = std::mem::take(&mut watch.since_compared);
        let thermal = self.thermal.as_ref();
        let counts = self.host.counts();
        let moved = Moved {
            requests: (counts.sent, counts.completed),
            commands: counts.commands,
            operations: self.observe.page_operations(),
            ftl: self.control.counters(),
            temperature: thermal.and_then(|thermal| thermal.stopped_at()),
        };
        // what a client sends later, or the thermal management lets in later, is no standstill
        let is_to_come = self.host.clients().anyone_timed()
            || thermal.is_some_and(|thermal| thermal.wakes())
            || self
                .limit
                .as_ref()
                .is_some_and(|limit| limit.holds(self.clock.now()));
        if is_to_come || watch.moved.replace(moved) != Some(moved) {
            watch.since_moved = 0;
            return Ok(());
        }
        watch.since_moved += u64::from(events);
        // a drive without space would have no event any more, were it not for those of its temperature
        let is_warm_only = thermal.is_some_and(|thermal| thermal.stopped_at().is_none());
        let most = if is_warm_only {
            MOST_WARM_EVENTS
        } else {
            MOST_EVENTS
        };
        if watch.since_moved < most {
            return Ok(());
        }
        Err(if is_warm_only {
            self.stalled()
        } else {
            RunError::NothingMoves {
                at: self.clock.now(),
                events: watch.since_moved,
                waiting: self.what_waits(),
            }
        })
    }

    /// What waits for what, in words.
    fn what_waits(&self) -> String {
        let thermal = self.thermal.as_ref();
        let buffer = self.buffer.as_ref();
        let parts = [
            (self.host.requests_left(), "requests for their completion"),
            (
                thermal.map_or(0, |thermal| thermal.held()),
                "commands for a drive that is colder (thermal.cctemp)",
            ),
            (
                self.host.pieces_kept(),
                "pages of requests for their data or for the firmware",
            ),
            (
                buffer.map_or(0, |buffer| buffer.waiting()),
                "pages for room in the buffer",
            ),
            (
                self.control.parked().len(),
                "pages for an earlier write, or for an entry of the map",
            ),
            (u64::from(self.array.waiting()), "flash operations in queues"),
            (self.control.unplaced().len(), "programs for a page"),
            (
                self.control.jobs().waiting().count() as u64,
                "jobs for their turn",
            ),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if parts.is_empty() {
            "nothing waits".to_owned()
        } else {
            format!("there wait {}", parts.join(", "))
        }
    }
}
