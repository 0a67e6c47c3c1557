//! The kernel: the event loop, and the ways that commands and operations take through the parts of the drive.

mod buffering;
mod commands;
mod completion;
mod dispatch;
mod idle_states;
mod jobs;
mod outside;
mod packages;
mod place;
mod plans;
mod power_limit;
mod queueing;
mod registers;
mod requests;
mod submit;
mod throttling;
mod watching;

use wordline_config::LATEST;
use wordline_ftl::FtlCounters;
use wordline_nand::DieId;
use wordline_units::{Duration, SimTime};
use wordline_workload::HostCommand;

use crate::array::FlashArray;
use crate::array::suspension::Precedence;
use crate::buffer::WriteBuffer;
use crate::clock::{Clock, Event};
use crate::control::Control;
use crate::door::WriteDoor;
use crate::error::RunError;
use crate::features::{Features, Full, Optional, Presence};
use crate::host::Host;
use crate::idle_states::IdleStates;
use crate::observe::Observer;
use crate::power_limit::PowerLimit;
use crate::progress::{Phase, Progress};
use crate::request_queue::RequestQueue;
use crate::scheduler::Schedule;
use crate::thermal::Thermal;

/// A drive in the middle of a run.
pub(crate) struct Drive<F: Features = Full> {
    clock: Clock,
    host: Host<F>,
    /// Requests that wait to be let in, where the scheduler has them wait.
    requests: Optional<RequestQueue, F::Options>,
    /// Where writes wait that the queue of writes has no room for, where it is limited.
    door: Optional<WriteDoor, F::Options>,
    buffer: Optional<WriteBuffer, F::Options>,
    control: Control<F>,
    schedule: Schedule,
    array: FlashArray<F>,
    /// The temperature of the drive, where it has one.
    thermal: Optional<Thermal, F::Options>,
    /// Where the drive goes when it has nothing to do, if it goes anywhere.
    idle: Optional<IdleStates, F::Options>,
    /// What the drive may take of power, where that is limited.
    limit: Optional<PowerLimit, F::Options>,
    observe: Observer<F>,
    failure: Option<RunError>,
}

