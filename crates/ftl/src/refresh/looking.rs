//! When queues are looked at, and up to when blocks must be begun.

use wordline_units::SimTime;

use super::Refresher;
use super::queue::RefreshQueue;
use crate::policy::refresh::HeldData;

impl Refresher {
    /// Up to when blocks must be begun now: those that would be late if the pool began with them at the next look only, where each takes its time after those before it.
    pub(super) fn horizon(&self, pool: usize, now: SimTime) -> SimTime {
        let queue = &self.queues[pool];
        let next = now + self.rules.interval;
        let last = next + self.rules.block_time * queue.len() as u64;
        let mut horizon = SimTime::ZERO;
        let mut time = next;
        for (_, held) in queue.waiting() {
            let begin = self.begin_by(&held.data);
            if begin > last {
                break;
            }
            time += self.rules.block_time;
            if begin <= time {
                horizon = time;
            }
        }
        horizon
    }

    /// The next time at which a look finds something, for who has no other reason to look: a multiple of the interval, none where no block holds data.
    pub(crate) fn next_look(&self) -> Option<SimTime> {
        let lead = self.rules.interval.ns() + self.rules.block_time.ns();
        let is_free = self.order.rule.is_free;
        let begin = |data: &HeldData| {
            if is_free {
                self.order.rule.due_of(data, self.order.required).ns()
            } else {
                self.begin_by(data).ns().saturating_sub(lead)
            }
        };
        let of_queue = |queue: &RefreshQueue| {
            let waiting = queue.first().map(|(_, held)| held);
            let next = [waiting.as_ref(), queue.first_later()];
            let first = next.into_iter().flatten().map(|held| begin(&held.data)).min();
            let deadline = queue.next_deadline().map(|(deadline, _)| deadline.ns());
            first.into_iter().chain(deadline).min()
        };
        let next = self.queues.iter().filter_map(of_queue).min()?;
        let interval = self.rules.interval.ns();
        let next = next.max(self.looked.ns().saturating_add(1));
        Some(SimTime(next.div_ceil(interval).saturating_mul(interval)))
    }
}
