//! A drive that is driven from outside: commands come while it runs, and each is answered with a status.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use wordline_config::{Config, WarmUp};
use wordline_ftl::{FoundFlash, Inspect, Recovery, Subjects};
use wordline_metrics::{FinishedRequest, Probe, Status, SteadyFrom, Stopwatch};
use wordline_units::{Duration, SimTime};
use wordline_workload::{HostCommand, HostOp};

use crate::error::RunError;
use crate::features::Full;
use crate::output::{RunOptions, RunOutput};
use crate::progress::{Phase, Progress};
use crate::run::simulation::Simulation;
use crate::run::{AgedDrive, Ahead, RecoveryTime, age, recovered, recovery_time};
use crate::tenants;
use crate::thermal::Thermal;

/// The only client of a live drive.
const CLIENT: u32 = 0;

/// A command that the drive has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the caller named the command.
    pub token: u64,
    /// How it ended.
    pub status: Status,
    /// Its first sector; of a zone append, where the drive has written.
    pub sector: u64,
    /// When it arrived.
    pub arrival: SimTime,
    /// When the host had the answer.
    pub completed: SimTime,
}

/// What a drive did on its capacitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldUp {
    /// How long it worked after the power had failed.
    pub time: Duration,
    /// Whether all that was acknowledged is on flash.
    pub is_complete: bool,
}

/// A drive whose commands are injected while it runs, through the same loop as a run's.
///
/// Time goes on only in [`Self::advance_until`] and [`Self::step`]. The drive is brought to its age first; since nobody
/// knows what will be asked of it, ageing reckons with no load, and a buffer starts empty.
pub struct LiveDrive {
    config: Config,
    options: RunOptions,
    simulation: Simulation<Full>,
    answered: Answers,
    /// What the caller named the commands that are not answered, by the number of their request.
    tokens: FxHashMap<u64, u64>,
    injected: u64,
    /// Arrival of the last command.
    last_arrival: SimTime,
    /// How far time has gone on.
    now: SimTime,
    stopwatch: Stopwatch,
}

impl LiveDrive {
    /// The drive of a configuration at its age, at time zero; `base_dir` is where relative paths start from. The workload of
    /// the configuration is not run.
    ///
    /// # Errors
    /// As those of [`run`](crate::run) before the first command.
    pub fn new(config: &Config, base_dir: &Path, options: RunOptions) -> Result<Self, RunError> {
        Self::watched(config, base_dir, options, &mut |_| true)
    }

