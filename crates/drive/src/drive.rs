//! The simulated drive: its parts, and the event loop that moves them.

use rustc_hash::FxHashMap;
use wordline_ftl::{DynamicOrder, FixedPrograms, JobId, JobNotice, Lpn, Mapping, Plan};
use wordline_metrics::{Probe, Recorder};
use wordline_nand::{CommandsConfig, DieId, Medium, PageTypes, RestrictionsConfig, Timing};
use wordline_units::{Duration, SimTime};

use crate::attribution::Attribution;
use crate::buffer::WriteBuffer;
use crate::channels::ChannelSet;
use crate::error::{LATEST, RunError};
use crate::events::EventQueue;
use crate::firmware::Firmware;
use crate::flash::Flash;
use crate::host::interface::Interface;
use crate::host::{Host, Request, SubRequest};
use crate::jobs::Jobs;
use crate::operation::{Op, OpId};
use crate::plans::Plans;
use crate::reliability::Reliability;
use crate::scheduler::Ranking;
use crate::scheduler::dispatch::Choice;
use crate::scheduler::issue::Command;
use crate::scheduler::write_limit::WriteLimit;
use crate::suspension::Suspension;
use crate::table::Table;
use crate::timeline::Watch;
use crate::warm_up::{Unmeasured, WarmUp};

/// What happens at a moment of simulated time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The array step of a die is over.
    ArrayDone(u32),
    /// What a unit was asked to suspend has left its arrays.
    Suspended(u32),
    /// The register of a die that works on a cached program can take the next data.
    RegisterFree(u32),
    /// The data on a channel's bus have been moved.
    BusDone(u32),
    /// The data of a program are in the page register, which acknowledges it.
    Transferred(u32),
    /// A channel's bus is free again.
    Wake(u32),
    /// The firmware has prepared a page-sized piece of a command.
    SubRequestReady(u32),
    /// The firmware has prepared a flash command.
    OpReady(u32),
    /// The decoder of a channel is done with the data of a read.
    Decoded(u32),
    /// Work of a firmware core for a plan is done.
    ComputeDone(u32),
    /// A piece of a request was served by the controller's memory.
    MemoryDone(u32),
    /// The firmware has completed a request.
    RequestDone(u32),
    /// The controller sees a command in its submission queue.
    Doorbell(u32),
    /// The commands that were being fetched are in the drive.
    Fetched,
    /// The host has taken up the completion of a command.
    Answered(u32),
    /// A client starts, goes on after a pause, or has a command that comes now.
    Client(u32),
    /// A job asked to be looked at.
    JobTimer(JobId),
    /// An interval in which the steady state of a client is judged has ended.
    IntervalEnded(u32),
    /// The warm-up is over.
    Measure,
}

/// Classes order the events of one moment: what ends goes before what starts.
impl Event {
    pub(crate) fn class(self) -> u8 {
        match self {
            Self::BusDone(_) | Self::Transferred(_) => 0,
            Self::ArrayDone(_) | Self::RegisterFree(_) | Self::Suspended(_) => 1,
            Self::ComputeDone(_) | Self::MemoryDone(_) | Self::Decoded(_) => 2,
            Self::RequestDone(_) | Self::Answered(_) => 3,
            Self::SubRequestReady(_) | Self::OpReady(_) | Self::IntervalEnded(_) => 4,
            Self::Client(_) | Self::Doorbell(_) | Self::Fetched => 5,
            Self::JobTimer(_) => 6,
            Self::Wake(_) => 7,
            Self::Measure => 8,
        }
    }
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The drive is brought to its age.
    Ageing,
    /// A trace is read for its totals, before it is replayed.
    ReadingTrace,
    /// The workload runs, to see where its warm-up ends.
    FindingWarmUp,
    /// The workload runs.
    Simulating,
}

impl Phase {
    /// What it is, for progress bars.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ageing => "ageing the drive",
            Self::ReadingTrace => "reading the trace, pass 1 of 2",
            Self::FindingWarmUp => "finding the warm-up, pass 1 of 2",
            Self::Simulating => "simulating",
        }
    }
}

/// How far a run has come, for progress bars.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Share of that which is done, 0 to 1, where it is known.
    pub share: Option<f64>,
    /// Host requests completed.
    pub requests: u64,
    /// Simulated time.
    pub now: SimTime,
}

