//! A run by sampling: the workload goes through the FTL without a clock, and with one in windows at regular intervals.
//!
//! The requests are divided into as many periods of equal length as there are windows, and each period has one window at a place
//! that is drawn. Windows at the same place of every period (for simulated processors R. E. Wunderlich et al., ISCA 2003) would see the same
//! phase of whatever comes back after a number of requests, as collection does where all planes fill their blocks together
//! (W. G. Cochran, Sampling Techniques, 3rd ed., 1977, section 8.5). Everything outside of the windows is executed at once ([`gap`]).
//! In a window ([`window`]) the drive that has this FTL runs with a clock: first the requests of the warm-up, which fill its
//! queues, then those that are measured, then those that keep it busy until the last of these is complete. What passes from one mode to
//! the other is the FTL itself, with the jobs that want to be asked, and how reliable pages are, where that is
//! modelled. What else a drive may have has no state without a clock, so that it is refused ([`accepted`]).

mod accepted;
mod busy_dies;
mod gap;
mod window;

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration as WallTime, Instant};

use wordline_config::{Config, ConfigError};
use wordline_ftl::functional::{BusyDies, DieTimes};
use wordline_ftl::{Cause, ChannelTurns, Inspect, JobNotice, Mapping};
use wordline_metrics::{FinishedRequest, Note};
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::{Admission, HostCommand, Source};

use crate::array::dynamic_order;
use crate::array::reliability::Reliability;
use crate::error::RunError;
use crate::host::cut::Cutter;
use crate::progress::{Phase, Progress};
use crate::run::{ArrayDescription, prepare};

/// Commands that are taken from the source at once.
const BATCH: usize = 1 << 16;

/// Pages that a job moves at a time between windows (assumed: a twelfth to a third of the moves of a block of usual size, so that jobs are well divided, in few calls). Not a
/// multiple of the usual numbers of channels: the channel whose turn it is goes on by the pages that are programmed, and would stay where it is.
const MOVES: usize = 17;

/// Requests before a window in which jobs move a page at a time: pages are moved before their time has passed, so that jobs would be ahead by half of what they move at once when a window begins
/// (assumed: what was moved at once before is over then, 17 moves take about as long as 400 requests of a busy drive).
const NEAR: u64 = 1_000;

/// Windows with fewer of which no test can say whether the load can be sampled.
const FEWEST: u32 = 10;

/// Which requests are simulated with a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePlan {
    /// Windows; with none the whole workload goes through the FTL without a clock.
    pub windows: u32,
    /// Whether there are fewer of them, 10 at least, where the workload is too short for all.
    pub fewer: bool,
    /// Requests of each window that are measured, at least 1.
    pub measured: u32,
    /// Requests before them with a clock, which are not measured.
    pub warm_up: u32,
    /// Requests after them with a clock, which are not measured.
    pub cool_down: u32,
    /// Whether jobs take their time between two windows, so that some are in the middle of their work when a window begins.
    pub paced: bool,
    /// What the places of the windows are drawn from.
    pub seed: u64,
    /// Replay the rules of the medium and the FTL's promises against every operation of the windows.
    pub audit: bool,
}

impl SamplePlan {
    /// Requests of a window, measured or not.
    fn length(&self) -> u64 {
        u64::from(self.warm_up) + u64::from(self.measured) + u64::from(self.cool_down)
    }

    /// The same with as many windows as a workload of so many requests has room for, where there may be fewer.
    fn fitted(&self, requests: u64) -> Self {
        let room = requests.checked_div(self.length()).unwrap_or(u64::MAX);
        let windows = match u32::try_from(room) {
            Ok(room) if self.fewer => self.windows.min(room.max(FEWEST)),
            _ => self.windows,
        };
        Self { windows, ..*self }
    }
}

/// Pages that were written, by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Logical pages that the host wrote, whole or in part.
    pub by_host: u64,
    /// Pages that were programmed with data (`Cause::is_data`).
    pub programmed: u64,
}

impl Written {
    /// Adds pages by cause.
    fn add(&mut self, by_host: u64, programmed: impl Fn(Cause) -> u64) {
        let data = Cause::ALL.iter().filter(|cause| cause.is_data());
        self.by_host += by_host;
        self.programmed += data.map(|cause| programmed(*cause)).sum::<u64>();
    }
}

/// What was measured in a window.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// Number of the first request that was measured, in the workload from 0.
    pub first: u64,
    /// The requests that were measured, in the order in which they were sent; times start with the window.
    pub requests: Vec<FinishedRequest>,
    /// Time in which as many requests were completed as are measured, after as many as the warm-up has.
    pub span: Duration,
}

