//! A window: some requests of the workload on the drive with its clock.

use wordline_ftl::functional::BusyDies;
use wordline_metrics::FinishedRequest;
use wordline_units::{Duration, SimTime};
use wordline_workload::{Admission, Client, HostCommand, Source, SourceError};

use super::busy_dies::Busy;
use super::{Carried, Dies, SamplePlan, Sampled, State, Window, Written};
use crate::error::RunError;
use crate::features::Full;
use crate::kernel::Drive;
use crate::observe::finished::Finished;
use crate::progress::Progress;
use crate::run::{AgedDrive, audit, build};
use crate::tenants;

impl Sampled<'_> {
    /// Runs commands with a clock, and measures some of them.
    pub(super) fn measure_now(
        &mut self,
        carried: Carried,
        mut commands: Vec<HostCommand>,
        written: &mut Written,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(Carried, Window), RunError> {
        let dies = carried.ftl.geometry().dies();
        let begins = self.set_times(&mut commands, &carried.state);
        let sent = commands.len() as u64;
        let admission = match self.admission {
            Admission::ClosedLoop { depth } => Admission::Paced { depth, think: None },
            other => other,
        };
        let client = Client::alone(Box::new(Given { commands: sent }), admission);
        let mut tenant = tenants::of(client);
        tenant.ahead = commands;
        tenant.end = Some(Ok(()));
        let aged = AgedDrive::going_on(&self.array, carried.ftl, carried.reliability, begins);
        let mut drive: Drive = build::<Full>(self.config, aged, vec![tenant])?;
        drive.control_mut().take_over(carried.state.jobs);
        drive.go_on_in(carried.state.turns);
        if self.plan.audit {
            audit(self.config, &mut drive, progress)?;
        }
        let done = Finished::default();
        drive.add_probe(Box::new(done.clone()));
        let busy = Busy::of(dies);
        drive.add_probe(Box::new(busy.clone()));
        let mut stops = false;
        let mut look = |state: Progress| {
            let goes_on = progress(state);
            stops |= !goes_on;
            goes_on
        };
        drive.run(&mut look)?;
        if stops {
            return Err(RunError::Interrupted);
        }
        let end = drive.now();
        let done = done.take();
        let window = self.plan.of(&done);
        // the first commands of a window find an idle drive, and behind the last ones fewer and fewer are outstanding: only those between them come at the rate of the load
        let is_whole = sent >= self.plan.length() && window.span > Duration::ZERO;
        let (passed, requests) = if is_whole {
            (window.span, u64::from(self.plan.measured))
        } else {
            (end.since(SimTime::ZERO), sent)
        };
        self.passed.0 += passed;
        self.passed.1 += requests;
        // what is left to do when the last command is sent keeps dies and jobs busy after that
        let last = done.iter().map(|request| request.arrival).max().unwrap_or(end);
        let now = drive.control().lifetime(last);
        let mut busy = busy.take();
        let outstanding = done.iter().map(|request| request.completed);
        busy.ends
            .extend(outstanding.filter(|completed| *completed > last));
        let BusyDies { jobs, host, ends } = &mut busy;
        for time in jobs.iter_mut().chain(host).chain(ends) {
            *time = drive.control().lifetime(*time);
        }
        let ledger = &drive.observe().recorder().ledger;
        written.add(ledger.host_page_writes(), |cause| ledger.pages_programmed(cause));
        let turns = drive.turns();
        let (ftl, jobs, reliability) = drive.into_untimed();
        let carried = Carried {
            ftl,
            reliability,
            state: State {
                jobs,
                now,
                turns,
                dies: Dies::With(busy),
            },
        };
        Ok((carried, window))
    }
}

impl Sampled<'_> {
    /// Has the commands of a window come at times from its beginning on, whose time in the drive's life is returned. In a closed loop the first of them are sent when those outstanding end, all
    /// others when there is room.
    fn set_times(&self, commands: &mut [HostCommand], state: &State) -> SimTime {
        if matches!(self.admission, Admission::ClosedLoop { .. }) {
            let mut ends: Vec<SimTime> = match &state.dies {
                Dies::Without(dies) => dies.ends().map(|end| end.max(state.now)).collect(),
                // a gap lies between any two windows
                Dies::Idle | Dies::With(_) => Vec::new(),
            };
            ends.sort_unstable();
            let times = ends.iter().map(|end| SimTime::ZERO + end.since(state.now));
            for (command, time) in commands
                .iter_mut()
                .zip(times.chain(std::iter::repeat(SimTime::ZERO)))
            {
                command.arrival = time;
            }
            return state.now;
        }
        // time zero of the window is the arrival of its first command
        let arrival = commands.first().map_or(SimTime::ZERO, |command| command.arrival);
        for command in commands {
            command.arrival = SimTime::ZERO + command.arrival.since(arrival);
        }
        if self.keeps_time() {
            state.now.max(self.start + arrival.since(SimTime::ZERO))
        } else {
            state.now
        }
    }
}

impl SamplePlan {
    /// What is measured of the requests of a window, which come in the order of their completions.
    fn of(&self, done: &[FinishedRequest]) -> Window {
        let (from, count) = (self.warm_up as usize, self.measured as usize);
        // requests completed are as many as requests sent
        let completed = |place: usize| match place.checked_sub(1) {
            Some(last) => done[last.min(done.len() - 1)].completed,
            None => SimTime::ZERO,
        };
        let span = completed(from + count).since(completed(from));
        let measured = from as u64..(from + count) as u64;
        let mut requests: Vec<FinishedRequest> = done
            .iter()
            .filter(|request| measured.contains(&request.number))
            .copied()
            .collect();
        requests.sort_unstable_by_key(|request| request.number);
        Window {
            first: 0,
            requests,
            span,
        }
    }
}

/// The source of a client whose commands are all given.
struct Given {
    commands: u64,
}

impl Source for Given {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        Ok(None)
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.commands)
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