impl Progress {
    /// Before the first request.
    pub(crate) fn before(phase: Phase, share: f64) -> Self {
        Self {
            phase,
            share: Some(share),
            requests: 0,
            now: SimTime::ZERO,
        }
    }
}

/// A drive in the middle of a run.
pub(crate) struct Drive {
    pub(crate) now: SimTime,
    /// Time that the drive lived before the run.
    pub(crate) epoch: Duration,
    /// Write amplification that ageing counted on.
    pub(crate) predicted_amplification: Option<f64>,
    pub(crate) ftl: Box<dyn Mapping>,
    pub(crate) medium: Medium,
    pub(crate) timing: Timing,
    pub(crate) page_types: PageTypes,
    pub(crate) restrictions: RestrictionsConfig,
    pub(crate) commands: CommandsConfig,
    pub(crate) ranking: Ranking,
    pub(crate) max_wait: Option<Duration>,
    /// How many host writes may wait, if that is limited.
    pub(crate) write_limit: Option<WriteLimit>,
    /// What is suspended, if anything can be.
    pub(crate) suspension: Option<Box<Suspension>>,
    /// Wait beyond which an operation counts as starved, and those that were.
    pub(crate) starvation: Duration,
    pub(crate) starved_ops: u64,
    pub(crate) order: DynamicOrder,
    pub(crate) events: EventQueue<Event>,
    pub(crate) ops: Table<Op>,
    pub(crate) sequence: u64,
    pub(crate) plans: Plans,
    pub(crate) fixed: FixedPrograms<OpId>,
    pub(crate) flash: Flash,
    /// The channel that is looked at first: it goes on with the programs issued.
    pub(crate) first_channel: u32,
    /// Channels whose turn in the present look is still to come.
    pub(crate) looking: ChannelSet,
    pub(crate) command: Command,
    /// Choices of the present look at a channel that turned out not to be startable.
    pub(crate) tried: Vec<Choice>,
    pub(crate) host: Host,
    /// Queues and link between host and drive, unless they are ideal.
    pub(crate) interface: Option<Interface>,
    pub(crate) requests: Table<Request>,
    pub(crate) sub_requests: Table<SubRequest>,
    /// Page-sized pieces that wait for an earlier write of their page, oldest first.
    pub(crate) parked: FxHashMap<Lpn, Vec<SubRequest>>,
    /// Pieces of several pages (TRIM) that wait for writes inside their range.
    pub(crate) parked_ranges: Vec<SubRequest>,
    pub(crate) firmware: Firmware,
    /// Time to serve a piece from the controller's memory.
    pub(crate) memory_access: Duration,
    pub(crate) buffer: Option<WriteBuffer>,
    pub(crate) jobs: Jobs,
    pub(crate) notices: Vec<JobNotice>,
    /// The FTL was called since its notices were last collected.
    pub(crate) ftl_called: bool,
    /// The plan that the FTL fills; empty but between its call and `start_plan`.
    pub(crate) plan: Plan,
    /// Where response times go, if that is recorded.
    pub(crate) attribution: Option<Attribution>,
    /// What the parts of the drive do from when to when, if that is recorded.
    pub(crate) watch: Option<Box<Watch>>,
    /// How reliable pages are and what reading them takes, if that is modelled.
    pub(crate) reliability: Option<Box<Reliability>>,
    /// What ends the part of the run that is not measured, while it lasts.
    pub(crate) warm_up: Option<WarmUp>,
    /// What was in that part, once it is over.
    pub(crate) unmeasured: Option<Box<Unmeasured>>,
    pub(crate) recorder: Recorder,
    pub(crate) probes: Vec<Box<dyn Probe>>,
    pub(crate) failure: Option<RunError>,
    /// The user stopped the clients.
    pub(crate) interrupted: bool,
}

/// Events between two looks at the progress callback.
const PROGRESS_EVENTS: u32 = 1 << 16;

impl Drive {
    /// The time that the FTL is told: what ageing took lies before the run.
    pub(crate) fn ftl_now(&self) -> SimTime {
        self.now + self.epoch
    }

    pub(crate) fn schedule(&mut self, time: SimTime, event: Event) {
        self.events.schedule(time, event.class(), event);
    }

