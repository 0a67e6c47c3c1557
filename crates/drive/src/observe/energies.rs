//! What the ledger of energy is told, and asked, beside finished operations.

use wordline_metrics::Constituent;
use wordline_units::SimTime;

use super::Observer;
use crate::features::Features;
use crate::operation::Kind;

impl<F: Features> Observer<F> {
    /// The drive was in an idle state.
    pub(crate) fn slept(&mut self, state: usize, from: SimTime, to: SimTime) {
        self.recorder.slept(state, from, to);
    }

    /// What a program or an erase that starts will be charged with, J.
    pub(crate) fn write_cost(&self, kind: Kind, constituent: &Constituent) -> f64 {
        let energy = self.recorder.energy.as_ref();
        energy.map_or(0.0, |energy| energy.write_cost(kind.into(), constituent))
    }
}
