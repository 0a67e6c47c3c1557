//! The temperatures of a study, one after the other.

use wordline_cell::fence::Lookup;

use crate::error::LifetimeError;
use crate::options::LifetimeOptions;

/// An interval of constant temperature.
#[derive(Clone, Copy, Debug)]
struct Interval {
    /// Its end in nanoseconds since the start of the study.
    end: u64,
    /// A rest, and retention, are so many times as long as at 30 degC.
    rest_factor: f64,
    retention_factor: f64,
}

/// The temperatures of a study, and which of them is the present one.
#[derive(Clone, Debug)]
pub(crate) struct TemperatureProfile {
    intervals: Vec<Interval>,
    present: usize,
}

impl TemperatureProfile {
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub(crate) fn new(options: &LifetimeOptions, lookup: &Lookup) -> Result<Self, LifetimeError> {
        let mut end = 0_u64;
        let mut intervals = Vec::with_capacity(options.temperature.len());
        for (time, celsius) in &options.temperature {
            end = end.saturating_add(time.ns());
            intervals.push(Interval {
                end,
                rest_factor: lookup.rest_factor(*celsius)?,
                retention_factor: lookup.retention_factor(*celsius)?,
            });
        }
        Ok(Self {
            intervals,
            present: 0,
        })
    }

    fn interval(&self) -> Interval {
        const REFERENCE: Interval = Interval {
            end: u64::MAX,
            rest_factor: 1.0,
            retention_factor: 1.0,
        };
        self.intervals.get(self.present).copied().unwrap_or(REFERENCE)
    }

    /// What a rest is multiplied by at the present temperature, so that it acts as at 30 degC.
    pub(crate) fn rest_factor(&self) -> f64 {
        self.interval().rest_factor
    }

    /// What retention at 30 degC is multiplied by for the present temperature.
    pub(crate) fn retention_factor(&self) -> f64 {
        self.interval().retention_factor
    }

    /// When the temperature changes next, in nanoseconds since the start of the study; `u64::MAX` after the last change.
    pub(crate) fn next_change(&self) -> u64 {
        if self.present + 1 < self.intervals.len() {
            self.interval().end
        } else {
            u64::MAX
        }
    }

    /// Makes the temperature at a time the present one; at the end of an interval that of the next interval holds.
    pub(crate) fn set_time(&mut self, time: u64) {
        self.present = self.intervals.partition_point(|interval| interval.end <= time);
    }
}
