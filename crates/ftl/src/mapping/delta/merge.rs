//! Merges: a page and its delta become a page (specification, section 3).

use rustc_hash::FxHashSet;

use super::DeltaFtl;
use super::log::Log;
use super::steps::{code, program, read};
use super::tasks::{Task, Why};
use crate::inflight::{InFlight, NO_TOKEN};
use crate::map::HostMap;
use crate::notice::JobState;
use crate::plan::HOST;
use crate::plan::{Cause, Lpn, Plan, Step};

/// Most merges of a plan.
const MOST_MERGES: usize = 8;

/// What is asked before a page is merged.
pub(super) struct Merging<'a> {
    pub(super) log: &'a Log,
    pub(super) merging: &'a FxHashSet<u64>,
    pub(super) inflight: &'a InFlight,
}

impl Merging<'_> {
    /// Whether a page has a delta, and nothing of it is under way that relies on its base.
    pub(super) fn is_possible(&self, lpn: u64) -> bool {
        self.log.get(lpn).is_some() && !self.merging.contains(&lpn) && self.inflight.pending(lpn).is_none()
    }
}

impl DeltaFtl {
    /// The program with which a page takes the place of its base and delta, as a write of the host would.
    pub(super) fn begin_merge(&mut self, lpn: u64, stamp: u64, why: Why) -> Step {
        self.merging.insert(lpn);
        let task = Task::Merge {
            lpn,
            stamp,
            pool: None,
            why,
        };
        let token = self.tasks.add(task);
        let sectors = crate::map::Relocate::sectors(&self.data.map, lpn);
        let target = (HOST, self.data.placement.scope(Lpn(lpn)));
        program(target, sectors, Cause::Merge, lpn, token)
    }

    /// The job that merges pages which are no longer write-hot: its next plan.
    pub(super) fn merge_cold(&mut self, plan: &mut Plan) -> JobState {
        let mut merges = 0;
        while merges < MOST_MERGES
            && let Some(lpn) = self.cold.pop_front()
        {
            let (Some(delta), Some((page, valid))) = (self.log.get(lpn), self.data.map.get(lpn)) else {
                continue;
            };
            let hot = self.accesses.get(lpn);
            if hot.is_some_and(|counts| counts.writes >= self.keys.hot_threshold) || !self.may_merge(lpn) {
                continue;
            }
            merges += 1;
            let after = read(plan, page, valid, Cause::Merge, lpn) | self.read_delta(lpn, plan);
            let decoded = code(plan, self.decoding(page, Cause::Merge), after, lpn, NO_TOKEN);
            let last = self.begin_merge(lpn, delta.stamp, Why::Cold);
            plan.push(Step {
                after: decoded,
                ..last
            });
        }
        if plan.is_empty() {
            self.cold_noticed = false;
            JobState::Finished
        } else {
            JobState::Yielded
        }
    }
}
