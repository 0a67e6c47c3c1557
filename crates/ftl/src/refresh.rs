//! Which blocks must be written anew before their data fade, and when (V. Mohan 2015, chapter 4). How long a block keeps data is told from outside, by whoever knows
//! its wear; moving the data is a job of its pool, as collection is.

mod at_no_cost;
mod looking;
mod queue;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

use crate::config::{RefreshConfig, RefreshMode};
use crate::error::FtlError;
use crate::notice::Urgency;
use crate::policy::refresh::{Admission, HeldData};
use crate::state::archive::{Archive, ArchiveError};
use queue::{Held, Order, RefreshQueue};

/// How long a block keeps data, after something happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockReport {
    /// The block.
    pub block: BlockId,
    /// Its erases then: a report of a block that was erased since is of no use.
    pub erases: u32,
    /// When its first page was programmed; none where it is erased.
    pub since: Option<SimTime>,
    /// How long data are readable that were written at `since`, or are written next.
    pub retention: Duration,
    /// Time since `since` for which the clock stood still, where a study skips time.
    pub skipped: Duration,
    /// Whether it was read so often since its erase that its data are to be written anew (`ftl.refresh.read_limit`).
    pub disturbed: bool,
}

/// What refresh has done since the drive was built or its counters were reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshTotals {
    /// Blocks refreshed.
    pub blocks: u64,
    /// Pages that were programmed for it.
    pub pages: u64,
    /// Blocks whose data were readable as long as required and were left to fade.
    pub left: u64,
    /// Blocks that passed their deadline with data that were to be refreshed.
    pub missed: u64,
    /// Blocks retired as they keep data too short.
    pub retired: u64,
    /// Most blocks in the queues of all pools at a time.
    pub most_queued: u64,
    /// The first deadline that was missed.
    pub first_missed: Option<SimTime>,
    /// When fewer than nine in ten blocks were usable, or a pool could spare none of those that should have been retired.
    pub space_ended: Option<SimTime>,
    /// Those of the blocks that were refreshed as they had been read too often; none where reads are not counted.
    #[serde(skip)]
    pub disturbed: Option<u64>,
}

/// A mapping whose blocks are refreshed.
pub trait Refreshing {
    /// What refresh has done, since counting began.
    fn totals(&self) -> RefreshTotals;

    /// Tells what happened to blocks, in order, and how long they keep data.
    fn observe_blocks(&mut self, reports: &[BlockReport]);

    /// Looks for blocks that must be refreshed, as whoever executes plans has it done every `ftl.refresh.interval`. Whether there are any: the jobs of their pools have given notice then.
    fn look_for_refresh(&mut self, now: SimTime) -> bool;

    /// The next time at which looking for blocks to be refreshed can find one, if no block is reported before it.
    fn next_refresh_look(&self) -> Option<SimTime>;

    /// Counting begins anew.
    fn restart_counts(&mut self);
}

/// The drive that blocks are refreshed in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefreshedDrive {
    pub(crate) pools: u32,
    pub(crate) blocks_per_pool: u32,
    /// Blocks that a pool needs to be written to.
    pub(crate) needed: u32,
}

/// Nothing was done yet.
fn no_totals(config: &RefreshConfig) -> RefreshTotals {
    RefreshTotals {
        disturbed: config.read_limit.map(|_| 0),
        ..RefreshTotals::default()
    }
}

/// The queues of all pools.
pub(crate) struct Refresher {
    order: Order,
    rules: RefreshConfig,
    drive: RefreshedDrive,
    /// By block: for how many nanoseconds it keeps data, as it was told last.
    retention: Vec<u64>,
    queues: Vec<RefreshQueue>,
    /// By pool: blocks that were not retired.
    usable: Vec<u32>,
    arrivals: u64,
    /// The last look at the queues.
    looked: SimTime,
    totals: RefreshTotals,
}

impl Refresher {
    /// None where the policy refreshes nothing.
    ///
    /// # Errors
    /// As for [`RefreshConfig::check`].
    pub(crate) fn new(config: &RefreshConfig, drive: RefreshedDrive) -> Result<Option<Self>, FtlError> {
        config.check()?;
        let Some(rule) = config.policy.row()?.rule else {
            return Ok(None);
        };
        let pools = drive.pools as usize;
        Ok(Some(Self {
            order: Order {
                rule,
                required: config.required(),
            },
            rules: config.clone(),
            drive,
            retention: vec![u64::MAX; pools * drive.blocks_per_pool as usize],
            queues: vec![RefreshQueue::default(); pools],
            usable: vec![drive.blocks_per_pool; pools],
            arrivals: 0,
            looked: SimTime::ZERO,
            totals: no_totals(config),
        }))
    }