    /// Runs the clients to their ends: every request completed, everything in flight finished. Where `progress` stops it,
    /// clients send nothing more and the requests under way are completed, so that the run is whole though shorter; where
    /// `progress` then stops it again the run is given up.
    pub(crate) fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), RunError> {
        let of = self.host.clients.len_hint();
        self.start_clients();
        self.pull()?;
        let mut until_progress = PROGRESS_EVENTS;
        loop {
            if self.events.next_time() > self.now {
                self.settle()?;
            }
            let Some((time, event)) = self.events.take() else {
                break;
            };
            debug_assert!(time >= self.now, "time went backwards");
            if time > LATEST {
                return Err(RunError::Endless { at: self.now });
            }
            self.now = time;
            self.handle(event);
            if self.host.clients.anyone_awake() {
                self.pull()?;
            }
            self.jobs.draining |= self.host.clients.finished();
            if self.jobs.draining && self.ops.is_empty() && self.sub_requests.is_empty() {
                break;
            }
            until_progress -= 1;
            if until_progress == 0 {
                until_progress = PROGRESS_EVENTS;
                let requests = self.host.completed;
                let goes_on = progress(Progress {
                    phase: Phase::Simulating,
                    share: of.map(|of| (requests as f64 / of.max(1) as f64).min(1.0)),
                    requests,
                    now: self.now,
                });
                if !goes_on {
                    if self.interrupted {
                        return Err(RunError::Interrupted);
                    }
                    self.interrupted = true;
                    self.host.clients.stop();
                    self.pull()?;
                }
            }
        }
        self.conclude()
    }

    /// Lets everything happen that the present moment still holds, its events being over.
    fn settle(&mut self) -> Result<(), RunError> {
        loop {
            self.collect_notices();
            if self.jobs.anything_to_ask() {
                self.ask_jobs();
            }
            if self.flash.marked.is_empty() {
                break;
            }
            self.dispatch_marked();
            if self.host.clients.anyone_awake() {
                self.pull()?;
            }
            if self.events.next_time() <= self.now {
                break;
            }
        }
        if !self.probes.is_empty() {
            self.stop_at_violation()?;
        }
        if self.failure.is_none() {
            return Ok(());
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Ends the run where a probe or the audit of the buffer has found a violated rule.
    fn stop_at_violation(&self) -> Result<(), RunError> {
        let of_probes = self.probes.iter().find_map(|probe| probe.violation());
        let of_buffer = || self.buffer.as_ref().and_then(WriteBuffer::violation);
        match of_probes.or_else(of_buffer) {
            Some(found) => Err(RunError::Audit(found.to_owned())),
            None => Ok(()),
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::ArrayDone(die) => self.array_done(DieId(die)),
            Event::Suspended(unit) => self.suspended(unit as usize),
            Event::BusDone(channel) => self.bus_done(channel as usize),
            Event::RegisterFree(die) => self.register_free(DieId(die)),
            Event::Transferred(op) => self.transferred(op),
            Event::Wake(channel) => self.flash.mark(channel as usize),
            Event::SubRequestReady(id) => {
                let sub = self.sub_requests.remove(id);
                self.serve(&sub);
            }
            Event::OpReady(op) => self.enqueue(op),
            Event::Decoded(op) => self.decoded(op),
            Event::ComputeDone(op) => self.op_done(op, wordline_ftl::Outcome::Good),
            Event::MemoryDone(request) => self.acknowledge(request),
            Event::RequestDone(request) => self.answer(request),
            Event::Doorbell(request) => self.doorbell(request),
            Event::Fetched => self.commands_fetched(),
            Event::Answered(request) => self.finish_command(request),
            Event::Client(client) => self.host.clients.timer_ran_out(client),
            Event::JobTimer(job) => self.job_timer(job),
            Event::IntervalEnded(client) => self.interval_ended(client),
            Event::Measure => self.start_measuring(),
        }
    }

    /// Checks what must hold at the end of every run, and lets the probes have the last word.
    fn conclude(&mut self) -> Result<(), RunError> {
        if !self.host.clients.finished() {
            return Err(self.stalled());
        }
        for probe in &mut self.probes {
            probe.finish(self.now, &*self.ftl).map_err(RunError::Audit)?;
        }
        if let Some(buffer) = &mut self.buffer {
            buffer.audit(&*self.ftl).map_err(RunError::Audit)?;
        }
        Ok(())
    }

    /// Explains why nothing can happen any more although requests are unfinished.
    fn stalled(&self) -> RunError {
        let waiting: u32 = self.flash.queues.iter().map(|queue| queue.len).sum();
        RunError::Stalled {
            at: self.now,
            requests: self.requests.len() as u64,
            waiting,
        }
    }
}
