//! Refresh that costs nothing: the bound of what refresh can do.

use wordline_units::{Duration, SimTime};

use super::Refresher;
use super::queue::Held;

impl Refresher {
    /// The oracle: what was due has been written anew when it was. A block that keeps data for less than required can be written anew as often as one likes: that is not done.
    pub(super) fn refresh_at_no_cost(&mut self, pool: usize, now: SimTime, valid: &impl Fn(u32) -> u32) {
        let (rule, required) = (self.order.rule, self.order.required);
        let due_of = |held: &Held| rule.due_of(&held.data, required);
        let is_due = |(_, held): &(u32, Held)| due_of(held) <= now;
        while let Some((block, mut held)) = self.queues[pool].first().filter(is_due) {
            if valid(block) == 0 {
                self.leave(block);
            } else if held.data.retention < self.rules.interval {
                self.give_up(block, &held);
            } else if held.data.retention < required {
                held.data.programmed = now;
                held.data.skipped = Duration::ZERO;
                (held.waits, held.is_ahead) = (false, false);
                self.queues[pool].insert(block, held, &self.order);
            } else {
                self.totals.blocks += 1;
                // at least a look later, where next to nothing is left beyond what is required
                let next = held.data.programmed + self.rules.interval;
                held.data.programmed = due_of(&held).max(next);
                held.data.skipped = Duration::ZERO;
                held.admitted = self.admitted_from(&held.data).unwrap_or_default();
                held.is_admitted = held.admitted <= now;
                self.queues[pool].insert(block, held, &self.order);
            }
        }
    }
}
