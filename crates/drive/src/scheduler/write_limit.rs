//! `scheduler.max_writes`: while as many host writes wait, reads have no priority over them.

use super::{Ranking, out_of_order};
use crate::drive::Drive;
use crate::operation::{Kind, Level, OpId};

/// Host writes that wait for a die, and how many may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteLimit {
    most: u32,
    waiting: u32,
    /// The order of the policy.
    usual: Ranking,
}

impl WriteLimit {
    pub(crate) fn new(most: u32, usual: Ranking) -> Self {
        Self {
            most,
            waiting: 0,
            usual,
        }
    }

    fn is_reached(&self) -> bool {
        self.waiting >= self.most
    }
}

impl Drive {
    /// Whether so many host writes wait that reads have lost their priority.
    pub(crate) fn writes_are_many(&self) -> bool {
        self.write_limit.as_ref().is_some_and(WriteLimit::is_reached)
    }

    /// An operation has entered (1) or left (-1) a queue.
    pub(crate) fn limit_writes(&mut self, id: OpId, change: i32) {
        let op = &self.ops[id];
        if op.level != Level::Host || op.kind() != Some(Kind::Program) {
            return;
        }
        let Some(limit) = &mut self.write_limit else {
            return;
        };
        let before = limit.is_reached();
        limit.waiting = limit.waiting.saturating_add_signed(change);
        let reached = limit.is_reached();
        if before == reached {
            return;
        }
        self.ranking = if reached {
            out_of_order::RANKING
        } else {
            limit.usual
        };
        if reached {
            self.look_after_suspended();
        }
    }
}
