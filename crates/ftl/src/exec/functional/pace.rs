//! Jobs that take time although there is no clock.
//!
//! Without a pace, a job of blocking urgency is over before the next command. A drive with a clock is collected beside the commands of the host: at any
//! moment some of its pools are in the middle of it, and their dies take no writes. Where such a drive is to go on from here, jobs are given a pace for a
//! while before: the steps of a plan take their time on the dies of its job, one after the other, the next plan is asked for after
//! that, and programs of the host go to other dies where they may. Nothing waits for a bus.
//!
//! A closed loop is as fast as its commands are served: while many dies are collected, commands wait, and fewer pages are written than while few are. Without that, collection that has come
//! together stays together. So commands of a closed loop take their time on dies too: the next one is sent when the first of those outstanding ends.

use std::cmp::Reverse;
use std::ops::Range;

use wordline_nand::{PlaneId, Ppn};
use wordline_units::Duration;

use super::die_times::{BusyDies, DieTimes, Duty};
use super::{Functional, FunctionalError, Observer, Pace};
use crate::allocation::ChannelTurns;
use crate::contract::{Ftl, Relocated};
use crate::notice::{JobNotice, Urgency};
use crate::plan::{Cause, Plan, Scope, Work};

impl Pace {
    /// How long the step takes still that a die is in, of whose jobs so much is left: pages that are moved, and after them an erase of this length, or none. Pages that are moved without being
    /// read count as if they were.
    fn left_of_step(&self, left: Duration, erase: Duration) -> Duration {
        let Some(moves) = left.ns().checked_sub(erase.ns()).filter(|moves| *moves > 0) else {
            return left;
        };
        let program = self.program.ns();
        let left = moves % (self.read.ns() + program).max(1);
        Duration(left.checked_sub(program).unwrap_or(left))
    }
}

