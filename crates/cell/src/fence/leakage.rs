//! The leak that stress opens (equations 3.6 to 3.9, F1, F2).

use super::barrier::Barrier;
use super::params::CellParams;
use super::thermal::REFERENCE_CELSIUS;
use super::tunnelling;
use crate::heat::kelvin;

/// Stress-induced leakage current against equivalent events.
#[derive(Clone, Debug)]
pub(super) struct Leakage {
    barrier: Barrier,
    /// C J_STR^beta: what the factor tends to.
    saturated: f64,
    alpha: f64,
    d: f64,
    /// Charge injected by an event in C/m^2.
    charge: f64,
    /// Field at which the leak flows in V/m.
    field: f64,
    mass: f64,
}

impl Leakage {
    pub(super) fn new(params: &CellParams) -> Self {
        let stress = tunnelling::current_density(
            params.silicon_mass,
            params.oxide_mass,
            params.barrier_height,
            params.stress_field(),
            kelvin(REFERENCE_CELSIUS),
        );
        Self {
            barrier: params.barrier.clone(),
            saturated: params.silc_c * libm::pow(stress, params.silc_beta),
            alpha: params.silc_alpha,
            d: params.silc_d,
            charge: params.injected * params.gate_capacitance(),
            field: params.injected / params.oxide,
            mass: params.oxide_mass,
        }
    }

    /// A_SILC in A/V^2 (3.7).
    pub(super) fn factor(&self, events: f64) -> f64 {
        self.saturated * libm::exp(-self.d * libm::pow(self.charge * events, self.alpha))
    }

    /// Current density in A/m^2 after `events` equivalent events (3.6).
    pub(super) fn current(&self, events: f64) -> f64 {
        let slope = tunnelling::slope(self.mass, self.barrier.height(events));
        self.factor(events) * self.field * self.field * libm::exp(-slope / self.field)
    }

    #[cfg(test)]
    pub(super) fn saturated(&self) -> f64 {
        self.saturated
    }
}
