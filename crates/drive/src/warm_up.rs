//! The warm-up: the first part of a run, which counts in no figure and no table.
//!
//! When it is over the counts start afresh and everything else goes on. A request that is in the drive then counts, whole, when it
//! is acknowledged; of bus and array steps under way the rest counts.

use std::any::Any;

use wordline_ftl::{Cause, FtlCounters};
use wordline_metrics::{
    FinishedRequest, Note, RequestClass, Span, Status, SteadyFrom, Summary, UnderWay, WarmUpLength,
};
use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use crate::config::{Config, WarmUp as Length};
use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::operation::Kind;

/// What ends a warm-up.
#[derive(Clone, Copy, Debug)]
enum Until {
    /// So many requests are acknowledged.
    Requests(u64),
    /// So many bytes are written by the host.
    Bytes(u64),
    /// An event comes.
    Event,
}

/// A warm-up that is under way.
#[derive(Clone, Debug)]
pub(crate) struct WarmUp {
    until: Until,
    /// Bytes that the host has written.
    bytes: u64,
    /// What set it, and how long it is, for messages.
    key: &'static str,
    length: String,
    /// What was looked for, with `auto`.
    found: Option<SteadyFrom>,
}

/// What was in a warm-up that is over.
#[derive(Clone, Debug)]
pub(crate) struct Unmeasured {
    /// Requests acknowledged.
    requests: u64,
    /// What ended it.
    warm_up: WarmUp,
    /// Pages read and programmed.
    pub(crate) page_operations: u64,
    /// What the FTL had counted.
    counters: FtlCounters,
}

impl Unmeasured {
    /// Bytes that the host wrote.
    fn bytes(&self) -> u64 {
        self.warm_up.bytes
    }

    /// Whether a steady state was found, with `auto`.
    fn is_found(&self) -> Option<bool> {
        self.warm_up.found.map(|found| found.is_found)
    }
}

impl Drive {
    /// Begins the warm-up that the configuration asks for, or else the one of `ramp`, that of fio jobs; `found` is where the
    /// run comes into its steady state, with `auto`.
    ///
    /// # Errors
    /// A warm-up that is known to be as long as the workload.
    pub(crate) fn begin_warm_up(
        &mut self,
        config: &Config,
        found: Option<SteadyFrom>,
        ramp: Duration,
    ) -> Result<(), RunError> {
        let length = config
            .run
            .warm_up
            .or_else(|| (ramp > Duration::ZERO).then_some(Length::Time(ramp)));
        let key = if config.run.warm_up.is_some() {
            "run.warm_up"
        } else {
            "ramp_time"
        };
        let (until, end) = match length {
            None | Some(Length::None) => return Ok(()),
            Some(Length::Requests(requests)) => (Until::Requests(requests), None),
            Some(Length::Time(time)) => (Until::Event, Some(SimTime::ZERO + time)),
            Some(Length::DriveWrites(writes)) => {
                (Until::Bytes((writes * self.user_bytes()).ceil() as u64), None)
            }
            Some(Length::Auto) => (Until::Event, found.map(|found| found.from)),
        };
        let warm_up = WarmUp {
            until,
            bytes: 0,
            key,
            length: length.map_or_else(String::new, |length| format!("\"{length}\"")),
            found,
        };
        if let (Until::Requests(requests), Some(all)) = (until, self.host.clients.len_hint())
            && requests >= all
        {
            return Err(warm_up.too_long(&format!("the workload has {all} requests")));
        }
        self.warm_up = Some(warm_up);
        match end {
            Some(end) if end == SimTime::ZERO => self.start_measuring(),
            Some(end) => {
                self.probes.push(Box::new(UnderWay::default()));
                self.schedule(end, Event::Measure);
            }
            None => self.probes.push(Box::new(UnderWay::default())),
        }
        Ok(())
    }

    /// A request was acknowledged in the warm-up.
    #[cold]
    pub(crate) fn warms_up(&mut self, request: &FinishedRequest) {
        let Some(warm_up) = &mut self.warm_up else { return };
        if request.class == RequestClass::Write && request.status == Status::Good {
            warm_up.bytes += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
        }
        let is_over = match warm_up.until {
            Until::Requests(requests) => self.host.completed >= requests,
            Until::Bytes(bytes) => warm_up.bytes >= bytes,
            Until::Event => false,
        };
        if is_over {
            warm_up.until = Until::Event;
            // what else happens at this moment belongs to the warm-up
            self.schedule(self.now, Event::Measure);
        }
    }

