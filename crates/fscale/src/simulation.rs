//! Operations in the queues of the units, event by event.

mod engine;
mod observed;
mod operations;
mod settings;
mod stations;

pub use observed::{Operations, Simulated, UnitUse};
pub use settings::{Arrivals, Backend, Placement, RunSettings, Scheduling};

use wordline_keys::RefusedValue;

use crate::drive::Drive;
use crate::mapping::{Exact, Permuted, Statistical};

impl Drive {
    /// Simulates the drive. The same settings give the same result.
    ///
    /// # Errors
    /// A value of the drive or of the settings is not accepted.
    pub fn simulate(&self, settings: &RunSettings) -> Result<Simulated, RefusedValue> {
        self.check()?;
        settings.check(self)?;
        Ok(match settings.backend {
            Backend::Statistical => engine::run(self, settings, Statistical::new(self, settings.seed)),
            Backend::Permuted => engine::run(self, settings, Permuted::new(self, settings.seed)),
            Backend::Exact => {
                let aged = Exact::aged(self, settings.seed, settings.ageing_rounds);
                engine::run(self, settings, aged)
            }
        })
    }
}
