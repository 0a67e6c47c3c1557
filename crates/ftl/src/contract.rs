//! The contract between an FTL and whoever executes its plans.

use std::path::Path;

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::facts::Facts;
use crate::plan::{Lpn, Plan, Scope, Step};
use crate::snapshot::SnapshotError;
use crate::turns::Turns;

/// What is asked of one logical page (or, for TRIM, of a run of whole pages).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PageOp {
    /// Read the marked sub-pages.
    Read,
    /// Write the marked sub-pages.
    Write,
    /// Forget the marked sub-pages.
    Trim,
}

/// A page-sized piece of a host command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// What is asked.
    pub op: PageOp,
    /// The (first) logical page.
    pub lpn: Lpn,
    /// Logical pages covered: 1, or more for a TRIM of whole pages.
    pub pages: u64,
    /// The sub-pages concerned: bit i stands for sector i of the page.
    pub bitmap: u64,
    /// Placement handle of the command; 0 is none.
    pub placement: u16,
    /// Sectors of the whole command (size-based placement reads it).
    pub command_sectors: u32,
}

/// A request for whole logical pages, and when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedRequest {
    /// When it comes.
    pub at: SimTime,
    /// What is asked.
    pub op: PageOp,
    /// The (first) logical page.
    pub lpn: Lpn,
    /// Logical pages: 1, or more for a TRIM.
    pub pages: u64,
}

/// How an FTL answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepted; the plan holds the steps (none: it has taken effect already).
    Accepted,
    /// A read whose data are still in the controller, on their way to flash.
    InMemory,
    /// A read of sub-pages that hold no data: zeroes, without touching flash.
    Unmapped,
    /// An earlier write of the page must take effect first: submit again after a step of that
    /// logical page is done.
    Wait,
    /// Refused by the rules of the interface (zones, read-only drive).
    Refused(Refusal),
}

/// An interface's own refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The drive has no usable spare blocks left.
    ReadOnly,
    /// Beyond the exported capacity.
    OutOfRange,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As wanted.
    Good,
    /// A program or erase failed.
    Failed,
    /// A read could not be corrected.
    Uncorrectable,
    /// The step was not started: `Ftl::bind` declined it. The FTL answers with other steps.
    Declined,
}

/// A page chosen for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The page to program.
    pub page: Ppn,
    /// Pages of its block given up without being programmed to get there.
    pub skipped: u32,
}

/// How an FTL answers when a program on a frontier is about to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// Program this page.
    Page(Bound),
    /// The plane has no page for this frontier now; ask again when space was freed.
    NoSpace,
    /// Do not run this step at all (a wise copy-back whose parity does not fit): report it as
    /// `Outcome::Declined`.
    Declined,
}

/// Numbers a job; stable while the job is alive, and reused afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobId(pub u32);

/// How pressing a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Urgency {
    /// Only when its scope is idle.
    Idle,
    /// Beside host commands, which go first.
    Normal,
    /// Ahead of host writes: they wait for the space it makes.
    Blocking,
}

/// A job that wants to be asked for its next plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobNotice {
    /// Which job.
    pub job: JobId,
    /// The planes it works on.
    pub scope: Scope,
    /// How pressing it is now; a later notice of the same job replaces an earlier one.
    pub urgency: Urgency,
    /// Not to be asked before this time.
    pub not_before: SimTime,
}

/// What a job says when it was asked for its next plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It gave steps; ask again when they are done.
    Yielded,
    /// Nothing to do until it gives notice again.
    Waiting,
    /// It is over.
    Finished,
}

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BlockRole {
    /// Erased and in a free pool.
    Free,
    /// Partly written and still written to.
    Open,
    /// Written, or given up; a candidate for collection.
    Closed,
    /// Not to be used.
    Bad,
}

/// The state of one block, for tables, wear maps and the auditor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    /// What it is used for.
    pub role: BlockRole,
    /// Pages that hold the current version of a logical page.
    pub valid: u32,
    /// Programmed pages that do not.
    pub invalid: u32,
    /// Pages not passed yet.
    pub free: u32,
    /// Pages given up without being programmed.
    pub skipped: u32,
    /// Times the block was erased.
    pub erase_count: u32,
}

/// The free space of a collection pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanSpace {
    /// Free blocks now.
    pub free: u32,
    /// Free blocks below which collection starts.
    pub trigger: u32,
    /// Blocks of the pool.
    pub blocks: u32,
}

/// Pages of the drive by state; they sum to all its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Pages that hold the current version of a logical page.
    pub valid: u64,
    /// Programmed pages that do not.
    pub invalid: u64,
    /// Pages not passed yet.
    pub free: u64,
    /// Pages given up without being programmed.
    pub skipped: u64,
    /// Logical pages that are mapped.
    pub mapped: u64,
}

