//! Power cuts of a run that goes on as if there had been none: how long recovery would take (`output.recovery_every`).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_config::Config;
use wordline_ftl::{Inspect, Written};
use wordline_metrics::{CommandKind, Constituent, FinishedRequest, IssuedCommand, Probe, Summary};
use wordline_nand::Ppn;
use wordline_units::{Duration, Seed, SimTime};

use super::recovery_time::{RecoveryTime, recovery_time};
use crate::error::RunError;
use crate::kept_flash::KeptFlash;

/// What recovery from one cut takes.
#[derive(Clone, Copy, Debug)]
struct CutSample {
    at: SimTime,
    time: RecoveryTime,
    pages_read: u64,
    /// Pages that it programs before the drive works again.
    pages_programmed: u64,
}

/// A time of recovery.
type TimeOf = fn(&CutSample) -> Duration;

struct State {
    config: Config,
    base_dir: PathBuf,
    flash: KeptFlash,
    /// The power fails once in so many requests.
    every: u64,
    /// Requests that were acknowledged.
    requests: u64,
    /// The power fails when so many were.
    next: u64,
    samples: Vec<CutSample>,
    /// Why there are no further samples.
    error: Option<RunError>,
}

impl State {
    /// Draws the request, of those of the interval that begins, with which the power fails.
    fn draw(&mut self) {
        let begin = self.requests;
        let drawn = Seed(self.config.seed).draw("power cut", begin / self.every);
        self.next = begin + 1 + drawn % self.every;
    }

    fn request_done(&mut self, at: SimTime) {
        self.requests += 1;
        if self.requests == self.next && self.error.is_none() {
            match recovery_time(&self.config, &self.base_dir, &self.flash.cut_at(at)) {
                Ok((time, recovery)) => self.samples.push(CutSample {
                    at,
                    time,
                    pages_read: recovery.reads.len() as u64,
                    pages_programmed: (recovery.repairs.len() - recovery.erased().count()) as u64,
                }),
                Err(error) => self.error = Some(error),
            }
        }
        if self.requests.is_multiple_of(self.every) {
            self.draw();
        }
    }
}

/// Samples of the time that recovery takes, at random moments of a run.
#[derive(Clone)]
pub(super) struct CutSamples(Arc<Mutex<State>>);

impl CutSamples {
    /// Samples of a drive that has its age and has not begun; none where the configuration asks for none.
    pub(super) fn of(config: &Config, base_dir: &Path, ftl: &dyn Inspect) -> Option<Self> {
        let every = config.output.recovery_every;
        if every == 0 {
            return None;
        }
        let mut state = State {
            config: config.clone(),
            base_dir: base_dir.to_owned(),
            flash: KeptFlash::of(ftl),
            every,
            requests: 0,
            next: 0,
            samples: Vec::new(),
            error: None,
        };
        state.draw();
        Some(Self(Arc::new(Mutex::new(state))))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the keys of the summary, of samples from a moment on.
    ///
    /// # Errors
    /// A drive that could not be built anew.
    pub(super) fn summarize(&self, summary: &mut Summary, from: SimTime) -> Result<(), RunError> {
        let mut state = self.state();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        let samples: Vec<&CutSample> = state.samples.iter().filter(|sample| sample.at >= from).collect();
        let count = samples.len();
        let mean = |of: &dyn Fn(&CutSample) -> f64| {
            let sum: f64 = samples.iter().map(|sample| of(sample)).sum();
            (count > 0).then(|| sum / count as f64)
        };
        summary.set("ftl.recovery.cuts", count as u64);
        let times: [(&str, TimeOf); 2] = [
            ("time", |sample| sample.time.reads),
            ("until_served", |sample| sample.time.served),
        ];
        for (name, of) in times {
            let longest = samples.iter().map(|sample| of(sample)).max();
            let mean = mean(&|sample| of(sample).as_secs());
            summary.set(&format!("ftl.recovery.{name}.mean_s"), mean);
            summary.set(
                &format!("ftl.recovery.{name}.max_s"),
                longest.map(Duration::as_secs),
            );
        }
        summary.set(
            "ftl.recovery.pages_read.mean",
            mean(&|sample| sample.pages_read as f64),
        );
        summary.set(
            "ftl.recovery.pages_programmed.mean",
            mean(&|sample| sample.pages_programmed as f64),
        );
        Ok(())
    }
}

impl Probe for CutSamples {
    fn page_written(&mut self, page: Ppn, written: &Written) {
        self.state().flash.announce(page, written);
    }

    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.state().flash.issued(command);
    }

    fn operation_done(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.state().flash.done(kind, constituent);
    }

    fn request_done(&mut self, request: &FinishedRequest) {
        self.state().request_done(request.completed);
    }
}