/// What a sampled run gives.
pub struct Sample {
    /// Requests of the workload.
    pub requests: u64,
    /// The windows, in their order.
    pub windows: Vec<Window>,
    /// What was written in the same number of periods, with a clock and without one: up to the end of each window from the end of
    /// the one before, and in the first period also after the last window. One period where there is no window.
    pub written: Vec<Written>,
    /// Time of the drive's life at the end.
    pub now: SimTime,
    /// How long a die takes to move all pages of a block, and to erase it.
    pub block_times: (Duration, Duration),
    /// The FTL after the last request.
    ftl: Box<dyn Mapping>,
    /// The drive's age, the source's remarks.
    pub notes: Vec<Note>,
    /// Time that it took to execute requests without a clock, reading them excluded.
    pub functional_time: WallTime,
    /// Time that the windows took.
    pub timed_time: WallTime,
}

/// The workload in the order of its requests.
struct Requests {
    source: Box<dyn Source>,
    ahead: VecDeque<HostCommand>,
    batch: Vec<HostCommand>,
    taken: u64,
}

impl Requests {
    /// The next commands, at most so many.
    fn take(&mut self, most: u64, commands: &mut Vec<HostCommand>) -> Result<(), RunError> {
        commands.clear();
        while (commands.len() as u64) < most {
            if self.ahead.is_empty() {
                self.batch.clear();
                self.source.next_commands(BATCH, &mut self.batch)?;
                self.ahead.extend(self.batch.drain(..));
            }
            let Some(command) = self.ahead.pop_front() else {
                break;
            };
            commands.push(command);
        }
        self.taken += commands.len() as u64;
        Ok(())
    }
}

/// What passes from one part of a run to the next.
struct Carried {
    ftl: Box<dyn Mapping>,
    reliability: Option<Box<Reliability>>,
    state: State,
}

/// What of it belongs to the executor.
struct State {
    /// Jobs of the FTL that want to be asked.
    jobs: Vec<JobNotice>,
    /// Time of the drive's life.
    now: SimTime,
    /// Whose turn it is among channels and planes.
    turns: ChannelTurns,
    /// Until when dies are busy, from one part of the run to the next.
    dies: Dies,
}

/// Until when dies are busy.
enum Dies {
    /// They are idle.
    Idle,
    /// As requests without a clock left them.
    Without(DieTimes),
    /// As a window left them.
    With(BusyDies),
}

/// A run in the middle.
struct Sampled<'a> {
    config: &'a Config,
    plan: SamplePlan,
    admission: Admission,
    cutter: Cutter,
    requests: Requests,
    array: ArrayDescription,
    /// Time of the drive's life at which time zero of the workload lies.
    start: SimTime,
    /// Simulated time and requests of the windows so far.
    passed: (Duration, u64),
    /// How long the commands of a closed loop took between windows by the times of dies alone, in nanoseconds each, and how many there were.
    served: (u64, u64),
    /// Pages that a job moves at a time without a clock.
    moves: usize,
    windows: Vec<Window>,
    functional_time: WallTime,
    timed_time: WallTime,
}

