//! Jobs that take time although there is no clock.
//!
//! Without a pace, a job of blocking urgency is over before the next command. A drive with a clock is collected beside the commands of the host: at any
//! moment some of its pools are in the middle of it, and their dies take no writes. Where such a drive is to go on from here, jobs are given a pace for a
//! while before: the steps of a plan take their time on the dies of its job, one after the other, the next plan is asked for after
//! that, and programs of the host go to other dies where they may. Nothing waits for a bus.

use wordline_nand::PlaneId;
use wordline_units::Duration;

use super::{Functional, Observer};
use crate::contract::{Ftl, Relocated};
use crate::notice::JobNotice;
use crate::plan::{Plan, Scope, Work};

/// Pages that a job moves at a time where it takes time and needs no plan (assumed: a twelfth to a third of the moves of a block of usual size, so that jobs are
/// well divided, in few calls).
const MOVES: usize = 16;

impl<F: Ftl + ?Sized, O: Observer> Functional<'_, F, O> {
    /// How long the plan of a job takes on the dies of its scope, among which its steps are taken to be spread evenly.
    pub(super) fn length_of(&self, plan: &Plan, scope: Scope) -> Duration {
        let Some(pace) = self.options.pace else {
            return Duration::ZERO;
        };
        let length = |work: &Work| match work {
            Work::Read { .. } => pace.read.ns(),
            Work::Program { .. } => pace.program.ns(),
            Work::CopyBack { .. } => pace.read.ns() + pace.program.ns(),
            Work::Erase { .. } => pace.erase.ns(),
            Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => 0,
        };
        let all: u64 = plan.iter().map(|step| length(&step.work)).sum();
        Duration(all / self.dies_of(scope).count().max(1) as u64)
    }

    /// How many pages a job moves at once: where jobs take time no more than one plan may hold.
    pub(super) fn moves_at_once(&self) -> usize {
        if self.options.pace.is_some() {
            MOVES
        } else {
            usize::MAX
        }
    }

    /// The same of pages that were moved without a plan. It comes before the end of the job's plan, so that the job is held when it is queued again.
    pub(super) fn keep_busy_with(&mut self, notice: &JobNotice, relocated: &Relocated) {
        let Some(pace) = self.options.pace else {
            return;
        };
        let pages: u64 = relocated.to.iter().map(|run| u64::from(run.pages)).sum();
        let reads = if relocated.from.is_empty() {
            relocated.read.len()
        } else {
            relocated.from.len()
        } as u64;
        if pages + reads > 0 {
            let all = reads * pace.read.ns() + pages * pace.program.ns();
            let length = Duration(all / self.dies_of(notice.scope).count().max(1) as u64);
            self.keep_busy(notice, length);
        }
    }

    /// The dies of a scope are busy with a plan of a job for so long, after what they are busy with; the job is not asked before the end.
    pub(super) fn keep_busy(&mut self, notice: &JobNotice, length: Duration) {
        if self.busy.is_empty() {
            return;
        }
        let dies: Vec<usize> = self.dies_of(notice.scope).collect();
        let from = dies.iter().map(|die| self.busy[*die]).max().unwrap_or_default();
        let until = from.max(self.now) + length;
        for die in dies {
            self.busy[die] = until;
        }
        self.jobs.hold(notice.job, until);
    }

    /// Whether a job keeps the die of a plane from the host.
    pub(super) fn is_busy(&self, plane: PlaneId) -> bool {
        self.busy[self.geometry.die_of(plane).index()] > self.now
    }

    fn dies_of(&self, scope: Scope) -> impl Iterator<Item = usize> {
        let planes = scope.planes(&self.geometry);
        let per_die = self.geometry.planes_per_die;
        (planes.start / per_die..planes.end.div_ceil(per_die)).map(|die| die as usize)
    }
}