    /// As [`Self::new`], with `progress` told how far ageing has come; it ends where that says `false`.
    ///
    /// # Errors
    /// As those of [`Self::new`]; [`RunError::Interrupted`] where `progress` has ended it.
    pub fn watched(
        config: &Config,
        base_dir: &Path,
        options: RunOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, RunError> {
        let stopwatch = Stopwatch::start();
        let mut ageing = |share| progress(Progress::before(Phase::Ageing, share));
        let aged = age(config, base_dir, &Ahead::of(u64::MAX), &mut ageing)?;
        Self::with_aged(config, aged, options, stopwatch)
    }

    /// The drive of a configuration after a power cut, at time zero: its FTL is built anew from what is found on the flash, and its
    /// buffer is empty. What age the configuration asks for has no effect. Says what recovery read and did to the flash; that takes no time here
    /// ([`Self::recovery_time`] says how much).
    ///
    /// # Errors
    /// As those of [`Self::new`]; a mapping that cannot be built anew, a flash on which it cannot work.
    pub fn recovered(
        config: &Config,
        base_dir: &Path,
        options: RunOptions,
        flash: &dyn FoundFlash,
    ) -> Result<(Self, Recovery), RunError> {
        let stopwatch = Stopwatch::start();
        let (drive, recovery) = recovered(config, base_dir, flash)?;
        Ok((Self::with_aged(config, drive, options, stopwatch)?, recovery))
    }

    /// How long a drive reads after a power cut until it knows where its data are, and how long it takes until it serves the host: the reads of recovery and the erases and
    /// programs after them, executed by its dies and channels. The time of the controller's cores is not in it.
    ///
    /// Where `scheduler.channel_order` leaves the order to the policy, commands go before data: no request of the host waits, and a die that gets its next
    /// command late is the only thing that could make recovery longer. With data first, dies of a channel that are ready together stay together for ever:
    /// all of them wait for the data of all.
    ///
    /// # Errors
    /// As those of [`Self::recovered`].
    pub fn recovery_time(
        config: &Config,
        base_dir: &Path,
        flash: &dyn FoundFlash,
    ) -> Result<(RecoveryTime, Recovery), RunError> {
        recovery_time(config, base_dir, flash)
    }

    /// The power fails, and the drive works on its capacitor (`buffer.capacitor`) until what was acknowledged is on flash, or for as long as `buffer.hold_up` says. What
    /// is on flash then is found when power is back. No host gets an answer any more: take the completions before, and drop the drive after this. Without a
    /// capacitor nothing happens.
    ///
    /// # Errors
    /// The drive broke one of its rules.
    pub fn hold_up(&mut self) -> Result<HoldUp, RunError> {
        let failed = self.now();
        let keys = &self.config.buffer;
        let is_protected = keys.is_present() && keys.capacitor;
        let end = keys.hold_up.map_or(SimTime::NEVER, |hold_up| failed + hold_up);
        if !is_protected {
            return Ok(HoldUp {
                time: Duration::ZERO,
                is_complete: false,
            });
        }
        if let Some((buffer, _)) = self.simulation.drive.buffer_mut() {
            buffer.lose_power();
        }
        self.simulation.drive.stop_throttling();
        self.answered.take();
        let flush = HostCommand {
            arrival: failed,
            op: HostOp::Flush,
            fua: false,
            sector: 0,
            sectors: 0,
            queue: 0,
            placement: 0,
        };
        self.inject(flush, 0)?;
        let flush = self.injected - 1;
        let mut is_complete = false;
        while !is_complete && self.simulation.drive.step_until(end)? {
            is_complete = self.answered.take().iter().any(|request| request.number == flush);
        }
        let now = if is_complete { self.now() } else { end };
        Ok(HoldUp {
            time: now.since(failed),
            is_complete,
        })
    }

    fn with_aged(
        config: &Config,
        aged: AgedDrive,
        options: RunOptions,
        stopwatch: Stopwatch,
    ) -> Result<Self, RunError> {
        let clients = vec![tenants::silent()];
        let found = (config.run.warm_up == Some(WarmUp::Auto)).then(SteadyFrom::default);
        let mut simulation = Simulation::new(config, aged, clients, found, &options, &mut |_| true)?;
        let answered = Answers::default();
        let drive = &mut simulation.drive;
        drive.add_probe(Box::new(answered.clone()));
        drive.host_mut().open_client(CLIENT);
        drive.start()?;
        Ok(Self {
            config: config.clone(),
            options,
            simulation,
            answered,
            tokens: FxHashMap::default(),
            injected: 0,
            last_arrival: SimTime::ZERO,
            now: SimTime::ZERO,
            stopwatch,
        })
    }

    /// Lets a probe see what happens from now on.
    pub fn add_probe(&mut self, probe: Box<dyn Probe>) {
        self.simulation.drive.add_probe(probe);
    }

    /// The FTL of the drive.
    #[must_use]
    pub fn ftl(&self) -> &dyn Inspect {
        self.simulation.drive.control().ftl()
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now.max(self.simulation.drive.now())
    }

    /// Sends a command, which `token` names in its completion. It arrives at its `arrival`, but not before the present moment
    /// nor before the command injected last; where as many are under way as the largest queue of NVMe holds, it waits at the
    /// host.
    ///
    /// # Errors
    /// The drive broke one of its rules.
    pub fn inject(&mut self, command: HostCommand, token: u64) -> Result<(), RunError> {
        self.last_arrival = command.arrival.max(self.now()).max(self.last_arrival);
        self.tokens.insert(self.injected, token);
        self.injected += 1;
        let command = HostCommand {
            arrival: self.last_arrival,
            ..command
        };
        self.simulation.drive.inject(CLIENT, command)
    }

    /// The host releases a placement handle: a stream (release identifier of the streams directive), or the reclaim unit that a
    /// handle refers to (reclaim unit handle update). What is written with it from now on is kept apart from what was
    /// written before. Without effect where the drive does not know the handle.
    pub fn release_handle(&mut self, handle: u16) {
        let now = self.now();
        self.simulation.drive.control_mut().release_handle(now, handle);
    }

    /// Lets everything happen that happens up to `time`, at that moment included.
    ///
    /// # Errors
    /// The drive broke one of its rules, or time has passed 100 years.
    pub fn advance_until(&mut self, time: SimTime) -> Result<(), RunError> {
        self.simulation.drive.advance_until(time)?;
        self.now = self.now.max(time);
        Ok(())
    }

    /// Lets the next thing happen. False where nothing will happen until a command is injected.
    ///
    /// # Errors
    /// As for [`Self::advance_until`].
    pub fn step(&mut self) -> Result<bool, RunError> {
        self.simulation.drive.step()
    }

    /// Lets the next thing happen, unless it happens after `time`; whether anything did.
    ///
    /// # Errors
    /// As for [`Self::advance_until`].
    pub fn step_until(&mut self, time: SimTime) -> Result<bool, RunError> {
        self.simulation.drive.happens_until(time)
    }

    /// Operations that can begin now have begun, so that [`Self::next_time`] knows of their ends; no event happens.
    ///
    /// # Errors
    /// As for [`Self::advance_until`].
    pub fn begin_what_waits(&mut self) -> Result<(), RunError> {
        self.simulation.drive.begin_what_waits()
    }

    /// When the next thing happens, as far as it is known before the present moment is over; `NEVER` without one.
    #[must_use]
    pub fn next_time(&self) -> SimTime {
        self.simulation.drive.next_time()
    }

    /// The temperature of the drive, degrees Celsius, where it has one.
    #[must_use]
    pub fn celsius(&self) -> Option<f64> {
        self.simulation.drive.thermal().map(Thermal::celsius)
    }

    /// Pages programmed with data for each page that the host wrote, so far (`ftl.write_amplification` of a summary).
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        self.simulation
            .drive
            .observe()
            .recorder()
            .ledger
            .write_amplification()
    }

