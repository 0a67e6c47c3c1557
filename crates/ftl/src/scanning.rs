//! What recovery reads, erases and programs, executed by a drive with a clock.
//!
//! Around a fresh mapping, which does nothing: what is seen of blocks is what was found on the flash, and two jobs of each die do what is to be done there, so that a die
//! never waits for a plan. A phase begins when all of the one before has ended: after the phases of reads, erases that follow each other are one, and so are programs; that of a root waits for those before it.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use wordline_nand::{BlockId, DieId, Geometry, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockRole, BlockUse};
use crate::contract::Mapping;
use crate::notice::{JobId, JobNotice, JobState, Urgency};
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Target, Work};
use crate::recovery::{FoundFlash, OwnPage, Recovery, RecoveryRead, Repair};
use crate::wrapped::{Wrapped, Wrapper};

/// Steps of a plan.
const STEPS: usize = 32;
/// Jobs of a die.
const JOBS: u32 = 2;

/// When the reads of recovery had ended, if there were any; told while the drive works.
pub type ReadsOver = Arc<OnceLock<SimTime>>;

/// Something that recovery does, in a phase.
#[derive(Clone, Copy)]
struct Task {
    phase: u32,
    work: Work,
}

struct Scanning {
    geometry: Geometry,
    /// Pages of each block that are not erased.
    passed: Vec<u32>,
    /// By die, those of an earlier phase first.
    tasks: Vec<VecDeque<Task>>,
    phase: u32,
    /// Tasks of the phase that have not ended.
    left: usize,
    /// The first phase after those of reads.
    reads_end: u32,
    reads_over: ReadsOver,
    /// Whether jobs have tasks to plan of which no notice was given.
    tells: bool,
}

/// A drive that executes what recovery does to the flash that was found, and nothing else, and when its reads are over. `fresh` is its mapping, of which nothing was
/// asked.
#[must_use]
pub fn with_recovery(
    fresh: Box<dyn Mapping>,
    flash: &dyn FoundFlash,
    recovery: &Recovery,
) -> (Box<dyn Mapping>, ReadsOver) {
    let geometry = *fresh.geometry();
    let reads_end = recovery
        .reads
        .iter()
        .map(|read| read.phase + 1)
        .max()
        .unwrap_or(0);
    let mut tasks = vec![VecDeque::new(); geometry.dies() as usize];
    let die_of = |block| geometry.die_of(geometry.plane_of(block)).index();
    for read in &recovery.reads {
        let work = read.work(&geometry);
        let task = Task {
            phase: read.phase,
            work,
        };
        tasks[die_of(geometry.block_of(read.page))].push_back(task);
    }
    for of_die in &mut tasks {
        of_die.make_contiguous().sort_by_key(|task: &Task| task.phase);
    }
    let mut phase = reads_end;
    let mut kind = None;
    for repair in &recovery.repairs {
        let before = kind.replace(kind_of(repair));
        phase += u32::from(before.is_some_and(|before| before != kind_of(repair)));
        let (block, work) = match repair {
            Repair::Erase(block) => (*block, Work::Erase { block: *block }),
            Repair::Program(page, _) => (
                geometry.block_of(*page),
                Work::Program {
                    target: Target::Page(*page),
                    sectors: geometry.sectors_per_page() as u8,
                    route: Route::Controller,
                },
            ),
        };
        tasks[die_of(block)].push_back(Task { phase, work });
    }
    let blocks = (0..geometry.blocks()).map(BlockId);
    let reads_over = ReadsOver::default();
    let mut scanning = Scanning {
        passed: blocks.map(|block| flash.block(block).passed).collect(),
        tasks,
        phase: 0,
        left: 0,
        reads_end,
        reads_over: Arc::clone(&reads_over),
        tells: false,
        geometry,
    };
    scanning.begin_phase();
    (Box::new(Wrapped::new(fresh, scanning)), reads_over)
}

/// What waits for what it follows: erases, programs, and that of a root, which counts only once the checkpoint that it names is there.
fn kind_of(repair: &Repair) -> u8 {
    match repair {
        Repair::Erase(_) => 0,
        Repair::Program(_, OwnPage::Root { .. }) => 1,
        Repair::Program(..) => 2,
    }
}

impl RecoveryRead {
    fn work(&self, geometry: &Geometry) -> Work {
        Work::Read {
            page: self.page,
            bitmap: if self.whole { geometry.full_bitmap() } else { 0 },
            route: Route::Controller,
        }
    }
}

impl Scanning {
    /// Begins the next phase that has something to do, if there is one.
    fn begin_phase(&mut self) {
        let first = |tasks: &VecDeque<Task>| tasks.front().map(|task| task.phase);
        if let Some(phase) = self.tasks.iter().filter_map(first).min() {
            let of_phase = |task: &&Task| task.phase == phase;
            let starts = |tasks: &VecDeque<Task>| tasks.iter().take_while(of_phase).count();
            self.left = self.tasks.iter().map(starts).sum();
            self.phase = phase;
            self.tells = true;
        }
    }
}

impl Task {
    fn step(self) -> Step {
        Step {
            work: self.work,
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
        let Some(tasks) = self.tasks.get_mut((job.0 / JOBS) as usize) else {
            return JobState::Finished;
        };
        let phase = self.phase;
        let of_phase = |task: &&Task| task.phase == phase;
        let count = tasks.iter().take_while(of_phase).take(STEPS).count();
        plan.extend(tasks.drain(..count).map(Task::step));
        let has_more = !tasks.is_empty();
        match (count, has_more) {
            (1.., _) => JobState::Yielded,
            (0, true) => JobState::Waiting,
            (0, false) => JobState::Finished,
        }
    }

    fn done(&mut self, _inner: &mut dyn Mapping, now: SimTime, step: &Step, page: Option<Ppn>) -> bool {
        match (step.work, page) {
            (Work::Erase { block }, _) => self.passed[block.index()] = 0,
            (_, Some(page)) => {
                let passed = &mut self.passed[self.geometry.block_of(page).index()];
                *passed = (*passed).max(self.geometry.page_in_block(page) + 1);
            }
            _ => {}
        }
        self.left -= 1;
        if self.left == 0 {
            if self.phase + 1 == self.reads_end {
                _ = self.reads_over.set(now);
            }
            self.begin_phase();
        }
        true
    }

    fn block(&self, inner: &dyn Mapping, block: BlockId) -> BlockFacts {
        // of a block are told mapping units, of which pages may hold several
        let units = inner.unit_geometry().pages_per_block;
        let passed = self.passed[block.index()] * (units / self.geometry.pages_per_block);
        BlockFacts {
            role: if passed == 0 {
                BlockRole::Free
            } else {
                BlockRole::Closed
            },
            valid: 0,
            invalid: passed,
            free: units - passed,
            skipped: 0,
            erase_count: inner.block(block).erase_count,
        }
    }

    fn block_use(&self, inner: &dyn Mapping, block: BlockId) -> BlockUse {
        BlockUse::from(self.block(inner, block))
    }
}