    fn pool_of(&self, block: u32) -> usize {
        (block / self.drive.blocks_per_pool) as usize
    }

    /// Whether a block that holds data is to be refreshed when it is due.
    fn is_served(&self, data: &HeldData) -> bool {
        let refreshes_all = self.order.rule.takes_all || self.rules.mode == RefreshMode::Strict;
        data.disturbed || refreshes_all || data.retention < self.order.required
    }

    /// From when on a block is queued; none where it never is.
    fn admitted_from(&self, data: &HeldData) -> Option<SimTime> {
        let (rule, required) = (&self.order.rule, self.order.required);
        let takes_strong = rule.admission == Admission::ByRetention && self.rules.mode == RefreshMode::Strict;
        if takes_strong {
            return Some(SimTime::ZERO);
        }
        rule.admitted_from(data, required, self.rules.admit_below)
    }

    /// What refresh has done.
    pub(crate) fn totals(&self) -> RefreshTotals {
        self.totals
    }

    /// Counts from zero again.
    pub(crate) fn reset_totals(&mut self) {
        self.totals = no_totals(&self.rules);
    }

    /// How long a block keeps data, as it was told last.
    pub(crate) fn retention(&self, block: u32) -> Duration {
        Duration(self.retention[block as usize])
    }

    /// Something happened to a block.
    pub(crate) fn observe(&mut self, report: &BlockReport) {
        let block = report.block.0;
        self.retention[block as usize] = report.retention.ns();
        let pool = self.pool_of(block);
        let former = self.queues[pool].get(block).copied();
        let Some(programmed) = report.since else {
            return self.leave(block);
        };
        if former.is_some_and(|held| !held.waits) {
            return;
        }
        let arrival = former.map_or(self.arrivals, |held| held.data.arrival);
        let data = HeldData {
            arrival,
            programmed,
            retention: report.retention,
            skipped: report.skipped,
            disturbed: report.disturbed,
        };
        let Some(admitted) = self.admitted_from(&data) else {
            return self.leave(block);
        };
        if former.is_none() {
            self.arrivals += 1;
        }
        let held = Held {
            data,
            waits: true,
            is_ahead: true,
            admitted,
            is_admitted: admitted <= self.looked,
        };
        self.queues[pool].insert(block, held, &self.order);
        self.count_queued();
    }

    fn count_queued(&mut self) {
        let queued = self.queues.iter().map(RefreshQueue::len).sum::<usize>() as u64;
        self.totals.most_queued = self.totals.most_queued.max(queued);
    }

    /// A block holds no data any more.
    pub(crate) fn leave(&mut self, block: u32) {
        let pool = self.pool_of(block);
        self.queues[pool].remove(block, &self.order);
    }

    /// When a block must be begun at the latest, but for the time that it takes.
    fn begin_by(&self, data: &HeldData) -> SimTime {
        let margin = data.retention.ns() as f64 * self.rules.margin;
        SimTime(
            self.order
                .rule
                .due_of(data, self.order.required)
                .ns()
                .saturating_sub(margin as u64),
        )
    }

    /// Looks at the queues, as it is to be done every `ftl.refresh.interval`; `valid` says how many valid pages a block holds.
    pub(crate) fn look(&mut self, now: SimTime, valid: &impl Fn(u32) -> u32) {
        self.looked = now;
        for queue in &mut self.queues {
            queue.admit(now, &self.order);
        }
        self.count_queued();
        for pool in 0..self.queues.len() {
            if self.order.rule.is_free {
                self.refresh_at_no_cost(pool, now, valid);
            } else {
                self.queues[pool].horizon = self.horizon(pool, now);
            }
            self.count_missed(pool, now, valid);
        }
    }

    fn count_missed(&mut self, pool: usize, now: SimTime, valid: &impl Fn(u32) -> u32) {
        while let Some((deadline, block)) = self.queues[pool]
            .next_deadline()
            .filter(|(deadline, _)| *deadline <= now)
        {
            let Some(mut held) = self.queues[pool].get(block).copied() else {
                return;
            };
            held.is_ahead = false;
            self.queues[pool].insert(block, held, &self.order);
            if valid(block) > 0 && self.is_served(&held.data) {
                self.count_miss(deadline);
            }
        }
    }

    fn count_miss(&mut self, deadline: SimTime) {
        self.totals.missed += 1;
        let first = self.totals.first_missed.get_or_insert(deadline);
        *first = deadline.min(*first);
    }

    /// How pressing the blocks of a pool are that are due; none where no block is.
    pub(crate) fn urgency(&self, pool: u32, now: SimTime) -> Option<Urgency> {
        let (_, held) = self.due(pool).next()?;
        let is_late = held.deadline() <= now + self.rules.interval;
        Some(if is_late {
            Urgency::Blocking
        } else {
            Urgency::Normal
        })
    }

