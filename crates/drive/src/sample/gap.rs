//! Requests between two windows: executed without a clock, one after the other.

use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions, Observer};
use wordline_ftl::{JobNotice, Mapping};
use wordline_units::{Duration, SimTime};
use wordline_workload::HostCommand;

use super::{Carried, Sampled, Written};
use crate::error::RunError;
use crate::host::cut::Cutter;

/// How time goes on while there is no clock.
#[derive(Clone, Copy)]
enum Time {
    /// Each command comes at its arrival after this time.
    Arrivals(SimTime),
    /// Each command takes so long, as those of the windows did.
    Command(Duration),
    /// Each page written takes so long: nothing was measured yet.
    Write(Duration),
}

impl Sampled<'_> {
    /// Executes commands without a clock.
    pub(super) fn execute_now(
        &self,
        carried: &mut Carried,
        commands: &[HostCommand],
        written: &mut Written,
    ) -> Result<(), RunError> {
        let (passed, requests) = self.passed;
        let time = if self.keeps_time() {
            Time::Arrivals(self.start)
        } else if let Some(mean) = passed.ns().checked_div(requests) {
            Time::Command(Duration(mean))
        } else {
            Time::Write(self.config.age.time_per_write)
        };
        let options = FunctionalOptions {
            time_per_write: match time {
                Time::Write(time) => time,
                Time::Arrivals(_) | Time::Command(_) => Duration::ZERO,
            },
            order: self.config.array_allocation().order,
            pace: self.plan.paced.then(|| self.array.pace()),
            ..FunctionalOptions::default()
        };
        let how = (&self.cutter, time);
        let Carried {
            ftl,
            jobs,
            reliability,
            now,
        } = carried;
        let ftl = &mut **ftl;
        // a drive without reliability need not observe anything
        let (end, waiting) = match reliability {
            Some(reliability) => {
                let functional = Functional::observed(ftl, options, &mut **reliability);
                play(functional, how, commands, (jobs, *now), written)
            }
            None => play(
                Functional::new(ftl, options),
                how,
                commands,
                (jobs, *now),
                written,
            ),
        }
        .map_err(RunError::Functional)?;
        (*now, *jobs) = (end, waiting);
        Ok(())
    }
}

/// Executes commands from a time of the drive's life on, with the jobs that want to be asked: tells the time when they are done,
/// and the jobs then.
fn play<O: Observer>(
    mut functional: Functional<'_, dyn Mapping, O>,
    (cutter, time): (&Cutter, Time),
    commands: &[HostCommand],
    (jobs, now): (&[JobNotice], SimTime),
    written: &mut Written,
) -> Result<(SimTime, Vec<JobNotice>), FunctionalError> {
    functional.advance_to(now);
    functional.take_over(jobs.iter().copied());
    for (number, command) in (1..).zip(commands) {
        match time {
            Time::Arrivals(start) => functional.advance_to(start + command.arrival.since(SimTime::ZERO)),
            Time::Command(step) => functional.advance_to(now + step * number),
            Time::Write(_) => {}
        }
        for part in 0..cutter.commands_in(command) {
            let command = cutter.part(*command, part);
            match cutter.op_of(&command) {
                _ if cutter.is_beyond(&command) => {}
                Some(op) => {
                    for piece in cutter.pieces(&command, op) {
                        functional.submit(&piece)?;
                    }
                }
                None => functional.flush()?,
            }
        }
    }
    let counts = functional.counts();
    written.add(counts.host_writes, |cause| counts.programmed(cause));
    Ok((functional.now(), functional.hand_over()))
}
