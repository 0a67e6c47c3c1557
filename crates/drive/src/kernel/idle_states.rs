//! A drive that has nothing to do goes to an idle state, and a command that comes wakes it up.

use wordline_units::SimTime;

use super::Drive;
use crate::clock::Event;
use crate::features::Features;

impl<F: Features> Drive<F> {
    /// Has a command wait where the drive is asleep or wakes up. False where it is awake.
    #[inline(never)]
    pub(super) fn waits_for_waking(&mut self, id: u32) -> bool {
        self.count_sleep();
        let (now, since) = (self.clock.now(), self.idle_since());
        let Some(idle) = self.idle.as_mut() else {
            return false;
        };
        if !idle.is_waking() {
            let Some(awake) = since.and_then(|since| idle.wake(since, now)) else {
                return false;
            };
            self.clock.schedule(awake, Event::Awake);
        }
        idle.hold(id, now);
        true
    }

    /// The drive has woken up: it takes up what waited.
    pub(super) fn awake(&mut self) {
        let now = self.clock.now();
        let Some(idle) = self.idle.as_mut() else {
            return;
        };
        for (id, came) in idle.take_waiting() {
            self.host.waited_for_waking(id, now.since(came));
            self.take_up_awake(id);
        }
    }

    /// Tells in which states the drive has been up to now.
    #[inline]
    pub(crate) fn count_sleep(&mut self) {
        if self.idle.is_some() {
            self.count_sleep_up_to_now();
        }
    }

    #[inline(never)]
    fn count_sleep_up_to_now(&mut self) {
        let (now, since) = (self.clock.now(), self.idle_since());
        if let (Some(since), Some(idle)) = (since, self.idle.as_mut()) {
            for (state, from, to) in idle.tell(since, now) {
                self.observe.slept(state, from, to);
            }
        }
    }

    /// Since when the drive has had nothing to do; `None` where it has something to do. What the firmware or the link still does of a command that is complete counts as nothing.
    fn idle_since(&self) -> Option<SimTime> {
        let host = self.observe.recorder().series.idle_since()?;
        let since = host.max(self.array.busy_until());
        (since <= self.clock.now()).then_some(since)
    }
}
