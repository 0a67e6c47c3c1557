//! The block table: a few bytes of state per block, and a two-level index over valid counts.

mod absent;
mod in_use;
mod least;
mod parts_in_use;
mod slc;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::{Divider, SimTime};

pub(crate) use self::parts_in_use::InUse;
use self::parts_in_use::PagesInUse;
use crate::block::BlockRole;
use crate::state::archive::{Archive, ArchiveError};

/// Set in a valid count while the block is not a candidate for collection.
const HELD: u16 = 1 << 15;
/// Blocks of a group of the index.
const GROUP: u32 = 32;

/// What the policies in use want to be recorded per block beyond the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recording {
    /// Time of the last write.
    pub last_write: bool,
    /// Time of the last invalidation.
    pub last_invalidation: bool,
    /// Number and summed times of the invalidations.
    pub stale: bool,
    /// Closed blocks of each pool by closing order.
    pub queue: bool,
}

/// Counts of all blocks. A *candidate* is a closed block with no program outstanding that no
/// collection has taken.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    recording: Recording,
    geometry: Geometry,
    blocks_per_pool: u32,
    per_pool: Divider,
    groups_per_plane: u32,
    groups_per_pool: u32,
    /// Valid pages, with `HELD`.
    valid: Vec<u16>,
    /// Per group: fewest valid pages of a candidate, `HELD` without one.
    least: Vec<u16>,
    /// Next page index (pages passed).
    pub(crate) written: Vec<u16>,
    /// Programs bound and not done.
    pending: Vec<u16>,
    pub(crate) erases: Vec<u32>,
    pub(crate) role: Vec<BlockRole>,
    /// The frontier that opened the block.
    pub(crate) frontier: Vec<u8>,
    /// Closing order.
    pub(crate) closed: Vec<u32>,
    pub(crate) closings: u32,
    /// Time that age counts from, where recorded.
    pub(crate) since: Vec<u64>,
    /// Time of the last program, where it is asked for.
    pub(crate) programmed: Vec<u64>,
    /// Invalidations and the sum of their times, where recorded.
    stale: Vec<(u32, u128)>,
    /// Per pool: closed blocks in closing order, where recorded.
    queue: Vec<VecDeque<u32>>,
    /// Whether a block is in SLC mode; empty in drives without an SLC cache.
    pub(crate) slc: Vec<bool>,
    /// Pages of a block in SLC mode.
    pub(crate) slc_pages: u16,
    /// Blocks that are to be retired once nothing valid is left in them.
    failed: BTreeSet<u32>,
    /// By block: pages that it does not have, which count as valid ones, since nothing is gained of them; only of blocks that lack some.
    absent: BTreeMap<u32, u16>,
    /// Pages in use by parts of the drive; none where nobody asks.
    in_use: Option<Box<PagesInUse>>,
}

impl Blocks {
    pub(crate) fn new(geometry: &Geometry, planes_per_pool: u32, recording: Recording) -> Self {
        let blocks = geometry.blocks() as usize;
        let groups_per_plane = geometry.blocks_per_plane.div_ceil(GROUP);
        let aged = recording.last_write || recording.last_invalidation;
        let blocks_per_pool = planes_per_pool * geometry.blocks_per_plane;
        Self {
            recording,
            geometry: *geometry,
            blocks_per_pool,
            per_pool: Divider::new(blocks_per_pool),
            groups_per_plane,
            groups_per_pool: groups_per_plane * planes_per_pool,
            valid: vec![HELD; blocks],
            least: vec![HELD; (groups_per_plane * geometry.planes()) as usize],
            written: vec![0; blocks],
            pending: vec![0; blocks],
            erases: vec![0; blocks],
            role: vec![BlockRole::Free; blocks],
            frontier: vec![0; blocks],
            closed: vec![0; blocks],
            closings: 0,
            since: vec![0; if aged { blocks } else { 0 }],
            programmed: Vec::new(),
            stale: vec![(0, 0); if recording.stale { blocks } else { 0 }],
            queue: vec![
                VecDeque::new();
                if recording.queue {
                    (geometry.planes() / planes_per_pool) as usize
                } else {
                    0
                }
            ],
            slc: Vec::new(),
            slc_pages: 0,
            failed: BTreeSet::new(),
            absent: BTreeMap::new(),
            in_use: None,
        }
    }