impl<F: Ftl + ?Sized, O: Observer> Functional<'_, F, O> {
    /// How long the plan of a job takes on the dies of its scope, among which its steps are taken to be spread evenly; and how long the erase with which it ends, if it does.
    pub(super) fn length_of(&self, plan: &Plan, scope: Scope) -> (Duration, Duration) {
        let Some(pace) = self.options.pace else {
            return (Duration::ZERO, Duration::ZERO);
        };
        let length = |work: &Work| match work {
            Work::Read { .. } => pace.read.ns(),
            Work::Program { .. } => pace.program.ns(),
            Work::CopyBack { .. } => pace.read.ns() + pace.program.ns(),
            Work::Erase { .. } => pace.erase.ns(),
            Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => 0,
        };
        let all: u64 = plan.iter().map(|step| length(&step.work)).sum();
        let length = Duration(all / self.dies_of(scope).len().max(1) as u64);
        let erases = plan.iter().any(|step| matches!(step.work, Work::Erase { .. }));
        (
            length,
            if erases {
                pace.erase.min(length)
            } else {
                Duration::ZERO
            },
        )
    }

    /// How many pages a job moves at once: where jobs take time no more than one plan may hold.
    pub(super) fn moves_at_once(&self) -> usize {
        self.options.pace.map_or(usize::MAX, |pace| pace.moves)
    }

    /// The same of the pages that were just moved without a plan.
    #[inline]
    pub(super) fn keep_busy_with_moves(&mut self, notice: &JobNotice) {
        let Some(pace) = self.options.pace else {
            return;
        };
        let Relocated { from, read, to } = &self.relocated;
        let pages: u64 = to.iter().map(|run| u64::from(run.pages)).sum();
        let reads = if from.is_empty() { read.len() } else { from.len() } as u64;
        if pages + reads > 0 {
            let all = reads * pace.read.ns() + pages * pace.program.ns();
            let length = Duration(all / self.dies_of(notice.scope).len().max(1) as u64);
            self.keep_busy(notice, length, Duration::ZERO);
        }
    }

    /// The dies of a scope are busy with a plan of a job for so long, of which an erase takes this much at the end, after what they are busy with; the job is not asked before the end. Called before the
    /// plan is said to be done, so that the job is held when it is to be queued again.
    pub(super) fn keep_busy(&mut self, notice: &JobNotice, length: Duration, erase: Duration) {
        if !self.dies.are_kept() {
            return;
        }
        let dies = self.dies_of(notice.scope);
        let now = self.now;
        let DieTimes {
            jobs,
            of,
            host,
            erase: erases,
            ..
        } = &mut self.dies;
        // a job that begins waits for what the die does for commands; one that goes on was asked at its time, and has waited for them
        let free = dies.clone().map(|die| {
            if jobs[die] > now || of[die] == Some(notice.job) && jobs[die] == now {
                jobs[die]
            } else {
                host[die].max(now)
            }
        });
        let until = free.max().unwrap_or(now) + length;
        for die in dies {
            jobs[die] = until;
            of[die] = Some(notice.job);
            erases[die] = erase;
        }
        self.jobs.hold(notice.job, until);
    }

    /// Finishes the blocking jobs that may run by now.
    #[inline]
    pub(super) fn finish_blocking(&mut self) -> Result<(), FunctionalError> {
        if !self.dies.are_kept() {
            return self.finish_blocking_now();
        }
        if self
            .jobs
            .next_due(Urgency::Blocking)
            .is_some_and(|due| due <= self.now)
        {
            return self.finish_blocking_in_time();
        }
        self.dies.asked = self.now;
        Ok(())
    }

    #[inline]
    fn finish_blocking_now(&mut self) -> Result<(), FunctionalError> {
        while let Some(notice) = self.jobs.take(Urgency::Blocking, self.now) {
            self.advance(notice)?;
        }
        Ok(())
    }

    /// Finishes the blocking jobs that may run by now, each asked at its time: were it asked with the next command only, it would wait between any two of its steps, which a die does not.
    fn finish_blocking_in_time(&mut self) -> Result<(), FunctionalError> {
        let now = self.now;
        self.now = self.dies.asked.min(now);
        loop {
            self.dies.asked = self.now;
            self.finish_blocking_now()?;
            match self.jobs.next_due(Urgency::Blocking) {
                Some(due) if due <= now => self.now = due.max(self.now),
                _ => break,
            }
        }
        self.now = now;
        self.dies.asked = now;
        Ok(())
    }

    /// The plane of a scope whose turn it is among those that take the next program of the host.
    pub(super) fn next_idle(&mut self, scope: Scope) -> Option<PlaneId> {
        let free = self.dies.next_free(self.now);
        let kept = self.dies.kept(&self.geometry, self.now, free);
        self.turns.next_idle(scope, |plane| kept.is_idle(plane))
    }

    /// The next command of a closed loop is sent: at once, or when the first of those outstanding ends.
    pub fn begin_command(&mut self) {
        if self.dies.ends.len() >= self.dies.depth.max(1)
            && let Some(Reverse(end)) = self.dies.ends.pop()
        {
            self.advance_to(end);
        }
        self.dies.end = self.now;
    }

    /// All operations of the command were executed.
    pub fn end_command(&mut self) {
        let dies = &mut self.dies;
        if dies.depth > 0 {
            let length = dies.end.since(self.now).ns();
            dies.served = (dies.served.0 + length, dies.served.1 + 1);
            let stretched = Duration((length as f64 * dies.stretch) as u64);
            dies.ends.push(Reverse(self.now + stretched));
        }
    }

    /// A write waits until the first die has done its step of a job, where jobs keep all dies busy: with a clock too, programs of the host wait for blocking collection, and
    /// collection goes on without them. Otherwise dies that are collected together stay together. What comes meanwhile waits behind it. Returns whether it waited: the job may want another step then.
    pub(super) fn waits_for_an_idle_die(&mut self) -> bool {
        let until = self.dies.all_kept_until(self.now);
        if let Some(until) = until {
            self.advance_to(until);
        }
        until.is_some()
    }

    /// A die serves a command.
    #[inline]
    pub(super) fn serve_host(&mut self, cause: Cause, page: Ppn, duty: Duty) {
        if self.dies.are_kept() && cause == Cause::Host {
            self.serve_command(page, duty);
        }
    }

    /// A command waits for what its die does: of a job for the step that it is in, as the command is older than the next step and goes first. The job takes so much
    /// longer. Programs only come to such a die where none is idle.
    fn serve_command(&mut self, page: Ppn, duty: Duty) {
        let Some(pace) = self.options.pace else {
            return;
        };
        let length = match duty {
            Duty::Read => pace.read,
            Duty::Program => pace.program,
        };
        let plane = self.geometry.plane_of(self.geometry.block_of(page));
        let die = self.geometry.die_of(plane).index();
        let DieTimes {
            jobs,
            of,
            host,
            end,
            erase,
            ..
        } = &mut self.dies;
        let mut begins = self.now.max(host[die]);
        if jobs[die] > self.now {
            let step = pace.left_of_step(jobs[die].since(self.now), erase[die]);
            jobs[die] += length;
            if let Some(job) = of[die] {
                self.jobs.hold(job, jobs[die]);
            }
            begins = begins.max(self.now + step);
        }
        host[die] = begins + length;
        *end = host[die].max(*end);
    }

    /// Channels take turns for what the host programs anywhere in the drive.
    pub fn choose_by(&mut self, turns: ChannelTurns) {
        self.turns.by_channels(turns);
    }

    /// These turns, where there are any, for who goes on.
    pub fn take_turns(&mut self) -> Option<ChannelTurns> {
        self.turns.take_channels()
    }

    /// Until when dies are busy.
    pub fn dies_mut(&mut self) -> &mut DieTimes {
        &mut self.dies
    }

    /// Until when dies are busy and jobs are held, for the executor of the same options that goes on without a clock.
    pub fn take_dies(&mut self) -> DieTimes {
        self.dies.held = self.jobs.held();
        std::mem::take(&mut self.dies)
    }

    /// Goes on with what another executor of the same options has left.
    pub fn go_on_with(&mut self, mut dies: DieTimes) {
        for (job, until) in std::mem::take(&mut dies.held) {
            self.jobs.hold(job, until);
        }
        dies.asked = self.now;
        self.dies = dies;
    }

    /// Goes on with the jobs of a drive with a clock from where it sent its last command: what its dies did after that for jobs and for the host keeps them busy here.
    pub fn go_on_after(&mut self, busy: BusyDies, jobs: &[JobNotice]) {
        if !self.dies.are_kept() {
            return;
        }
        for notice in jobs.iter().filter(|notice| notice.urgency == Urgency::Blocking) {
            let dies = self.dies_of(notice.scope);
            let until = busy.jobs[dies.clone()].iter().max().copied();
            self.jobs.hold(notice.job, until.unwrap_or(self.now));
            for die in dies {
                self.dies.of[die] = Some(notice.job);
            }
        }
        self.dies.erase.fill(Duration::ZERO);
        self.dies.jobs = busy.jobs;
        self.dies.host = busy.host;
        if self.dies.depth > 0 {
            self.dies.ends = busy.ends.into_iter().map(Reverse).collect();
        }
    }

    fn dies_of(&self, scope: Scope) -> Range<usize> {
        let planes = scope.planes(&self.geometry);
        let per_die = self.geometry.planes_per_die;
        (planes.start / per_die) as usize..planes.end.div_ceil(per_die) as usize
    }
}

#[cfg(test)]
mod tests;