/// Builds the drive of a configuration, brings it to its age and runs its workload by `plan`.
///
/// `base_dir` is where relative paths start from. `progress` is called now and then and stops the run by returning false.
///
/// # Errors
/// As those of [`run`](crate::run); a drive or a workload whose state is not all in the FTL, a workload of unknown length or shorter than the
/// windows together; `RunError::Interrupted` where `progress` stops it.
pub fn sample(
    config: &Config,
    base_dir: &Path,
    plan: &SamplePlan,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Sample, RunError> {
    accepted::check(config)?;
    let (drive, mut tenants) = prepare(config, base_dir, progress)?;
    accepted::check_ftl(config, &*drive.ftl)?;
    accepted::check_clients(&tenants)?;
    let Some(tenant) = tenants.pop() else {
        return Err(RunError::Interrupted);
    };
    let requests = accepted::requests(&tenant)?;
    let plan = plan.fitted(requests);
    accepted::check_windows(&plan, requests)?;
    let notes = drive.aged.notes.iter();
    let mut notes: Vec<Note> = notes.map(|text| Note::remark("age", text.clone())).collect();
    let mut sampled = Sampled {
        cutter: Cutter::new(config, drive.ftl.unit_geometry(), drive.ftl.user_pages()),
        config,
        plan,
        admission: tenant.client.admission,
        requests: Requests {
            source: tenant.client.source,
            ahead: tenant.ahead.into(),
            batch: Vec::new(),
            taken: 0,
        },
        start: drive.aged.now,
        array: drive.description(),
        passed: (Duration::ZERO, 0),
        served: (0, 0),
        moves: MOVES,
        windows: Vec::new(),
        functional_time: WallTime::ZERO,
        timed_time: WallTime::ZERO,
    };
    let carried = Carried {
        ftl: drive.ftl,
        reliability: drive.reliability,
        state: State {
            jobs: Vec::new(),
            now: drive.aged.now,
            turns: ChannelTurns::new(dynamic_order(config, drive.geometry)),
            dies: Dies::Idle,
        },
    };
    let (carried, written) = sampled.run(carried, requests, progress)?;
    let pace = sampled.array.pace(MOVES);
    let moving = (pace.read + pace.program) * u64::from(carried.ftl.geometry().pages_per_block);
    let remarks = sampled.requests.source.notes();
    notes.extend(remarks.into_iter().map(|text| Note::remark("workload", text)));
    Ok(Sample {
        requests: sampled.requests.taken,
        windows: sampled.windows,
        written,
        now: carried.state.now,
        block_times: (moving, pace.erase),
        ftl: carried.ftl,
        notes,
        functional_time: sampled.functional_time,
        timed_time: sampled.timed_time,
    })
}

impl Sampled<'_> {
    /// Runs the workload of so many requests; what was written in each period.
    fn run(
        &mut self,
        mut carried: Carried,
        length: u64,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(Carried, Vec<Written>), RunError> {
        let windows = u64::from(self.plan.windows);
        let mut periods = Vec::new();
        if let Some(period) = length.checked_div(windows) {
            let room = period - self.plan.length() + 1;
            for window in 0..windows {
                let mut written = Written::default();
                let draw = Seed(self.plan.seed).draw("sample.window", window);
                let to = window * period + ((u128::from(draw) * u128::from(room)) >> 64) as u64;
                if window == 0 && self.plan.paced && !self.keeps_time() {
                    carried = self.pilot(carried, to, &mut written, progress)?;
                }
                let between = to - self.requests.taken;
                let near = between.min(NEAR);
                self.moves = MOVES;
                self.execute(&mut carried, (between - near, length), &mut written, progress)?;
                self.moves = 1;
                self.execute(&mut carried, (near, length), &mut written, progress)?;
                carried = self.measure(carried, &mut written, progress)?;
                periods.push(written);
            }
        }
        let mut last = Written::default();
        self.moves = MOVES;
        self.execute(&mut carried, (u64::MAX, length), &mut last, progress)?;
        match periods.first_mut() {
            Some(first) => {
                first.by_host += last.by_host;
                first.programmed += last.programmed;
            }
            None => periods.push(last),
        }
        Ok((carried, periods))
    }

    /// Executes requests without a clock: so many of the `length` of the workload, or all that are left.
    fn execute(
        &mut self,
        carried: &mut Carried,
        (requests, length): (u64, u64),
        written: &mut Written,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), RunError> {
        let mut commands = Vec::with_capacity(BATCH);
        let mut left = requests;
        while left > 0 {
            self.requests.take(left.min(BATCH as u64), &mut commands)?;
            if commands.is_empty() {
                return Ok(());
            }
            left -= commands.len() as u64;
            let began = Instant::now();
            self.execute_now(carried, &commands, written)?;
            self.functional_time += began.elapsed();
            let goes_on = progress(Progress {
                phase: Phase::Simulating,
                share: Some(self.requests.taken as f64 / length.max(1) as f64),
                requests: self.requests.taken,
                now: SimTime::ZERO + carried.state.now.since(self.start),
            });
            if !goes_on {
                return Err(RunError::Interrupted);
            }
        }
        Ok(())
    }

    /// Simulates a window with a clock.
    fn measure(
        &mut self,
        mut carried: Carried,
        written: &mut Written,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Carried, RunError> {
        // windows take up what is outstanding from a gap, be it one without requests
        if matches!(carried.state.dies, Dies::With(_)) {
            self.execute_now(&mut carried, &[], written)?;
        }
        let first = self.requests.taken + u64::from(self.plan.warm_up);
        let mut commands = Vec::new();
        self.requests.take(self.plan.length(), &mut commands)?;
        let began = Instant::now();
        let (carried, window) = self.measure_now(carried, commands, written, progress)?;
        self.timed_time += began.elapsed();
        self.windows.push(Window { first, ..window });
        Ok(carried)
    }

    /// Simulates the first requests of a closed loop with a clock, as many as a window has if there is room, and measures how long they take:
    /// that is not known before.
    fn pilot(
        &mut self,
        carried: Carried,
        to: u64,
        written: &mut Written,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Carried, RunError> {
        let mut commands = Vec::new();
        self.requests.take(self.plan.length().min(to), &mut commands)?;
        if commands.is_empty() {
            return Ok(carried);
        }
        let began = Instant::now();
        let (carried, _) = self.measure_now(carried, commands, written, progress)?;
        self.timed_time += began.elapsed();
        Ok(carried)
    }

    /// Commands outstanding of a closed loop whose commands take their time between windows too.
    fn closed_loop(&self) -> Option<u32> {
        match self.admission {
            Admission::ClosedLoop { depth } if self.plan.paced => Some(depth),
            _ => None,
        }
    }

    /// Whether commands come at times of their own.
    fn keeps_time(&self) -> bool {
        matches!(self.admission, Admission::OpenLoop { .. })
    }
}

impl Sample {
    /// The FTL after the last request, to be looked at.
    #[must_use]
    pub fn ftl(&self) -> &dyn Inspect {
        &*self.ftl
    }
}

/// A value that a sampled run cannot have.
fn refused(key: &str, found: impl std::fmt::Display, problem: &str) -> RunError {
    ConfigError::key(None, format!("{key} = {found}"), problem).into()
}