impl<F: Features> Drive<F> {
    /// Runs the clients to their ends: every request completed, everything in flight finished. Where `progress` stops it,
    /// clients send nothing more and the requests under way are completed, so that the run is whole though shorter; where
    /// `progress` then stops it again the run is given up.
    pub(crate) fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), RunError> {
        self.start()?;
        self.run_on(progress)
    }

    /// Starts the clients.
    pub(crate) fn start(&mut self) -> Result<(), RunError> {
        self.host.start_clients(&mut self.clock);
        self.look_for_refresh();
        self.schedule_look();
        self.pull()
    }

    /// Goes on until nothing is left to do; see [`Self::run`].
    pub(crate) fn run_on(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), RunError> {
        let mut watch = self.watch();
        let mut until_look = watch.every;
        while self.step()? {
            until_look -= 1;
            if until_look == 0 {
                until_look = watch.every;
                self.look(&mut watch, progress)?;
            }
        }
        self.conclude(progress)
    }

    /// Handles the next event. False where nothing is left to do.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Result<bool, RunError> {
        if self.clock.moment_is_over() {
            self.settle()?;
        }
        let before = self.clock.now();
        let Some(event) = self.clock.advance() else {
            return Ok(false);
        };
        if self.clock.now() > LATEST {
            return Err(RunError::Endless { at: before });
        }
        self.handle(event);
        if self.host.clients().anyone_awake() {
            self.pull()?;
        }
        let is_host_done = self.host.clients().finished();
        let is_drained = self.control.jobs_mut().drain(is_host_done)
            && self.array.is_empty()
            && !self.host.keeps_pieces()
            && !self.has_waiting();
        Ok(!is_drained)
    }

    /// Handles all events up to `time`, those of that moment included.
    pub(crate) fn advance_until(&mut self, time: SimTime) -> Result<(), RunError> {
        while self.step_until(time)? {}
        Ok(())
    }

    /// The next event, unless it comes after `time`; whether there may be another.
    pub(crate) fn step_until(&mut self, time: SimTime) -> Result<bool, RunError> {
        if self.clock.moment_is_over() {
            self.settle()?;
        }
        Ok(self.clock.next_time() <= time && self.step()?)
    }

    /// What the present moment still holds begins, unless an event of it is still to come.
    pub(crate) fn begin_what_waits(&mut self) -> Result<(), RunError> {
        if self.clock.moment_is_over() {
            self.settle()?;
        }
        Ok(())
    }

    /// The next event, unless it comes after `time`; whether there was one.
    pub(crate) fn happens_until(&mut self, time: SimTime) -> Result<bool, RunError> {
        self.begin_what_waits()?;
        let next = self.clock.next_time();
        let is_due = next <= time && next != SimTime::NEVER;
        if is_due {
            self.step()?;
        }
        Ok(is_due)
    }

    /// A client that is open to commands sends one, when it arrives.
    pub(crate) fn inject(&mut self, client: u32, command: HostCommand) -> Result<(), RunError> {
        self.host.inject(client, command);
        self.pull()
    }

    /// No more commands are injected into a client.
    pub(crate) fn shut(&mut self, client: u32) -> Result<(), RunError> {
        self.host.shut_client(client);
        self.pull()
    }

    /// Lets everything happen that the present moment still holds, its events being over.
    fn settle(&mut self) -> Result<(), RunError> {
        loop {
            if self.control.has_notices() {
                if self.control.unplaced_mut().begin_trying() {
                    self.place_waiting();
                }
                self.collect_notices();
            }
            if self.control.jobs().anything_to_ask() {
                self.ask_jobs();
            }
            self.admit_waiting();
            self.open_door();
            if self.array.marked().is_empty() {
                break;
            }
            self.dispatch_marked();
            if self.host.clients().anyone_awake() {
                self.pull()?;
            }
            if !self.clock.moment_is_over() {
                break;
            }
        }
        if self.observe.has_probes() {
            self.stop_at_violation()?;
        }
        if self.failure.is_none() {
            return Ok(());
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Ends the run where a probe or the audit of the buffer has found a violated rule.
    fn stop_at_violation(&self) -> Result<(), RunError> {
        let of_probes = self.observe.violation();
        let of_buffer = || self.buffer.as_ref().and_then(WriteBuffer::violation);
        match of_probes.or_else(of_buffer) {
            Some(found) => Err(RunError::Audit(found.to_owned())),
            None => Ok(()),
        }
    }

    /// Whether the time of the controller's cores is modelled.
    #[inline(always)]
    pub(crate) fn has_firmware(&self) -> bool {
        F::Options::IS_POSSIBLE && self.control.firmware().enabled()
    }

    /// Whether pages have modes beside the normal one.
    #[inline(always)]
    pub(crate) fn has_modes(&self) -> bool {
        self.observe.has_modes()
    }

    /// Bytes that the drive exports.
    pub(crate) fn user_bytes(&self) -> f64 {
        let ftl = self.control.ftl();
        ftl.user_pages() as f64 * f64::from(ftl.unit_geometry().page_bytes)
    }

    /// What the FTL counted since measuring began.
    pub(crate) fn ftl_counters(&self) -> FtlCounters {
        self.observe.measured(self.control.counters())
    }

    /// Time since measuring began.
    pub(crate) fn measured_time(&self) -> Duration {
        self.observe.measured_time(self.clock.now())
    }

    /// The warm-up is over: all counts start afresh.
    pub(crate) fn start_measuring(&mut self) {
        let of_host = self.array.host_programs();
        let counters = self.control.counters();
        self.count_sleep();
        self.advance_temperature();
        let before = self.energy_for_limit();
        if !self
            .observe
            .start_measuring(self.clock.now(), self.host.counts().completed, counters, of_host)
        {
            return;
        }
        self.host.restart_counts(self.clock.now());
        if let Some(requests) = self.requests.as_mut() {
            requests.restart_counts();
        }
        self.control.restart_counts(self.clock.now());
        self.array.restart_counts(self.clock.now());
        let energy = self.energy();
        if let Some(thermal) = self.thermal.as_mut() {
            thermal.restart_counts(energy);
        }
        self.restart_limit(before);
        if let Some(idle) = self.idle.as_mut() {
            idle.restart_counts();
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.restart_counts(self.clock.now());
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::ArrayDone(die) => self.array_done(DieId(die)),
            Event::PlaneDone(op) => self.plane_done(op),
            Event::Suspended(unit) => self.suspended(unit),
            Event::BusDone(channel) => self.bus_done(channel as usize),
            Event::RegisterFree(die) => self.array.register_free(DieId(die)),
            Event::Transferred(op) => self.transferred(op),
            Event::Wake(channel) => self.array.mark(channel as usize),
            Event::SubRequestReady(id) => {
                let piece = self.host.take_piece(id);
                self.serve(&piece);
            }
            Event::OpReady(op) => self.enqueue(op),
            Event::Decoded(op) => self.decoded(op),
            Event::MovedInPackage(op) => self.moved_in_package(op),
            Event::LocalDone(op) => self.local_work_done(op),
            Event::ComputeDone(op) => self.computed(op),
            Event::MemoryDone(request) => self.memory_accessed(request),
            Event::RequestDone(request) => self.answer(request),
            Event::Doorbell(request) => self.host.doorbell(request, &mut self.clock),
            Event::Fetched => self.commands_fetched(),
            Event::CommandBegins(request) => self.begin(request),
            Event::Answered(request) => self.finish_command(request),
            Event::Client(client) => self.host.timer_ran_out(client),
            Event::JobTimer(job) => self.job_timer(job),
            Event::RefreshLook => self.look_for_refresh(),
            Event::IntervalEnded(client) => self.host.interval_ended(client, &mut self.clock),
            Event::ThermalStep => self.thermal_step(),
            Event::HeldCommand => self.held_command(),
            Event::Awake => self.awake(),
            Event::PowerIsBack => self.power_is_back(),
            Event::Measure => self.start_measuring(),
        }
    }

    /// Checks what must hold at the end of every run, and lets the probes have the last word.
    fn conclude(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), RunError> {
        // where blocks are retired, collection itself may be left without one
        let is_short = self.control.has_failures() && !self.array.is_empty();
        if is_short || !self.host.clients().finished() {
            return Err(self.stalled());
        }
        let (now, requests) = (self.clock.now(), self.host.counts().completed);
        let mut is_stopped = false;
        let mut watch = |share| {
            is_stopped |= !progress(Progress {
                phase: Phase::Auditing,
                share: Some(share),
                requests,
                now,
            });
            !is_stopped
        };
        self.observe.finish_probes(now, self.control.ftl(), &mut watch)?;
        if is_stopped {
            return Err(RunError::Interrupted);
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.audit(self.control.ftl()).map_err(RunError::Audit)?;
        }
        Ok(())
    }

    /// Explains why nothing can happen any more although requests are unfinished.
    pub(super) fn stalled(&self) -> RunError {
        let (at, requests, waiting) = (self.clock.now(), self.host.requests_left(), self.array.waiting());
        let counters = self.control.counters();
        let failures = counters.failed_programs + counters.failed_erases;
        let unreadable = counters.parity.unreadable_members;
        if failures + unreadable > 0 {
            return RunError::WornOut {
                at,
                requests,
                waiting,
                failures,
                unreadable,
                retired: counters.retired_blocks,
            };
        }
        RunError::Stalled {
            at,
            requests,
            waiting,
        }
    }
}

/// What goes before a suspended operation, as far as the array does not know it.
#[inline]
fn precedence<'a, F: Features>(buffer: Option<&WriteBuffer>, control: &'a Control<F>) -> Precedence<'a> {
    Precedence {
        buffer_is_full: buffer.is_some_and(WriteBuffer::is_full),
        ftl: control.ftl(),
    }
}
