//! Fowler-Nordheim tunnelling through the tunnel oxide.
//!
//! The form of Lenzlinger and Snow (J. Appl. Phys. 40, 1969) without their corrections for image force
//! and temperature: `J = A E^2 exp(-B / E)`.

use std::f64::consts::PI;

use crate::constants::{ELECTRON_MASS, ELEMENTARY_CHARGE, PLANCK};

/// Effective mass of an electron in the oxide by that of a free one, and height of the barrier in
/// electronvolts: commonly quoted from Lenzlinger and Snow for Si-SiO2; the original was not consulted.
pub const EFFECTIVE_MASS: f64 = 0.42;
/// See [`EFFECTIVE_MASS`].
pub const BARRIER_EV: f64 = 3.2;

/// The factor `A = q^2 / (8 pi h) (m0 / m_ox) / phi_B` in amperes per square volt, `phi_B` in volts:
/// 1.1469e-6.
#[must_use]
pub fn factor() -> f64 {
    ELEMENTARY_CHARGE * ELEMENTARY_CHARGE / (8.0 * PI * PLANCK * EFFECTIVE_MASS * BARRIER_EV)
}

/// The slope `B = 4 sqrt(2 m_ox) (q phi_B)^1.5 / (3 hbar q)` in volts per metre: 2.534e10.
#[must_use]
pub fn slope() -> f64 {
    let barrier = ELEMENTARY_CHARGE * BARRIER_EV;
    let hbar = PLANCK / (2.0 * PI);
    4.0 * (2.0 * EFFECTIVE_MASS * ELECTRON_MASS).sqrt() * barrier * barrier.sqrt()
        / (3.0 * hbar * ELEMENTARY_CHARGE)
}

/// Current density in amperes per square metre at a field in volts per metre.
#[must_use]
pub fn current_density(field: f64) -> f64 {
    if field <= 0.0 {
        return 0.0;
    }
    factor() * field * field * libm::exp(-slope() / field)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The values of the specification, section 6.
    #[test]
    fn constants_come_out_of_the_si() {
        assert!((factor() / 1.146_900e-6 - 1.0).abs() < 1e-6, "{}", factor());
        assert!((slope() / 2.534_118e10 - 1.0).abs() < 1e-6, "{}", slope());
        // 1.0e7 V/cm gives 1.13e-3 A/cm^2
        assert!((current_density(1e9) / 1e4 / 1.13e-3 - 1.0).abs() < 5e-3);
        assert_eq!(current_density(0.0), 0.0);
    }

    proptest! {
        #[test]
        fn rises_with_the_field_along_a_straight_line(field in 3e8..4e9_f64, more in 1.001..2.0_f64) {
            let (low, high) = (current_density(field), current_density(field * more));
            prop_assert!(high > low);
            let log = |current: f64, field: f64| libm::log(current / field / field);
            let measured: f64 = (log(high, field * more) - log(low, field)) / (1.0 / (field * more) - 1.0 / field);
            prop_assert!((measured / -slope() - 1.0).abs() < 1e-6);
        }
    }
}
