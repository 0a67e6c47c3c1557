//! Requests between two windows: executed without a clock, one after the other.

use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions, Observer};
use wordline_ftl::{Ahead, Lpn, Mapping};
use wordline_units::{Duration, SimTime};
use wordline_workload::{HostCommand, HostOp};

use super::{Carried, Dies, Sampled, State, Written};
use crate::error::RunError;
use crate::host::cut::Cutter;

/// So many commands before a page is looked up, its entry of the map is fetched into the cache (assumed: the time of a few misses).
const FAR_AHEAD: usize = 16;

/// So many commands before a page is written, the entry of where it was is fetched: that of the map is there then.
const AHEAD: usize = 8;

/// How time goes on while there is no clock.
#[derive(Clone, Copy)]
enum Time {
    /// Each command comes at its arrival after this time.
    Arrivals(SimTime),
    /// Each command takes so long, as those of the windows did.
    Command(Duration),
    /// Each page written takes so long: nothing was measured yet.
    Write(Duration),
    /// So many commands are outstanding, each of which takes its time on the dies.
    Loop(u32),
}

impl Sampled<'_> {
    /// Executes commands without a clock.
    pub(super) fn execute_now(
        &mut self,
        carried: &mut Carried,
        commands: &[HostCommand],
        written: &mut Written,
    ) -> Result<(), RunError> {
        let (passed, requests) = self.passed;
        let time = if self.keeps_time() {
            Time::Arrivals(self.start)
        } else if let Some(depth) = self.closed_loop() {
            Time::Loop(depth)
        } else if let Some(mean) = passed.ns().checked_div(requests) {
            Time::Command(Duration(mean))
        } else {
            Time::Write(self.config.age.time_per_write)
        };
        let options = FunctionalOptions {
            time_per_write: match time {
                Time::Write(time) => time,
                Time::Arrivals(_) | Time::Command(_) | Time::Loop(_) => Duration::ZERO,
            },
            depth: match time {
                Time::Loop(depth) => depth,
                Time::Arrivals(_) | Time::Command(_) | Time::Write(_) => 0,
            },
            order: self.config.array_allocation().order,
            pace: self.plan.paced.then(|| self.array.pace(self.moves)),
            ..FunctionalOptions::default()
        };
        let how = (&self.cutter, time, self.stretch(), self.plan.paced);
        let Carried {
            ftl,
            reliability,
            state,
        } = carried;
        let ftl = &mut **ftl;
        // a drive without reliability need not observe anything
        match reliability {
            Some(reliability) => {
                let functional = Functional::observed(ftl, options, &mut **reliability);
                play(functional, how, commands, state, written)
            }
            None => play(Functional::new(ftl, options), how, commands, state, written),
        }
        .map_err(RunError::Functional)?;
        if let Dies::Without(dies) = &mut state.dies {
            let (length, commands) = dies.take_served();
            self.served = (self.served.0 + length, self.served.1 + commands);
        }
        Ok(())
    }

    /// By what the times that dies need for the commands of a closed loop are multiplied, so that these take as long between windows as within: buses, links and the order of waiting
    /// operations are not known between them.
    fn stretch(&self) -> f64 {
        let ((passed, requests), (served, commands)) = (self.passed, self.served);
        match self.closed_loop() {
            Some(depth) if requests > 0 && served > 0 => {
                let measured = passed.ns() as f64 / requests as f64 * f64::from(depth);
                measured / (served as f64 / commands as f64)
            }
            _ => 1.0,
        }
    }
}

/// Executes commands from a state on, which is brought up to their end.
fn play<O: Observer>(
    mut functional: Functional<'_, dyn Mapping, O>,
    (cutter, time, stretch, is_paced): (&Cutter, Time, f64, bool),
    commands: &[HostCommand],
    state: &mut State,
    written: &mut Written,
) -> Result<(), FunctionalError> {
    let now = state.now;
    functional.advance_to(now);
    functional.take_over(state.jobs.iter().copied());
    if is_paced {
        functional.choose_by(state.turns.clone());
    }
    match std::mem::replace(&mut state.dies, Dies::Idle) {
        Dies::Idle => {}
        Dies::Without(dies) => functional.go_on_with(dies),
        Dies::With(busy) => functional.go_on_after(busy, &state.jobs),
    }
    functional.dies_mut().stretch(stretch);
    for ((at, command), number) in commands.iter().enumerate().zip(1..) {
        if let Some(later) = commands.get(at + FAR_AHEAD) {
            let lpn = Lpn(cutter.page_of(later.sector));
            functional.ftl().prefetch(lpn, Ahead::Far);
        }
        if let Some(sooner) = commands.get(at + AHEAD)
            && sooner.op == HostOp::Write
        {
            let lpn = Lpn(cutter.page_of(sooner.sector));
            functional.ftl().prefetch(lpn, Ahead::Near);
        }
        match time {
            Time::Arrivals(start) => functional.advance_to(start + command.arrival.since(SimTime::ZERO)),
            Time::Command(step) => functional.advance_to(now + step * number),
            Time::Loop(_) => functional.begin_command(),
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
        functional.end_command();
    }
    let counts = functional.counts();
    written.add(counts.host_writes, |cause| counts.programmed(cause));
    state.dies = Dies::Without(functional.take_dies());
    if let Some(turns) = functional.take_turns() {
        state.turns = turns;
    }
    state.now = functional.now();
    state.jobs = functional.hand_over();
    Ok(())
}