    /// Passes what the blocks contain to a state file or takes it from it; what follows from it is computed by
    /// [`Self::rebuild`], once valid pages were counted.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.written)?;
        archive.table(&mut self.erases)?;
        archive.table(&mut self.role)?;
        archive.table(&mut self.frontier)?;
        archive.table(&mut self.closed)?;
        archive.part(&mut self.closings)?;
        // ages that another victim policy recorded are of no use to one that records none, and the reverse
        let mut since = self.since.clone();
        archive.part(&mut since)?;
        if since.len() == self.since.len() {
            self.since = since;
        }
        Ok(())
    }

    /// Passes times of programs and invalidations, and failed blocks, to a state file or takes them from it.
    pub(crate) fn archive_times(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.programmed)?;
        archive.table(&mut self.stale)?;
        archive.part(&mut self.failed)
    }

    #[inline]
    pub(crate) fn block_of(&self, page: u64) -> u32 {
        self.geometry.block_of(Ppn(page)).0
    }

    #[inline]
    pub(crate) fn plane_of(&self, block: u32) -> u32 {
        self.geometry.plane_of(BlockId(block)).0
    }

    #[inline]
    pub(crate) fn pool_of(&self, block: u32) -> u32 {
        self.per_pool.divide(u64::from(block)) as u32
    }

    /// The blocks of a pool.
    pub(crate) fn of_pool(&self, pool: u32) -> Range<u32> {
        pool * self.blocks_per_pool..(pool + 1) * self.blocks_per_pool
    }

    /// Valid pages of a block, and those that it does not have: what is not gained when it is collected.
    #[inline]
    pub(crate) fn valid(&self, block: u32) -> u32 {
        u32::from(self.valid[block as usize] & !HELD)
    }

    #[inline]
    pub(crate) fn is_candidate(&self, block: u32) -> bool {
        self.valid[block as usize] < HELD
    }

    /// Whether a block can be emptied: a candidate, or one in SLC mode.
    #[inline]
    pub(crate) fn can_be_emptied(&self, block: u32) -> bool {
        self.is_candidate(block) || self.is_slc(block)
    }

    /// More valid pages.
    #[inline]
    pub(crate) fn validate(&mut self, block: u32, pages: u16) {
        self.valid[block as usize] += pages;
        if let Some(in_use) = &mut self.in_use {
            in_use.validate(block, pages);
        }
    }

    /// Fewer valid pages.
    #[inline]
    pub(crate) fn invalidate(&mut self, block: u32, pages: u16, now: u64) {
        let valid = self.valid[block as usize] - pages;
        self.valid[block as usize] = valid;
        let group = self.group_of(block);
        if valid < self.least[group] {
            self.least[group] = valid;
        }
        if let Some(in_use) = &mut self.in_use {
            in_use.invalidate(block, pages);
        }
        if self.recording.last_invalidation {
            self.since[block as usize] = now;
        }
        if self.recording.stale {
            let (count, times) = &mut self.stale[block as usize];
            *count += u32::from(pages);
            *times += u128::from(pages) * u128::from(now);
        }
    }

    /// A program of the block was bound.
    #[inline]
    pub(crate) fn begin_program(&mut self, block: u32) {
        self.pending[block as usize] += 1;
    }

    /// Whether a program of the block was bound and is not done.
    #[inline]
    pub(crate) fn has_pending(&self, block: u32) -> bool {
        self.pending[block as usize] > 0
    }

    /// A program of the block is done.
    #[inline]
    pub(crate) fn end_program(&mut self, block: u32, now: u64) {
        let pending = &mut self.pending[block as usize];
        *pending -= 1;
        if *pending == 0 && self.role[block as usize] == BlockRole::Closed {
            self.make_candidate(block);
        }
        self.record_program_time(block, now);
    }

    /// Notes when the block was last written, where that is asked for.
    #[inline]
    pub(crate) fn record_program_time(&mut self, block: u32, now: u64) {
        if self.recording.last_write {
            self.since[block as usize] = now;
        }
        if let Some(programmed) = self.programmed.get_mut(block as usize) {
            *programmed = now;
        }
    }

    /// Closes an open block; it becomes a candidate once its programs are done.
    pub(crate) fn close(&mut self, block: u32) {
        self.role[block as usize] = BlockRole::Closed;
        self.closed[block as usize] = self.closings;
        self.closings = self.closings.wrapping_add(1);
        if self.recording.queue {
            let pool = self.pool_of(block);
            self.queue[pool as usize].push_back(block);
        }
        if self.pending[block as usize] == 0 {
            self.make_candidate(block);
        }
    }

    /// Makes a closed block a candidate, unless it is in SLC mode: such blocks are folded.
    pub(crate) fn make_candidate(&mut self, block: u32) {
        if self.is_slc(block) {
            return;
        }
        let valid = self.valid[block as usize] & !HELD;
        self.valid[block as usize] = valid;
        let group = self.group_of(block);
        self.least[group] = self.least[group].min(valid);
    }

    /// An erased block goes back to the free ones. It holds no valid page and is no candidate.
    pub(crate) fn erase(&mut self, block: u32) {
        let at = block as usize;
        self.leave_queue(block);
        self.erases[at] = self.erases[at].saturating_add(1);
        self.written[at] = 0;
        self.role[at] = BlockRole::Free;
        if self.recording.stale {
            self.stale[at] = (0, 0);
        }
    }

    /// A program of the block failed.
    pub(crate) fn fail(&mut self, block: u32) {
        self.lose(block);
        self.failed.insert(block);
    }

    /// A block is bad or to be retired from now on, if it was neither.
    fn lose(&mut self, block: u32) {
        let was_lost = self.is_lost(block);
        if let Some(in_use) = self.in_use.as_mut().filter(|_| !was_lost) {
            in_use.lose(block);
        }
    }

    /// What had failed of a block is not part of it any more.
    pub(crate) fn unfail(&mut self, block: u32) {
        self.failed.remove(&block);
        self.count_in_use();
    }

    /// A candidate of a pool of which something has failed.
    pub(crate) fn failed_candidate(&self, pool: u32) -> Option<u32> {
        let mut failed = self.failed.range(self.of_pool(pool)).copied();
        failed.find(|block| self.is_candidate(*block))
    }

    pub(crate) fn has_failed(&self, block: u32) -> bool {
        self.failed.contains(&block)
    }

    /// A block is not to be used any more.
    pub(crate) fn retire(&mut self, block: u32) {
        self.leave_queue(block);
        self.lose(block);
        self.role[block as usize] = BlockRole::Bad;
    }

    fn leave_queue(&mut self, block: u32) {
        if self.recording.queue {
            let pool = self.pool_of(block) as usize;
            if let Some(at) = self.queue[pool].iter().position(|queued| *queued == block) {
                self.queue[pool].remove(at);
            }
        }
    }

    /// The candidates of a pool, by index.
    pub(crate) fn candidates(&self, pool: u32) -> impl Iterator<Item = u32> {
        self.of_pool(pool).filter(|block| self.is_candidate(*block))
    }

    /// The candidates of a pool in the order in which they were closed. Empty unless recorded.
    pub(crate) fn candidates_by_closing(&self, pool: u32) -> impl Iterator<Item = u32> {
        self.queue
            .get(pool as usize)
            .into_iter()
            .flatten()
            .copied()
            .filter(|block| self.is_candidate(*block))
    }

    /// How long ago the block was closed, in closings.
    pub(crate) fn closings_ago(&self, block: u32) -> u32 {
        self.closings.wrapping_sub(self.closed[block as usize])
    }

    /// Summed time since invalidation of the block's invalid pages, in nanoseconds.
    pub(crate) fn staleness(&self, block: u32, now: u64) -> u128 {
        let (count, times) = self.stale[block as usize];
        (u128::from(count) * u128::from(now)).saturating_sub(times)
    }

    /// No block holds anything valid or is a candidate.
    pub(crate) fn clear_valid(&mut self) {
        self.valid.fill(HELD);
        self.least.fill(HELD);
        for (block, pages) in &self.absent {
            self.valid[*block as usize] += pages;
        }
    }

    /// Sets when a block was last written to, where the victim policy goes by that or it is recorded.
    pub(crate) fn set_last_write(&mut self, block: BlockId, at: SimTime) {
        if let Some(programmed) = self.programmed.get_mut(block.index()) {
            *programmed = at.ns();
        }
        if let Some(since) = self.since.get_mut(block.index()) {
            *since = at.ns();
        }
    }

    /// Makes the recorded queues and the candidate index agree with roles and counts that were
    /// set from outside.
    pub(crate) fn rebuild(&mut self) {
        let mut order: Vec<u32> = (0..self.role.len() as u32)
            .filter(|block| self.role[*block as usize] == BlockRole::Closed)
            .collect();
        order.sort_by_key(|block| (std::cmp::Reverse(self.closings_ago(*block)), *block));
        for queue in &mut self.queue {
            queue.clear();
        }
        for block in order {
            if self.recording.queue {
                let pool = self.pool_of(block);
                self.queue[pool as usize].push_back(block);
            }
            self.make_candidate(block);
        }
        self.count_in_use();
    }
}
