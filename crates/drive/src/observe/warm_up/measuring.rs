//! When figures begin to count: what a warm-up does to everything that is observed.

use std::any::Any;

use wordline_config::{Config, WarmUp as Length};
use wordline_ftl::FtlCounters;
use wordline_metrics::{FinishedRequest, Note, RequestClass, Span, Status, Summary, UnderWay, WarmUpLength};
use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use super::{Reached, Surroundings, Unmeasured, Until, WarmUp};
use crate::error::RunError;
use crate::features::Features;
use crate::observe::Observer;
impl<F: Features> Observer<F> {
    /// Begins the warm-up that the configuration asks for, or else the ramp of fio jobs. Tells when it ends, where that is
    /// known; at that moment [`Self::start_measuring`] is to be called.
    ///
    /// # Errors
    /// A warm-up that is known to be as long as the workload.
    pub(crate) fn begin_warm_up(
        &mut self,
        config: &Config,
        run: &Surroundings,
    ) -> Result<Option<SimTime>, RunError> {
        let Surroundings {
            found,
            ramp,
            requests: all,
            user_bytes,
        } = *run;
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
            None | Some(Length::None) => return Ok(None),
            Some(Length::Requests(requests)) => (Until::Requests(requests), None),
            Some(Length::Time(time)) => (Until::Event, Some(SimTime::ZERO + time)),
            Some(Length::DriveWrites(writes)) => (Until::Bytes((writes * user_bytes).ceil() as u64), None),
            Some(Length::Auto) => (Until::Event, found.map(|found| found.from)),
        };
        let warm_up = WarmUp {
            until,
            bytes: 0,
            key,
            length: length.map_or_else(String::new, |length| format!("\"{length}\"")),
            found,
        };
        if let (Until::Requests(requests), Some(all)) = (until, all)
            && requests >= all
        {
            return Err(warm_up.too_long(&format!("the workload has {all} requests")));
        }
        self.warm_up = Some(warm_up);
        if end != Some(SimTime::ZERO) {
            self.add_probe(Box::new(UnderWay::default()));
        }
        Ok(end)
    }

    /// A request was acknowledged, the last of `completed`. Tells whether the warm-up is over with it.
    #[inline]
    pub(crate) fn warms_up(&mut self, request: &FinishedRequest, completed: u64) -> bool {
        self.warm_up.is_some() && self.ends_warm_up(request, completed)
    }

    #[cold]
    fn ends_warm_up(&mut self, request: &FinishedRequest, completed: u64) -> bool {
        let Some(warm_up) = &mut self.warm_up else {
            return false;
        };
        if request.class == RequestClass::Write && request.status == Status::Good {
            warm_up.bytes += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
        }
        let is_over = match warm_up.until {
            Until::Requests(requests) => completed >= requests,
            Until::Bytes(bytes) => warm_up.bytes >= bytes,
            Until::Event => false,
        };
        if is_over {
            warm_up.until = Until::Event;
        }
        is_over
    }

    /// The warm-up is over: all figures start afresh. `completed` requests are before that, `counters` is what the FTL has
    /// counted, and `host_programs` of pages are under way. False where the warm-up was over already.
    pub(crate) fn start_measuring(
        &mut self,
        now: SimTime,
        completed: u64,
        counters: FtlCounters,
        host_programs: u64,
    ) -> bool {
        let Some(warm_up) = self.warm_up.take() else {
            return false;
        };
        self.unmeasured = Some(Box::new(Unmeasured {
            requests: completed,
            warm_up,
            page_operations: self.recorder.ledger.page_operations(),
            counters,
        }));
        let under_way = self.take_under_way(now);
        self.recorder.restart(now, &under_way);
        self.recorder.ledger.host_wrote(host_programs);
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.restart(now, &under_way);
        }
        if let Some(modes) = self.modes.as_mut() {
            modes.restart(now);
        }
        self.starved = 0;
        true
    }

    /// The steps under way, by the probe that followed them, which is taken away.
    fn take_under_way(&mut self, now: SimTime) -> Vec<Span> {
        let mut probes = self.probes.iter();
        let Some(index) = probes.position(|probe| {
            let probe: &dyn Any = &**probe;
            probe.is::<UnderWay>()
        }) else {
            return Vec::new();
        };
        let probe: Box<dyn Any> = self.probes.get_or_insert_default().remove(index);
        probe
            .downcast::<UnderWay>()
            .map_or_else(|_| Vec::new(), |all| all.at(now).copied().collect())
    }

    /// Whether anything was measured.
    ///
    /// # Errors
    /// The workload ended before the warm-up, or with it; the user stopped the run before its end.
    pub(crate) fn check_measured(&self, reached: &Reached) -> Result<(), RunError> {
        let warm_up = match (&self.warm_up, &self.unmeasured) {
            (Some(warm_up), _) => warm_up,
            (None, Some(before)) if before.requests == reached.requests => &before.warm_up,
            (None, _) => return Ok(()),
        };
        Err(if reached.interrupted {
            RunError::Interrupted
        } else {
            warm_up.too_long(&reached.words(warm_up.bytes))
        })
    }

    /// Whether a part of the run was not measured.
    pub(crate) fn had_warm_up(&self) -> bool {
        self.unmeasured.is_some()
    }

    /// Pages read and programmed in all.
    pub(crate) fn page_operations(&self) -> u64 {
        let before = self.unmeasured.as_ref();
        before.map_or(0, |before| before.page_operations) + self.recorder.ledger.page_operations()
    }

    /// Sets `warm_up.*`, where there was one.
    pub(crate) fn set_warm_up(&self, summary: &mut Summary, user_bytes: f64) {
        let Some(before) = &self.unmeasured else { return };
        let length = self.length_of(before, user_bytes);
        summary.set("warm_up.time_s", length.time.as_secs());
        summary.set("warm_up.requests", length.requests);
        summary.set("warm_up.drive_writes", length.drive_writes);
        if let Some(is_found) = before.is_found() {
            summary.set("warm_up.found", is_found);
        }
    }

    /// How long the warm-up was, and whether that was long enough.
    pub(crate) fn warm_up_notes(&self, summary: &Summary, user_bytes: f64) -> Vec<Note> {
        let Some(before) = &self.unmeasured else {
            return Vec::new();
        };
        let found = before.is_found();
        let snia = summary.flag("sim.snia_steady");
        let mut notes = vec![Note::warmed_up(&self.length_of(before, user_bytes), found, snia)];
        if found == Some(false) {
            notes.push(Note::never_steady());
        }
        notes
    }

    fn length_of(&self, before: &Unmeasured, user_bytes: f64) -> WarmUpLength {
        WarmUpLength {
            requests: before.requests,
            time: self.recorder.origin().since(SimTime::ZERO),
            drive_writes: before.bytes() as f64 / user_bytes,
        }
    }

    /// Time from the moment when measuring began to `now`.
    pub(crate) fn measured_time(&self, now: SimTime) -> Duration {
        now.since(self.recorder.origin())
    }

    /// Of what the FTL has counted, that since measuring began.
    pub(crate) fn measured(&self, all: FtlCounters) -> FtlCounters {
        self.unmeasured
            .as_ref()
            .map_or(all, |before| all.since(&before.counters))
    }
}
