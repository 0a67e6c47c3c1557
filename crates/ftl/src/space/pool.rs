//! Collection pools: free blocks against watermarks, and the urgency of collection.

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use crate::config::GcMode;
use crate::notice::Urgency;
use crate::policy::wear::Swap;

/// Free blocks of a pool at which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermarks {
    /// Up to here only collection may open free blocks.
    pub(crate) reserve: u32,
    /// Below, collection goes ahead of host writes.
    pub(crate) hard: u32,
    /// Below, collection starts beside host writes.
    pub(crate) low: u32,
    /// From here on collection stops.
    pub(crate) high: u32,
}

/// Free blocks of a pool between which collection keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionLevels {
    /// Free blocks left when collection starts.
    pub start: u32,
    /// Whether it starts as soon as the last block above `start` is opened; otherwise when that one is full.
    pub at_opening: bool,
    /// Free blocks at which it stops.
    pub stop: u32,
    /// Free blocks that only collection may use.
    pub reserve: u32,
}

/// What the job of a pool is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Activity {
    /// Nothing.
    Idle,
    /// Merging blocks, as the mapping knows.
    Merging,
    /// Moving the valid pages of a block.
    Moving {
        /// The block.
        victim: u32,
        /// Index of the next page to look at.
        next: u32,
        /// Where its pages go if static wear levelling wants them there.
        onto: Option<u32>,
    },
    /// Waiting for the erase of a block.
    Erasing {
        /// The block.
        victim: u32,
        /// Whether static wear levelling wanted it.
        wear: bool,
    },
}

/// How far the collection of a pool has come, as the content of a drive tells it. Pages of the victim that were moved are
/// not current any more, so that it is gone through from its first page again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Collection {
    /// The block that collection empties.
    pub(crate) victim: Option<u32>,
    slack: u32,
    hot: bool,
    warm: bool,
    starved: bool,
    credit: u64,
}

/// The state of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PoolState {
    pub(crate) free: u32,
    pub(crate) activity: Activity,
    /// Pages that relocations of this victim may give up.
    pub(crate) slack: u32,
    /// Moves whose programs are not done.
    pub(crate) moves: u32,
    /// Below `hard`, until `high`.
    hot: bool,
    /// Below `low`, until `high`, where the mode starts early.
    warm: bool,
    /// A host program found no space, until a block above the reserve is free.
    pub(crate) starved: bool,
    /// A host program waits for what the job does, however much is free.
    pub(crate) awaited: bool,
    /// A host program waits until a tenant has emptied a block.
    pub(crate) awaits_tenant: bool,
    /// Whether a tenant has a block to be emptied when nothing else is to be done.
    pub(crate) idle_work: bool,
    /// Whether the block that is being emptied or erased gives way to the host as long as no space is wanted.
    pub(crate) gives_way: bool,
    /// Whether a tenant needs the job to keep up with host writes, which will soon wait for it.
    pub(crate) paced: bool,
    /// Nothing to reclaim.
    pub(crate) stuck: bool,
    /// What the last notice said; none once the job was told to wait.
    pub(crate) noticed: Option<Urgency>,
    pub(crate) last_host: SimTime,
    /// Rationed moves, in units of 1 / (pages of a block - valid pages of the victim).
    pub(crate) credit: u64,
    pub(crate) swap: Option<Swap>,
    /// How pressing the refresh of its blocks is, where one is due.
    pub(crate) refresh: Option<Urgency>,
    /// Whether the block that is being moved is refreshed by that.
    pub(crate) refreshing: bool,
    pub(crate) erases: u64,
    pub(crate) unchecked_erases: u32,
}

impl PoolState {
    pub(crate) const fn new(free: u32) -> Self {
        Self {
            free,
            activity: Activity::Idle,
            slack: 0,
            moves: 0,
            hot: false,
            warm: false,
            starved: false,
            awaited: false,
            awaits_tenant: false,
            idle_work: false,
            gives_way: false,
            paced: false,
            stuck: false,
            noticed: None,
            last_host: SimTime::ZERO,
            credit: 0,
            swap: None,
            refresh: None,
            refreshing: false,
            erases: 0,
            unchecked_erases: 0,
        }
    }

    /// Brings the latches up to date after free blocks came or went.
    pub(crate) fn update_levels(&mut self, marks: &Watermarks, mode: GcMode) {
        if self.free >= marks.high {
            self.hot = false;
            self.warm = false;
        }
        if self.free < marks.hard {
            self.hot = true;
        } else if mode == GcMode::OneBlock {
            self.hot = false;
        }
        if mode != GcMode::Foreground && self.free < marks.low {
            self.warm = true;
        }
        if self.free > marks.reserve {
            self.starved = false;
        }
    }