    /// The air around the drive has another temperature from now on, degrees Celsius. False where the drive has none.
    pub fn set_ambient(&mut self, celsius: f64) -> bool {
        self.simulation.drive.set_ambient(celsius)
    }

    /// Where [`Self::finish`] saves the state of the drive, if anywhere.
    pub fn save_state_at(&mut self, path: Option<PathBuf>) {
        self.options.save_state = path;
    }

    /// Host writes and TRIMs that the FTL has numbered so far: what spare areas name a content by ([`SpareArea::write`](wordline_ftl::SpareArea)).
    #[must_use]
    pub fn numbered(&self) -> u64 {
        let recovery = self.ftl().recoverable();
        recovery.map_or(0, |recovery| recovery.numbered())
    }

    /// Whether a command was answered since [`Self::completions`] was called last.
    #[must_use]
    pub fn has_completions(&self) -> bool {
        !self.answered.is_empty()
    }

    /// The commands that were answered since the last call, in the order of their answers.
    pub fn completions(&mut self) -> Vec<Completion> {
        let answered = self.answered.take();
        let completions = answered.into_iter().filter_map(|request| {
            Some(Completion {
                token: self.tokens.remove(&request.number)?,
                status: request.status,
                sector: request.sector,
                arrival: request.arrival,
                completed: request.completed,
            })
        });
        completions.collect()
    }

    /// Completes what is under way and sums up, as at the end of a run.
    ///
    /// # Errors
    /// As those of [`run`](crate::run).
    pub fn finish(mut self) -> Result<RunOutput, RunError> {
        let drive = &mut self.simulation.drive;
        drive.shut(CLIENT)?;
        drive.run_on(&mut |_| true)?;
        self.simulation
            .finish(&self.config, &self.options, self.stopwatch, &mut |_| true)
    }
}

/// Requests that were answered and not taken.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<Vec<FinishedRequest>>>);

impl Answers {
    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take(&self) -> Vec<FinishedRequest> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Probe for Answers {
    fn request_done(&mut self, request: &FinishedRequest) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(*request);
    }
}
