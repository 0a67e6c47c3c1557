//! A number that rises and falls, and its integral over time.

use crate::series_window::Window;

/// How many there are at a time, and the integral of that.
///
/// Coming and going are cheap: up to a moment t the integral is the level times t, less the moments of those that came,
/// plus the moments of those that went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauge {
    pub(crate) level: u64,
    /// Sum of the moments of coming less that of the moments of going, ns.
    moments: i128,
    /// Nanoseconds at a level above zero in stretches that are over, and where the present one began, or the last one ended.
    active_before: u64,
    active_since: u64,
    /// Level times nanoseconds, and nanoseconds at a level above zero, that are in the account of windows.
    pub(crate) area: u128,
    pub(crate) active: u64,
}

impl Gauge {
    /// There is one more from `now` on; times never go back.
    #[inline]
    pub(crate) fn rise(&mut self, now: u64) {
        if self.level == 0 {
            self.active_since = now;
        }
        self.level += 1;
        self.moments += i128::from(now);
    }

    /// There is one less from `now` on; times never go back.
    #[inline]
    pub(crate) fn fall(&mut self, now: u64) {
        self.level -= 1;
        self.moments -= i128::from(now);
        if self.level == 0 {
            self.active_before += now - self.active_since;
            self.active_since = now;
        }
    }

    /// Since when there have been none; `None` where there are any.
    pub(crate) fn none_since(&self) -> Option<u64> {
        (self.level == 0).then_some(self.active_since)
    }

    /// Nanoseconds at a level above zero up to `now`, since counting began.
    pub(crate) fn active_up_to(&self, now: u64) -> u64 {
        let present = if self.level > 0 {
            now - self.active_since
        } else {
            0
        };
        self.active_before + present
    }

    /// Counts afresh from `now` on; how many there are stays.
    pub(crate) fn restart(&mut self, now: u64) {
        *self = Self {
            level: self.level,
            moments: i128::from(self.level) * i128::from(now),
            active_since: now,
            ..Self::default()
        };
    }

    /// Puts what happened up to `now` into the account of `window`, less what is in those before.
    pub(crate) fn settle(&mut self, now: u64, window: &mut Window) {
        let area = (i128::from(self.level) * i128::from(now) - self.moments) as u128;
        let active = self.active_up_to(now);
        window.outstanding += area - self.area;
        window.active += active - self.active;
        (self.area, self.active) = (area, active);
    }
}