    /// Puts the pool in the middle of a collection that started at `levels`, `urgent` or not.
    pub(crate) fn start_collecting(&mut self, levels: &CollectionLevels, urgent: bool) {
        if self.free < levels.stop {
            self.hot |= urgent && levels.at_opening;
            self.starved |= urgent && !levels.at_opening;
            self.warm |= !urgent;
        }
    }

    /// What a saved drive keeps of it. Moves for wear levelling and merges begin anew.
    pub(crate) const fn collection(&self) -> Collection {
        let victim = match self.activity {
            Activity::Moving {
                victim, onto: None, ..
            } => Some(victim),
            _ => None,
        };
        Collection {
            victim,
            slack: self.slack,
            hot: self.hot,
            warm: self.warm,
            starved: self.starved,
            credit: self.credit,
        }
    }

    /// Goes on where a saved drive was; its victim is taken before.
    pub(crate) const fn resume(&mut self, saved: &Collection) {
        (self.hot, self.warm, self.starved) = (saved.hot, saved.warm, saved.starved);
        (self.slack, self.credit) = (saved.slack, saved.credit);
    }

    /// Whether host writes pay for what the job does next: not for a block that is due to be refreshed.
    pub(crate) const fn is_paid(&self) -> bool {
        self.refresh.is_none()
    }

    /// Whether another block should be collected.
    pub(crate) const fn wants_space(&self) -> bool {
        self.hot || self.warm || self.starved
    }

    /// How pressing the job is, if there is anything to do.
    pub(crate) fn urgency(&self, mode: GcMode) -> Option<Urgency> {
        if self.stuck && self.activity == Activity::Idle && !self.awaits_tenant {
            let in_step = self.is_paced(mode).then_some(Urgency::Normal);
            return self.refresh.or(in_step).or(self.in_idle_time());
        }
        if self.hot || self.starved || self.awaited || self.awaits_tenant {
            return Some(Urgency::Blocking);
        }
        if mode == GcMode::OneBlock && self.activity != Activity::Idle {
            return Some(Urgency::Blocking);
        }
        if self.refresh.is_some() {
            return self.refresh;
        }
        if self.refreshing {
            return Some(Urgency::Normal);
        }
        if self.is_paced(mode) {
            return Some(Urgency::Normal);
        }
        if self.gives_way && !self.warm {
            return Some(Urgency::Idle);
        }
        if self.warm || self.activity != Activity::Idle || self.swap.is_some() {
            return Some(match mode {
                GcMode::Background | GcMode::OneBlock => Urgency::Idle,
                GcMode::Foreground | GcMode::Preemptible | GcMode::Partial => Urgency::Normal,
            });
        }
        self.in_idle_time()
    }

    /// Whether the job goes in step with host writes, before these wait for it.
    pub(crate) fn is_paced(&self, mode: GcMode) -> bool {
        self.paced && mode == GcMode::Partial
    }

    /// What a tenant wants to be done when nothing else is.
    fn in_idle_time(&self) -> Option<Urgency> {
        self.idle_work.then_some(Urgency::Idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collection that starts with the opening of a block is `hot` until the high mark, one that starts when the host
    /// finds no page ends with a block above the reserve, and one that gives way to the host is `warm`.
    #[test]
    fn a_collection_that_is_under_way_goes_on_until_its_goal() {
        let marks = Watermarks {
            reserve: 1,
            hard: 2,
            low: 2,
            high: 3,
        };
        let after = |urgent, at_opening, free| {
            let mut pool = PoolState::new(free);
            let levels = CollectionLevels {
                start: 1,
                at_opening,
                stop: 3,
                reserve: 1,
            };
            pool.start_collecting(&levels, urgent);
            let started = (pool.wants_space(), pool.starved);
            pool.free = 2;
            pool.update_levels(&marks, GcMode::Background);
            (started, pool.wants_space())
        };
        assert_eq!(after(true, true, 1), ((true, false), true));
        assert_eq!(after(true, false, 1), ((true, true), false));
        assert_eq!(after(false, true, 1), ((true, false), true));
        assert_eq!(after(true, true, 3), ((false, false), false));
    }

    /// Below `hard` blocks are cleaned one after the other, up to `hard` and not to `high`.
    #[test]
    fn the_urgent_cleaning_of_blocks_ends_at_the_hard_mark() {
        let mut pool = PoolState::new(1);
        let marks = Watermarks {
            reserve: 1,
            hard: 3,
            low: 4,
            high: 6,
        };
        let mut of = |mode| {
            [2, 3, 4, 5, 6].map(|free| {
                pool.free = free;
                pool.update_levels(&marks, mode);
                pool.urgency(mode)
            })
        };
        let [blocking, idle] = [Urgency::Blocking, Urgency::Idle].map(Some);
        assert_eq!(of(GcMode::OneBlock), [blocking, idle, idle, idle, None]);
        assert_eq!(
            of(GcMode::Background),
            [blocking, blocking, blocking, blocking, None]
        );
    }
}
