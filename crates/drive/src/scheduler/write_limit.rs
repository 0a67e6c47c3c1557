//! `scheduler.max_writes`: while as many host writes wait, reads have no priority over them.

use super::ranking::Ranking;
use crate::operation::{Kind, Level, Op};

/// Host writes that wait for a die, and how many may.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteLimit {
    most: u32,
    waiting: u32,
    /// The order of the policy, and the one while the limit is reached.
    usual: Ranking,
    by_age: Ranking,
}

impl WriteLimit {
    pub(super) fn new(most: u32, usual: Ranking, by_age: Ranking) -> Self {
        Self {
            most,
            waiting: 0,
            usual,
            by_age,
        }
    }

    pub(super) fn is_reached(&self) -> bool {
        self.waiting >= self.most
    }

    /// An operation has entered (1) or left (-1) a queue. Tells the order in force from then on, where that changes.
    pub(super) fn count(&mut self, op: &Op, change: i32) -> Option<Ranking> {
        if op.level != Level::Host || op.kind() != Some(Kind::Program) {
            return None;
        }
        let before = self.is_reached();
        self.waiting = self.waiting.saturating_add_signed(change);
        let reached = self.is_reached();
        (before != reached).then_some(if reached { self.by_age } else { self.usual })
    }
}
