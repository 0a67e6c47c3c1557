//! The reads of recovery, executed by a drive with a clock.
//!
//! Around a fresh mapping, which does nothing: what is seen of blocks is what was found on the flash, and two jobs of each die read its pages, so that a die
//! never waits for a plan. A phase begins when all reads of the one before have ended.

use std::collections::VecDeque;

use wordline_nand::{BlockId, DieId, Geometry, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockRole, BlockUse};
use crate::contract::Mapping;
use crate::notice::{JobId, JobNotice, JobState, Urgency};
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Work};
use crate::recovery::{FoundFlash, RecoveryRead};
use crate::wrapped::{Wrapped, Wrapper};

/// Reads of a plan.
const READS: usize = 32;
/// Jobs of a die.
const JOBS: u32 = 2;

struct Scanning {
    geometry: Geometry,
    /// Pages of each block that are not erased.
    passed: Vec<u32>,
    /// By die, those of an earlier phase first.
    reads: Vec<VecDeque<RecoveryRead>>,
    phase: u32,
    /// Reads of the phase that have not ended.
    left: usize,
    /// Whether jobs have reads to plan of which no notice was given.
    tells: bool,
}

/// A drive that executes the reads of recovery on the flash that was found, and nothing else. `fresh` is its mapping, of which nothing was asked.
#[must_use]
pub fn with_reads(
    fresh: Box<dyn Mapping>,
    flash: &dyn FoundFlash,
    reads: &[RecoveryRead],
) -> Box<dyn Mapping> {
    let geometry = *fresh.geometry();
    let mut of_die = vec![VecDeque::new(); geometry.dies() as usize];
    for read in reads {
        let die = geometry.die_of(geometry.plane_of(geometry.block_of(read.page)));
        of_die[die.index()].push_back(*read);
    }
    for reads in &mut of_die {
        reads.make_contiguous().sort_by_key(|read| read.phase);
    }
    let blocks = (0..geometry.blocks()).map(BlockId);
    let mut scanning = Scanning {
        passed: blocks.map(|block| flash.block(block).passed).collect(),
        reads: of_die,
        phase: 0,
        left: 0,
        tells: false,
        geometry,
    };
    scanning.begin_phase();
    Box::new(Wrapped::new(fresh, scanning))
}

impl Scanning {
    /// Begins the next phase that has reads, if there is one.
    fn begin_phase(&mut self) {
        let first = |reads: &VecDeque<RecoveryRead>| reads.front().map(|read| read.phase);
        if let Some(phase) = self.reads.iter().filter_map(first).min() {
            let of_phase = |read: &&RecoveryRead| read.phase == phase;
            self.left = self.reads.iter().flatten().filter(of_phase).count();
            self.phase = phase;
            self.tells = true;
        }
    }

    fn step(&self, read: RecoveryRead) -> Step {
        Step {
            work: Work::Read {
                page: read.page,
                bitmap: if read.whole {
                    self.geometry.full_bitmap()
                } else {
                    0
                },
                route: Route::Controller,
            },
            cause: Cause::Recovery,
            acknowledges: false,
            after: 0,
            lpn: Lpn(0),
            token: u32::MAX,
        }
    }
}

impl Wrapper for Scanning {
    fn notices(&mut self, _inner: &mut dyn Mapping, notices: &mut Vec<JobNotice>) {
        if !std::mem::replace(&mut self.tells, false) {
            return;
        }
        for job in 0..JOBS * self.geometry.dies() {
            notices.push(JobNotice {
                job: JobId(job),
                scope: Scope::Die(DieId(job / JOBS)),
                urgency: Urgency::Normal,
                not_before: SimTime::ZERO,
            });
        }
    }

    fn advance(&mut self, _inner: &mut dyn Mapping, _now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let Some(reads) = self.reads.get_mut((job.0 / JOBS) as usize) else {
            return JobState::Finished;
        };
        let phase = self.phase;
        let of_phase = |read: &&RecoveryRead| read.phase == phase;
        let count = reads.iter().take_while(of_phase).take(READS).count();
        let next: Vec<RecoveryRead> = reads.drain(..count).collect();
        let has_more = !reads.is_empty();
        plan.extend(next.into_iter().map(|read| self.step(read)));
        match (count, has_more) {
            (1.., _) => JobState::Yielded,
            (0, true) => JobState::Waiting,
            (0, false) => JobState::Finished,
        }
    }

    fn done(&mut self, _inner: &mut dyn Mapping, _now: SimTime, _step: &Step, _page: Option<Ppn>) -> bool {
        self.left -= 1;
        if self.left == 0 {
            self.begin_phase();
        }
        true
    }

    fn block(&self, inner: &dyn Mapping, block: BlockId) -> BlockFacts {
        let passed = self.passed[block.index()];
        BlockFacts {
            role: if passed == 0 {
                BlockRole::Free
            } else {
                BlockRole::Closed
            },
            valid: 0,
            invalid: passed,
            free: self.geometry.pages_per_block - passed,
            skipped: 0,
            erase_count: inner.block(block).erase_count,
        }
    }

    fn block_use(&self, inner: &dyn Mapping, block: BlockId) -> BlockUse {
        BlockUse::from(self.block(inner, block))
    }
}
