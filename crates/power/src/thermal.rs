//! The temperature of a body that takes up power and gives off heat: one thermal resistance and one heat capacity.
//!
//! $C\,dT/dt = P - (T - T_a)/R$. With constant power the temperature goes to $T_\infty = T_a + P R$ by $e^{-t/\tau}$, $\tau = R C$: the step response of the first
//! of the pairs of resistances and capacities with which a thermal impedance is described.

/// A body of one temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThermalModel {
    /// Temperature around the body, degC.
    pub ambient: f64,
    /// By how much the body is warmer for each watt that it gives off, K/W.
    pub resistance: f64,
    /// Heat for each kelvin that it becomes warmer, J/K.
    pub capacity: f64,
}

impl ThermalModel {
    /// The temperature to which it comes with this power for ever, degC.
    #[must_use]
    pub fn steady(&self, watts: f64) -> f64 {
        self.ambient + watts * self.resistance
    }

    /// The time constant, s.
    #[must_use]
    pub fn time_constant(&self) -> f64 {
        self.resistance * self.capacity
    }

    /// The temperature after `seconds` of constant power, from `now` degC on; exact.
    #[must_use]
    pub fn after(&self, now: f64, watts: f64, seconds: f64) -> f64 {
        let steady = self.steady(watts);
        steady + (now - steady) * (-seconds / self.time_constant()).exp()
    }

    /// The mean temperature over `seconds` of constant power, in which it goes from `now` to `after` degC; exact. `now` where no time passes.
    #[must_use]
    pub fn mean(&self, now: f64, after: f64, watts: f64, seconds: f64) -> f64 {
        if seconds > 0.0 {
            self.steady(watts) + (now - after) * self.time_constant() / seconds
        } else {
            now
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BODY: ThermalModel = ThermalModel {
        ambient: 25.0,
        resistance: 10.0,
        capacity: 8.0,
    };

    /// 5 W on 10 K/W are 50 K; 63.2 % of them after 80 s.
    #[test]
    fn the_step_response_is_the_worked_one() {
        assert_eq!(BODY.steady(5.0), 75.0);
        assert_eq!(BODY.time_constant(), 80.0);
        assert!((BODY.after(25.0, 5.0, 80.0) - 56.606).abs() < 1e-3);
        assert!((BODY.after(75.0, 0.0, 160.0) - 31.767).abs() < 1e-3);
        assert_eq!(BODY.after(40.0, 5.0, 0.0), 40.0);
        // 75 - 50 (1 - 1/e)
        assert!((BODY.mean(25.0, BODY.after(25.0, 5.0, 80.0), 5.0, 80.0) - 43.394).abs() < 1e-3);
        assert_eq!(BODY.mean(40.0, 40.0, 5.0, 0.0), 40.0);
    }

    proptest! {
        /// Two steps of the same power are one of both lengths, and the temperature stays between where it is and where it goes.
        #[test]
        fn steps_add_up(now in -40.0..120.0_f64, watts in 0.0..30.0_f64, first in 0.0..1e3_f64, second in 0.0..1e3_f64) {
            let (once, twice) = (
                BODY.after(now, watts, first + second),
                BODY.after(BODY.after(now, watts, first), watts, second),
            );
            prop_assert!((once - twice).abs() < 1e-9, "{} {}", once, twice);
            let steady = BODY.steady(watts);
            prop_assert!(once >= now.min(steady) - 1e-9 && once <= now.max(steady) + 1e-9);
        }
    }
}
