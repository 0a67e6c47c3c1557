//! What a drive keeps of each block.

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use super::error::TimeRunsBack;
use super::lookup::Lookup;

/// The longest rest that is told apart, as the logarithm of its seconds: 10^9 s.
const REACH: f64 = 20.723_265_836_946_41;
const NEVER: u64 = u64::MAX;

/// What stresses a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stress {
    /// It is programmed; of a block, taken when it closes.
    Program,
    /// It is erased.
    Erase,
}

/// Which rest stands for the past when retention is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Representative {
    /// The geometric mean of the two rests of the last cycle, or of the last cycles ([`Lookup::over_cycles`]).
    #[default]
    LastCycle,
    /// The rest before the last event.
    LastEvent,
}

/// Wear and last rests of a block, in 24 bytes. Nothing is evaluated but the wear itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WearState {
    equivalent_events: f64,
    /// Nanoseconds; `NEVER` before the first event.
    last_event: u64,
    /// Erases, times two; odd after a program.
    cycles: u32,
    /// Logarithms of the last rests before a program and before an erase, in parts of the longest.
    erased: u16,
    data: u16,
}

const _: () = assert!(size_of::<WearState>() <= 24);

impl Default for WearState {
    fn default() -> Self {
        Self {
            equivalent_events: 0.0,
            last_event: NEVER,
            cycles: 0,
            erased: 0,
            data: 0,
        }
    }
}

impl WearState {
    /// A block that starts with so much wear and so many cycles behind it.
    #[must_use]
    pub fn worn(equivalent_events: f64, cycles: u32) -> Self {
        Self {
            equivalent_events: equivalent_events.max(0.0),
            cycles: cycles.min(u32::MAX >> 1) << 1,
            ..Self::default()
        }
    }

    /// Events without rest that would leave the same trapped charge.
    #[must_use]
    pub fn equivalent_events(&self) -> f64 {
        self.equivalent_events
    }

    /// Erases.
    #[must_use]
    pub fn cycles(&self) -> u32 {
        self.cycles >> 1
    }

    /// Whether the last event was a program.
    #[must_use]
    pub fn is_programmed(&self) -> bool {
        self.cycles & 1 == 1
    }

    /// Time of the last event, `None` before the first.
    #[must_use]
    pub fn last_event(&self) -> Option<SimTime> {
        (self.last_event != NEVER).then_some(SimTime(self.last_event))
    }

    /// An event at a time; rests count `factor` times as long as they are (`RetentionModel::rest_factor`). Returns the
    /// rest before it in seconds, as it counts: 0 before the first event.
    ///
    /// # Errors
    /// The event lies before the last one. Nothing is changed then.
    pub fn apply(
        &mut self,
        lookup: &Lookup,
        stress: Stress,
        now: SimTime,
        factor: f64,
    ) -> Result<f64, TimeRunsBack> {
        let rest = match self.last_event() {
            None => 0.0,
            Some(last) if last > now => return Err(TimeRunsBack { event: now, last }),
            Some(last) => now.since(last).as_secs() * factor,
        };
        self.apply_after(lookup, stress, now, rest);
        Ok(rest)
    }

    /// An event at a time, after a rest of so many seconds, as it counts: longer than the clock says where it stood still.
    pub fn apply_after(&mut self, lookup: &Lookup, stress: Stress, now: SimTime, rest: f64) {
        self.equivalent_events += 1.0 / lookup.events_per_equivalent(self.equivalent_events, rest);
        self.last_event = now.ns();
        let share = if self.cycles() == 0 {
            1.0
        } else {
            lookup.last_share()
        };
        match stress {
            Stress::Program => {
                self.erased = blended(self.erased, packed(rest), share);
                self.cycles |= 1;
            }
            Stress::Erase => {
                self.data = blended(self.data, packed(rest), share);
                self.cycles = ((self.cycles >> 1).saturating_add(1)).min(u32::MAX >> 1) << 1;
            }
        }
    }

    /// Sets cycles and wear where they were not simulated. Rests that are open stay open.
    pub fn set(&mut self, cycles: u32, equivalent_events: f64) {
        self.cycles = cycles.min(u32::MAX >> 1) << 1 | (self.cycles & 1);
        self.equivalent_events = equivalent_events.max(0.0);
    }

    /// The rest that stands for the past, in seconds, 1 s where there is none. Known to 0.02 %.
    #[must_use]
    pub fn rest(&self, representative: Representative) -> f64 {
        let parts = match representative {
            Representative::LastCycle => 0.5 * (f64::from(self.erased) + f64::from(self.data)),
            Representative::LastEvent if self.is_programmed() => f64::from(self.erased),
            Representative::LastEvent => f64::from(self.data),
        };
        libm::exp(parts * (REACH / f64::from(u16::MAX)))
    }

    /// Rests before the last program and before the last erase in seconds, 1 s where there is none.
    #[must_use]
    pub fn rests(&self) -> (f64, f64) {
        let seconds = |parts: u16| libm::exp(f64::from(parts) * (REACH / f64::from(u16::MAX)));
        (seconds(self.erased), seconds(self.data))
    }
}

/// The mean of the logarithms of rests, with a share of the last one.
fn blended(before: u16, last: u16, share: f64) -> u16 {
    let (before, last) = (f64::from(before), f64::from(last));
    // a cast saturates
    (before + share * (last - before)).round() as u16
}

fn packed(rest: f64) -> u16 {
    // a cast saturates
    (libm::log(rest.max(1.0)) * (f64::from(u16::MAX) / REACH)).round() as u16
}
