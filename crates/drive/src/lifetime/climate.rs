//! The temperatures of a study, one after the other.

use wordline_cell::fence::RetentionModel;

use super::options::LifetimeOptions;
use crate::error::RunError;

/// A stretch of one temperature.
#[derive(Clone, Copy, Debug)]
struct Phase {
    /// Nanoseconds since the start of the study.
    end: u64,
    /// By how much longer rests count, and by how much longer data last.
    rests: f64,
    retention: f64,
}

/// The temperatures of a study, and which of them is the present one.
#[derive(Clone, Debug)]
pub(super) struct Climate {
    phases: Vec<Phase>,
    present: usize,
}

impl Climate {
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub(super) fn new(options: &LifetimeOptions, model: &RetentionModel) -> Result<Self, RunError> {
        let mut end = 0_u64;
        let mut phases = Vec::with_capacity(options.temperature.len());
        for (time, celsius) in &options.temperature {
            end = end.saturating_add(time.ns());
            phases.push(Phase {
                end,
                rests: model.rest_factor(*celsius)?,
                retention: model.retention_factor(*celsius)?,
            });
        }
        Ok(Self { phases, present: 0 })
    }

    fn phase(&self) -> Phase {
        const MILD: Phase = Phase {
            end: u64::MAX,
            rests: 1.0,
            retention: 1.0,
        };
        self.phases.get(self.present).copied().unwrap_or(MILD)
    }

    /// By how much longer rests count now.
    pub(super) fn rests(&self) -> f64 {
        self.phase().rests
    }

    /// By how much longer data last now.
    pub(super) fn retention(&self) -> f64 {
        self.phase().retention
    }

    /// When the temperature changes next.
    pub(super) fn change(&self) -> u64 {
        if self.present + 1 < self.phases.len() {
            self.phase().end
        } else {
            u64::MAX
        }
    }

    /// The temperature at a time; that at which two meet is the later one's.
    pub(super) fn go_to(&mut self, time: u64) {
        self.present = self.phases.partition_point(|phase| phase.end <= time);
    }
}