/// Pages that were moved, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relocated {
    /// Where they were.
    pub from: Vec<Ppn>,
    /// Where they are, in runs of successive pages: the first of a run, and how many there are.
    pub to: Vec<(Ppn, u32)>,
}

/// A flash translation layer.
///
/// Who executes: submits page requests in admission order; runs the steps of each plan when
/// their dependencies are done; calls `bind` when a program on a frontier starts; calls `done`
/// for every step, exactly once; drains `notices` after each call and asks the jobs for plans.
pub trait Ftl: Send {
    /// The array that the FTL works on.
    fn geometry(&self) -> &Geometry;

    /// Logical pages that the drive exports.
    fn user_pages(&self) -> u64;

    /// Hears that a request for a logical page is about to come: a chance to fetch what will be
    /// needed into the cache. Changes nothing that can be observed.
    fn expect(&self, _lpn: Lpn) {}

    /// Hears that a request for a logical page that `expect` was told of is next but for a few.
    fn expect_soon(&self, _lpn: Lpn) {}

    /// Writes whole logical pages one after the other, each at its time but not before `now`, to the plane whose turn it
    /// is, for as long as that is all that there is to do: as `submit`, `bind` and `done` would with nothing between them.
    /// Says where they went. Ends before a request that asks for more than that, and after a write that gives a job work.
    /// For who executes at once.
    fn write_at_once(
        &mut self,
        _now: SimTime,
        _requests: &[TimedRequest],
        _turns: &mut Turns,
        _written: &mut Vec<Ppn>,
    ) {
    }

    /// Moves pages for a job of blocking urgency, as far as `advance`, `bind` and `done` would with nothing between them,
    /// and says which (`relocated` is empty on entry); the rest of the job is left to them. For who executes at once.
    fn relocate_at_once(
        &mut self,
        _now: SimTime,
        _job: JobId,
        _turns: &mut Turns,
        _relocated: &mut Relocated,
    ) {
    }

    /// Serves one page request: appends steps to `plan` (empty on entry).
    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer;

    /// Chooses the page for a program or copy-back of `step` that is about to start in `plane`.
    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind;

    /// Chooses aligned pages for one multi-plane program of the steps that `pairs` names with
    /// their planes (of one die, distinct, oldest step first). On success writes one entry per
    /// pair to `bound`, `None` for a pair that cannot be aligned, at least two `Some`. Returns
    /// false, and changes nothing, where no two can be aligned.
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool;

    /// Tells how a step ended and, for a program or copy-back, at which page; commits the map.
    /// May append further steps to `plan` (empty on entry).
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan);

    /// Moves the pending job notices to the end of `notices`.
    fn notices(&mut self, notices: &mut Vec<JobNotice>);

    /// Asks a job for its next plan (`plan` is empty on entry).
    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState;

    /// Where a logical page is, if it is mapped.
    fn lookup(&self, lpn: Lpn) -> Option<Ppn>;

    /// Logical pages that are mapped, counted afresh.
    fn mapped_pages(&self) -> u64 {
        (0..self.user_pages())
            .filter(|lpn| self.lookup(Lpn(*lpn)).is_some())
            .count() as u64
    }

    /// The logical page whose current version a physical page holds.
    fn owner(&self, page: Ppn) -> Option<Lpn>;

    /// The sub-pages of a logical page that hold data.
    fn valid_sectors(&self, lpn: Lpn) -> u64;

    /// The state of a block.
    fn block(&self, block: BlockId) -> BlockFacts;

    /// The free space of the pool that a plane belongs to; none where there is no collection.
    fn clean_space(&self, _plane: PlaneId) -> Option<CleanSpace> {
        None
    }

    /// What the FTL has counted since the run began.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Saves the state of the drive at time `now`, for a later run to start from.
    ///
    /// # Errors
    /// Work under way; a mapping whose state cannot be saved; whatever the file system refuses.
    fn save(&self, _now: SimTime, _path: &Path) -> Result<(), SnapshotError> {
        Err(SnapshotError::Unsupported)
    }

    /// Pages of the drive by state, counted afresh.
    fn census(&self) -> Census {
        let geometry = self.geometry();
        let mut census = Census::default();
        for block in 0..geometry.blocks() {
            let facts = self.block(BlockId(block));
            census.valid += u64::from(facts.valid);
            census.invalid += u64::from(facts.invalid);
            census.free += u64::from(facts.free);
            census.skipped += u64::from(facts.skipped);
        }
        census.mapped = self.mapped_pages();
        census
    }
}