    /// The blocks of a pool that are due, in the order of the policy. A block that is not due keeps those behind it waiting. What was written since the last look has been looked at by none:
    /// a block that cannot keep data as long as required is refreshed at most once in `interval`.
    pub(crate) fn due(&self, pool: u32) -> impl Iterator<Item = (u32, &HeldData)> {
        let queue = &self.queues[pool as usize];
        let horizon = queue.horizon;
        let was_seen = |data: &HeldData| data.disturbed || data.programmed < self.looked;
        queue
            .waiting()
            .map(|(block, held)| (block, &held.data))
            .take_while(move |(_, data)| self.begin_by(data) <= horizon)
            .filter(move |(_, data)| was_seen(data))
    }

    /// What is to be done with a block that is due: false where its data may fade, and it is out of the queue.
    pub(crate) fn serves(&mut self, block: u32, valid: u32) -> bool {
        let pool = self.pool_of(block);
        let Some(held) = self.queues[pool].get(block).copied() else {
            return false;
        };
        let is_served = valid > 0 && self.is_served(&held.data);
        if is_served && held.data.retention < self.rules.interval {
            return self.give_up(block, &held);
        }
        if !is_served && valid > 0 {
            self.leave_to_fade(block);
        } else if !is_served {
            self.leave(block);
        }
        is_served
    }

    /// The data of a block fade faster than anyone looks: they are lost, and refresh does not help.
    fn give_up(&mut self, block: u32, held: &Held) -> bool {
        if held.is_ahead {
            self.count_miss(held.data.deadline());
        }
        self.leave(block);
        false
    }

    fn leave_to_fade(&mut self, block: u32) {
        self.totals.left += 1;
        self.leave(block);
    }

    /// The refresh of a block begins, of so many pages.
    pub(crate) fn begin(&mut self, block: u32, pages: u32) {
        let pool = self.pool_of(block);
        if let Some(mut held) = self.queues[pool].get(block).copied() {
            held.waits = false;
            if let Some(disturbed) = &mut self.totals.disturbed {
                *disturbed += u64::from(held.data.disturbed);
            }
            self.queues[pool].insert(block, held, &self.order);
        }
        self.totals.blocks += 1;
        self.totals.pages += u64::from(pages);
    }

    /// Whether a block that was erased is retired, as it keeps data too short: where its pool can spare it. Of `free` blocks in the pool, `kept` must stay.
    pub(crate) fn retires(&mut self, now: SimTime, block: u32, free: u32, kept: u32) -> bool {
        if self.retention(block) >= self.rules.retire_below || free < kept {
            return false;
        }
        let pool = self.pool_of(block);
        if self.usable[pool] <= self.drive.needed {
            self.totals.space_ended.get_or_insert(now);
            return false;
        }
        self.usable[pool] -= 1;
        self.totals.retired += 1;
        let usable: u64 = self.usable.iter().copied().map(u64::from).sum();
        if 10 * usable < 9 * self.retention.len() as u64 {
            self.totals.space_ended.get_or_insert(now);
        }
        true
    }

    /// Passes what changes to a state file, or takes it from one.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.retention)?;
        archive.table(&mut self.usable)?;
        archive.part(&mut self.arrivals)?;
        archive.part(&mut self.looked)?;
        archive.part(&mut self.totals)?;
        let mut contents: Vec<_> = self.queues.iter().map(RefreshQueue::content).collect();
        archive.table(&mut contents)?;
        let mut disturbed = self.disturbed();
        if self.rules.read_limit.is_some() {
            archive.part(&mut disturbed)?;
            let mut count = self.totals.disturbed.unwrap_or(0);
            archive.part(&mut count)?;
            self.totals.disturbed = Some(count);
        }
        if archive.is_loading() {
            let queues = contents.into_iter();
            self.queues = queues
                .map(|content| RefreshQueue::of_content(content, &self.order))
                .collect();
            self.set_disturbed(&disturbed);
        }
        Ok(())
    }

    /// The blocks that reads have disturbed.
    fn disturbed(&self) -> Vec<u32> {
        self.queues.iter().flat_map(RefreshQueue::disturbed).collect()
    }

    /// Says of blocks in the queues that reads have disturbed them.
    fn set_disturbed(&mut self, blocks: &[u32]) {
        for block in blocks {
            let pool = self.pool_of(*block);
            let held = self.queues.get(pool).and_then(|queue| queue.get(*block)).copied();
            if let Some(mut held) = held {
                held.data.disturbed = true;
                self.queues[pool].insert(*block, held, &self.order);
            }
        }
    }

    /// The latest time that is remembered.
    pub(crate) fn latest(&self) -> SimTime {
        self.looked
    }
}
