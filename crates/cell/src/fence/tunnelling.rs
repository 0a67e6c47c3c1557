//! Fowler-Nordheim tunnelling at a temperature (equation F1; Lenzlinger and Snow 1969).

use std::f64::consts::PI;

use super::constants::{BOLTZMANN, ELECTRON_MASS, ELEMENTARY_CHARGE, PLANCK};

/// Slope `4 sqrt(2 m) phi^1.5 / (3 hbar q)` in volts per metre of a barrier in electronvolts; `mass` in electron
/// masses. It is B of Fowler and Nordheim, and of the leak with its reduced barrier.
pub(super) fn slope(mass: f64, barrier_ev: f64) -> f64 {
    let barrier = ELEMENTARY_CHARGE * barrier_ev;
    let hbar = PLANCK / (2.0 * PI);
    4.0 * (2.0 * mass * ELECTRON_MASS).sqrt() * barrier * barrier.sqrt() / (3.0 * hbar * ELEMENTARY_CHARGE)
}

/// The argument x of the correction for temperature; it must be below pi.
pub(super) fn thermal_argument(mass: f64, barrier_ev: f64, field: f64, kelvin: f64) -> f64 {
    let barrier = ELEMENTARY_CHARGE * barrier_ev;
    let hbar = PLANCK / (2.0 * PI);
    2.0 * PI * BOLTZMANN * kelvin * (2.0 * mass * ELECTRON_MASS * barrier).sqrt()
        / (hbar * ELEMENTARY_CHARGE * field)
}

/// x / sin x, 1 at 0.
pub(super) fn thermal_factor(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x / libm::sin(x) }
}

/// Current density in amperes per square metre. `silicon_mass` and `mass` of the oxide in electron masses, `field` in
/// volts per metre.
pub(super) fn current_density(silicon_mass: f64, mass: f64, barrier_ev: f64, field: f64, kelvin: f64) -> f64 {
    let barrier = ELEMENTARY_CHARGE * barrier_ev;
    let factor = ELEMENTARY_CHARGE * ELEMENTARY_CHARGE * ELEMENTARY_CHARGE * (silicon_mass / mass)
        / (8.0 * PI * PLANCK * barrier);
    thermal_factor(thermal_argument(mass, barrier_ev, field, kelvin))
        * factor
        * field
        * field
        * libm::exp(-slope(mass, barrier_ev) / field)
}
