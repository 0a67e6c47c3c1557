//! The discrete recurrence of older simulators, to compare with.

use super::error::ParamError;
use super::model::{RetentionModel, check_rest};

/// Wear as the lineage of simulators behind the dissertation accumulates it: by batches of events, of which only the
/// last rest counts (section 4.1 of the specification). The rate law is what the rest of the module uses; against
/// this recurrence it is between 8.1 % low and 11.8 % high in cycles to a retention of 0.25 to 20 years, between
/// 4.7 % low and 5.9 % high for rests of 10^3 s and longer.
#[derive(Clone, Debug)]
pub struct BatchRecurrence<'a> {
    model: &'a RetentionModel,
    events: f64,
    batch: u64,
    seen: u64,
}

impl<'a> BatchRecurrence<'a> {
    /// A cell without wear.
    #[must_use]
    pub fn new(model: &'a RetentionModel) -> Self {
        Self {
            model,
            events: 0.0,
            batch: 1,
            seen: 0,
        }
    }

    /// Equivalent events so far.
    #[must_use]
    pub fn equivalent_events(&self) -> f64 {
        self.events
    }

    /// An event after a rest in seconds.
    ///
    /// # Errors
    /// A negative or non-finite rest.
    pub fn apply(&mut self, rest: f64) -> Result<(), ParamError> {
        check_rest(rest)?;
        self.seen += 1;
        if self.seen < self.batch {
            return Ok(());
        }
        self.seen = 0;
        let traps = self.model.traps();
        let trapped = traps.trapped(self.events.max(1.0));
        let before = self.batch as f64;
        // rests of a second and less free nothing, however many
        let ln_rest = if rest > 1.0 { libm::log(before * rest) } else { 0.0 };
        let undone = traps.events(traps.recovered(trapped, ln_rest));
        if undone > before {
            self.batch = (undone as u64).saturating_add(1);
        } else if (undone - before).abs() <= 0.5 {
            self.batch = self.batch.saturating_add(1);
        }
        self.events += self.batch as f64 - undone;
        Ok(())
    }
}
