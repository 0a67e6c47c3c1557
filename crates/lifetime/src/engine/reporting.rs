//! What a study has found, at its end.

use wordline_metrics::Stopwatch;

use super::Engine;
use crate::report::{self, LifetimeReport};

impl Engine<'_> {
    /// The result of the study, which is over.
    pub(crate) fn report(self, stopwatch: &Stopwatch) -> LifetimeReport {
        let snapshots = self.snapshots.as_slice();
        let life = report::life(snapshots, self.options.required.as_secs());
        let horizon = self.options.horizon.as_secs();
        let error = self.control.error;
        LifetimeReport {
            blocks: self.block_columns(),
            life,
            error,
            life_error: report::in_time(snapshots, life.unwrap_or(horizon), error),
            write_amplification: self.simulation.write_amplification(),
            programmed: self.simulation.programmed(),
            simulated: self.simulation.at() as f64 / self.now().max(1) as f64,
            skips: (self.control.kept, self.control.discarded),
            halved: self.control.halved,
            fleet: report::fleet_lives(snapshots, self.options.required.as_secs()),
            refresh: self.refresh_report(),
            cpu: stopwatch.cost().cpu_s,
            corrected: self.lookup.corrected(),
            identity: self.identity,
            timed: self
                .snapshots
                .timed_report(self.options.timed.map(|asked| asked.end_ratio)),
            snapshots: self.snapshots.into_vec(),
        }
    }
}
