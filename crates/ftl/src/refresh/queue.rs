//! The blocks of a pool that hold data which will fade.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wordline_units::{Duration, SimTime};

use crate::policy::refresh::{HeldData, RefreshRule};

/// What the places of blocks in queues follow from.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) rule: RefreshRule,
    /// How long data must stay readable.
    pub(super) required: Duration,
}

/// A block of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) data: HeldData,
    /// Whether it waits to be refreshed; otherwise that is under way.
    pub(super) waits: bool,
    /// Whether its deadline is still to come, as of the last look.
    pub(super) is_ahead: bool,
    /// From when on it is in the queue.
    pub(super) admitted: SimTime,
    /// Whether that time had come at the last look.
    pub(super) is_admitted: bool,
}

/// What a state file has of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SavedBlock {
    pub(super) block: u32,
    pub(super) arrival: u64,
    programmed: SimTime,
    /// Nanoseconds, as `skipped`.
    retention: u64,
    skipped: u64,
    waits: bool,
    is_ahead: bool,
    admitted: SimTime,
    is_admitted: bool,
}

/// The blocks of a pool that hold data, by their place in the order of the policy and by deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RefreshQueue {
    held: BTreeMap<u32, Held>,
    order: BTreeSet<(u64, u32)>,
    /// Those that come into the queue later, by when.
    later: BTreeSet<(SimTime, u32)>,
    deadlines: BTreeSet<(SimTime, u32)>,
    /// Blocks that must be begun up to here are due, as of the last look.
    pub(super) horizon: SimTime,
}

impl RefreshQueue {
    /// Blocks in it.
    pub(super) fn len(&self) -> usize {
        self.held.len() - self.later.len()
    }

    /// Takes in the blocks whose time has come.
    pub(super) fn admit(&mut self, now: SimTime, by: &Order) {
        while let Some((_, block)) = self.later.first().copied().filter(|(from, _)| *from <= now) {
            let Some(mut held) = self.held.get(&block).copied() else {
                return;
            };
            held.is_admitted = true;
            self.insert(block, held, by);
        }
    }

    /// The first of the blocks that come into it later.
    pub(super) fn first_later(&self) -> Option<&Held> {
        let (_, block) = self.later.first()?;
        self.held.get(block)
    }

    /// A block.
    pub(super) fn get(&self, block: u32) -> Option<&Held> {
        self.held.get(&block)
    }

    /// What changes of it, for a state file.
    pub(super) fn content(&self) -> (Vec<SavedBlock>, SimTime) {
        let saved = |(block, held): (&u32, &Held)| SavedBlock {
            block: *block,
            arrival: held.data.arrival,
            programmed: held.data.programmed,
            retention: held.data.retention.ns(),
            skipped: held.data.skipped.ns(),
            waits: held.waits,
            is_ahead: held.is_ahead,
            admitted: held.admitted,
            is_admitted: held.is_admitted,
        };
        (self.held.iter().map(saved).collect(), self.horizon)
    }

    /// The queue of a content.
    pub(super) fn of_content((saved, horizon): (Vec<SavedBlock>, SimTime), by: &Order) -> Self {
        let mut queue = Self {
            horizon,
            ..Self::default()
        };
        for saved in saved {
            let data = HeldData {
                arrival: saved.arrival,
                programmed: saved.programmed,
                retention: Duration(saved.retention),
                skipped: Duration(saved.skipped),
                disturbed: false,
            };
            let held = Held {
                data,
                waits: saved.waits,
                is_ahead: saved.is_ahead,
                admitted: saved.admitted,
                is_admitted: saved.is_admitted,
            };
            queue.insert(saved.block, held, by);
        }
        queue
    }

    /// Puts a block into the queue, in place of what is there of it.
    pub(super) fn insert(&mut self, block: u32, held: Held, by: &Order) {
        self.remove(block, by);
        if !held.is_admitted {
            self.later.insert((held.admitted, block));
        } else if held.waits {
            self.order
                .insert((by.rule.place_of(&held.data, by.required), block));
        }
        if held.is_ahead {
            self.deadlines.insert((held.data.deadline(), block));
        }
        self.held.insert(block, held);
    }

    /// Takes a block out.
    pub(super) fn remove(&mut self, block: u32, by: &Order) -> Option<Held> {
        let held = self.held.remove(&block)?;
        self.order
            .remove(&(by.rule.place_of(&held.data, by.required), block));
        self.later.remove(&(held.admitted, block));
        self.deadlines.remove(&(held.data.deadline(), block));
        Some(held)
    }

    /// The blocks that reads have disturbed.
    pub(super) fn disturbed(&self) -> impl Iterator<Item = u32> {
        let disturbed = self.held.iter().filter(|(_, held)| held.data.disturbed);
        disturbed.map(|(block, _)| *block)
    }

    /// The blocks that wait, in the order of the policy.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, &Held)> {
        self.order
            .iter()
            .filter_map(|(_, block)| Some((*block, self.held.get(block)?)))
    }

    /// The first of them.
    pub(super) fn first(&self) -> Option<(u32, Held)> {
        self.waiting().next().map(|(block, held)| (block, *held))
    }

    /// The next deadline of a block that has not passed its own.
    pub(super) fn next_deadline(&self) -> Option<(SimTime, u32)> {
        self.deadlines.first().copied()
    }
}
