//! For how long programs and erases have been held back for want of power.

use wordline_units::SimTime;

/// Time in which power was lacking, in all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PowerClock {
    /// ns, up to `since` where it is lacking now.
    passed: u64,
    since: Option<SimTime>,
}

impl PowerClock {
    /// Power is lacking from now on, or no longer.
    pub(super) fn turn(&mut self, now: SimTime, is_lacking: bool) {
        self.passed = self.read(now);
        self.since = is_lacking.then_some(now);
    }

    /// Up to now, ns.
    #[inline]
    pub(super) fn read(&self, now: SimTime) -> u64 {
        self.passed + self.since.map_or(0, |since| now.since(since).ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_without_power_adds_up() {
        let mut clock = PowerClock::default();
        let turns = [(10, true), (15, false), (20, true), (20, false), (30, true)];
        for (at, is_lacking) in turns {
            clock.turn(SimTime(at), is_lacking);
        }
        assert_eq!(clock.read(SimTime(37)), 5 + 7);
    }
}