    /// The warm-up is over: all counts start afresh.
    pub(crate) fn start_measuring(&mut self) {
        let Some(warm_up) = self.warm_up.take() else {
            return;
        };
        let now = self.now;
        self.unmeasured = Some(Box::new(Unmeasured {
            requests: self.host.completed,
            warm_up,
            page_operations: self.recorder.ledger.page_operations(),
            counters: self.ftl.counters(),
        }));
        let under_way = self.take_under_way();
        self.recorder.restart(now, &under_way);
        let of_host = self.ops.iter().filter(|(_, op)| {
            matches!(op.kind(), Some(Kind::Program | Kind::CopyBack)) && op.step.cause == Cause::Host
        });
        self.recorder.ledger.host_wrote(of_host.count() as u64);
        if let Some(watch) = &mut self.watch {
            watch.restart(now, &under_way);
        }
        self.host.restart_counts();
        self.firmware.restart_counts(now);
        if let Some(interface) = &mut self.interface {
            interface.link.restart_counts(now);
        }
        if let Some(buffer) = &mut self.buffer {
            buffer.restart_counts(now);
        }
        self.starved_ops = 0;
    }

    /// The steps under way, by the probe that followed them, which is taken away.
    fn take_under_way(&mut self) -> Vec<Span> {
        let mut probes = self.probes.iter();
        let Some(index) = probes.position(|probe| {
            let probe: &dyn Any = &**probe;
            probe.is::<UnderWay>()
        }) else {
            return Vec::new();
        };
        let probe: Box<dyn Any> = self.probes.remove(index);
        probe
            .downcast::<UnderWay>()
            .map_or_else(|_| Vec::new(), |all| all.at(self.now).copied().collect())
    }

    /// Whether anything was measured.
    ///
    /// # Errors
    /// The workload ended before the warm-up, or with it; the user stopped the run before its end.
    pub(crate) fn check_measured(&self) -> Result<(), RunError> {
        let warm_up = match (&self.warm_up, &self.unmeasured) {
            (Some(warm_up), _) => warm_up,
            (None, Some(before)) if before.requests == self.host.completed => &before.warm_up,
            (None, _) => return Ok(()),
        };
        Err(if self.interrupted {
            RunError::Interrupted
        } else {
            warm_up.too_long(&self.reached(warm_up.bytes))
        })
    }

    /// What the workload amounted to.
    fn reached(&self, bytes: u64) -> String {
        format!(
            "the workload ended after {} requests, {} and {:.4} drive writes",
            self.host.completed,
            self.now.since(SimTime::ZERO).rounded(),
            bytes as f64 / self.user_bytes()
        )
    }

    /// Sets `warm_up.*`, where there was one.
    pub(crate) fn set_warm_up(&self, summary: &mut Summary) {
        let Some(before) = &self.unmeasured else { return };
        let length = self.length_of(before);
        summary.set("warm_up.time_s", length.time.as_secs());
        summary.set("warm_up.requests", length.requests);
        summary.set("warm_up.drive_writes", length.drive_writes);
        if let Some(is_found) = before.is_found() {
            summary.set("warm_up.found", is_found);
        }
    }

    /// How long the warm-up was, and whether that was long enough.
    pub(crate) fn warm_up_notes(&self, summary: &Summary) -> Vec<Note> {
        let Some(before) = &self.unmeasured else {
            return Vec::new();
        };
        let found = before.is_found();
        let snia = summary.flag("sim.snia_steady");
        let mut notes = vec![Note::warmed_up(&self.length_of(before), found, snia)];
        if found == Some(false) {
            notes.push(Note::never_steady());
        }
        notes
    }

    fn length_of(&self, before: &Unmeasured) -> WarmUpLength {
        WarmUpLength {
            requests: before.requests,
            time: self.recorder.origin().since(SimTime::ZERO),
            drive_writes: before.bytes() as f64 / self.user_bytes(),
        }
    }

    /// Time since measuring began.
    pub(crate) fn measured_time(&self) -> Duration {
        self.now.since(self.recorder.origin())
    }

    /// Bytes that the drive exports.
    pub(crate) fn user_bytes(&self) -> f64 {
        self.ftl.user_pages() as f64 * f64::from(self.flash.geometry.page_bytes)
    }

    /// What the FTL counted since measuring began.
    pub(crate) fn ftl_counters(&self) -> FtlCounters {
        let all = self.ftl.counters();
        self.unmeasured
            .as_ref()
            .map_or(all, |before| all.since(&before.counters))
    }
}

impl WarmUp {
    fn too_long(&self, reached: &str) -> RunError {
        RunError::WarmUp {
            key: self.key,
            length: self.length.clone(),
            problem: format!(
                "{reached}, so that nothing is left to be measured; make the warm-up shorter or the workload longer"
            ),
        }
    }
}
