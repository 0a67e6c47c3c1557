//! Operations in the queues of the units, event by event.

mod admission;
mod engine;
mod host;
mod looking_up;
mod lru;
mod observed;
mod operations;
mod requests;
mod settings;
mod stations;
mod table_cache;
mod writing;

pub use observed::{ClassLatency, Operations, Simulated, UnitUse};
pub use settings::{Arrivals, Backend, ReplayError, RunSettings, Scheduling};

use wordline_keys::RefusedValue;
use wordline_workload::{Source, SourceError};

use crate::drive::Drive;
use crate::error::require;
use crate::mapping::{Exact, Permuted, Statistical};
use crate::simulation::host::Host;

impl Drive {
    /// Simulates the drive under its workload. The same settings give the same result.
    ///
    /// # Errors
    /// A value of the drive or of the settings is not accepted.
    pub fn simulate(&self, settings: &RunSettings) -> Result<Simulated, RefusedValue> {
        self.check()?;
        settings.check(self)?;
        require(
            settings.arrivals != Arrivals::Recorded,
            "arrivals",
            "recorded",
            "accepted in the replay of a trace",
        )?;
        let host = Host::law(self, settings.seed);
        // requests that are drawn fail where they come too fast
        self.run(settings, host, settings.operations, self.is_uniform())
            .map_err(|error| {
                RefusedValue::new(
                    "arrivals.open",
                    error.0,
                    "accepted are rates that the drive keeps up with",
                )
            })
    }

    /// Replays a trace, whose reads and writes take the place of those of the workload; other commands are passed over. Addresses are within the
    /// capacity. A page that a request covers in part is read and written as a whole.
    ///
    /// # Errors
    /// A value of the drive or of the settings is not accepted; the trace breaks off, or has a request that the drive cannot take.
    pub fn replay(&self, settings: &RunSettings, source: Box<dyn Source>) -> Result<Simulated, ReplayError> {
        let mut drive = self.clone();
        // collection works as in a drive that is written
        drive.workload.write_fraction = 1.0;
        drive.check()?;
        settings.check(&drive)?;
        require(
            !matches!(settings.arrivals, Arrivals::Open(_)),
            "arrivals",
            "open",
            "accepted in the replay of a trace are \"closed\" and \"recorded\"",
        )?;
        let load = &self.workload;
        for (key, found) in [
            ("workload.host_bytes", load.host_bytes.is_some()),
            ("workload.zipf", load.zipf > 0.0),
            ("workload.hot_pages", load.hot_pages > 0.0),
            ("workload.hot_package", load.hot_package > 0.0),
        ] {
            require(
                !found,
                key,
                "set",
                "accepted is the default: a trace says what the host asks",
            )?;
        }
        let requests = source
            .len_hint()
            .map_or(settings.operations, |all| all.min(settings.operations));
        let host = Host::trace(&drive, source);
        Ok(drive.run(settings, host, requests, false)?)
    }

    fn run(
        &self,
        settings: &RunSettings,
        host: Host,
        requests: u64,
        is_uniform: bool,
    ) -> Result<Simulated, SourceError> {
        let seed = settings.seed;
        match settings.backend {
            Backend::Statistical => {
                let mapping = if is_uniform {
                    Statistical::new(self, seed)
                } else {
                    Statistical::by_page(self, seed)
                };
                engine::run(self, settings, host, requests, mapping)
            }
            Backend::Permuted => engine::run(self, settings, host, requests, Permuted::new(self, seed)),
            Backend::Exact => {
                let aged = Exact::aged(self, seed, settings.ageing_rounds);
                engine::run(self, settings, host, requests, aged)
            }
        }
    }
}
