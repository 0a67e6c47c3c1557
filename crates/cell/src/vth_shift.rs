//! Errors from threshold voltages that shift and spread with wear and age, in volts.
//!
//! Constants as public channel models use them after Dong, Pan and Zhang; the powers of the cycles could not be
//! confirmed from an open text, so this is not the default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::LIFE;
use wordline_units::{Duration, Voltage};

use crate::cell::References;
use crate::error::{CellError, require};
use crate::pages::{MAX_REFERENCES, PageRates, check_bits};
use crate::solve::{STEP_BRACKET, bisect, check_step_bracket};
use crate::vth::{Erased, Programmed, crossing};

/// `[cell.rber.vth_shift]`: a programmed state at V volts loses `k_scale (V - v_erased) k_mean N^mean_power
/// ln(1 + t / t_0)` volts, and its variance gains the same with `k_variance` and `variance_power`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShiftConfig {
    /// Scale of both.
    pub k_scale: f64,
    /// Scale of the loss, per volt above the erased state.
    pub k_mean: f64,
    /// Scale of the variance in V^2, per volt above the erased state.
    pub k_variance: f64,
    /// Power of the cycles in the loss.
    pub mean_power: f64,
    /// Power of the cycles in the variance.
    pub variance_power: f64,
    /// Centre of the erased state.
    pub v_erased: Voltage,
    /// Verify voltage of the first programmed state; the others follow at `cell.vth.gap`.
    pub first_verify: Voltage,
    /// Time unit of the logarithm.
    #[schemars(extend("x-maximum" = LIFE))]
    pub t_0: Duration,
}

impl Default for ShiftConfig {
    fn default() -> Self {
        Self {
            k_scale: 0.38,
            k_mean: 4e-4,
            k_variance: 4e-6,
            mean_power: 0.4,
            variance_power: 0.5,
            v_erased: Voltage(1.4),
            first_verify: Voltage(2.6),
            t_0: Duration(3_600_000_000_000),
        }
    }
}

/// The states in volts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VthShift {
    config: ShiftConfig,
    bits: u32,
    /// Centre of the first programmed state, above the erased one, and distance of the others, V.
    first: f64,
    gap: f64,
    erased: Erased,
    fresh: Programmed,
    /// Read references above the centre of the erased state, V.
    references: [f64; MAX_REFERENCES],
}

impl VthShift {
    /// States of deviations and a step in gaps of `gap`. References are placed for fresh data and stay.
    ///
    /// # Errors
    /// Constants that are negative or not finite; verify voltages below the erased state; optimal references where
    /// densities do not cross; a list of references that `Cell` would refuse.
    pub fn new(
        config: ShiftConfig,
        bits: u32,
        erased: Erased,
        programmed: Programmed,
        gap: Voltage,
        references: &References,
    ) -> Result<Self, CellError> {
        check_bits(bits)?;
        for (key, constant) in [
            ("k_scale", config.k_scale),
            ("k_mean", config.k_mean),
            ("k_variance", config.k_variance),
            ("mean_power", config.mean_power),
            ("variance_power", config.variance_power),
        ] {
            let key = format!("cell.rber.vth_shift.{key}");
            require(
                (0.0..=8.0).contains(&constant),
                &key,
                constant,
                "numbers from 0 to 8",
            )?;
        }
        for (key, volts) in [
            ("cell.rber.vth_shift.v_erased", config.v_erased),
            ("cell.rber.vth_shift.first_verify", config.first_verify),
        ] {
            require(volts.0.abs() <= 10.0, key, volts, "voltages from -10 V to 10 V")?;
        }
        require(
            config.first_verify.0 > config.v_erased.0,
            "cell.rber.vth_shift.first_verify",
            config.first_verify,
            "voltages above cell.rber.vth_shift.v_erased",
        )?;
        let t_0 = config.t_0;
        require(
            t_0 > Duration::ZERO,
            "cell.rber.vth_shift.t_0",
            t_0,
            "times above 0",
        )?;
        let gap = check_gap(gap)?;
        let erased = Erased::unchecked(erased.sigma() * gap);
        // in volts, where a step may well be 2 and more
        let fresh = Programmed::unchecked(programmed.step() * gap, programmed.sigma() * gap);
        let first = config.first_verify.0 + 0.5 * fresh.step() - config.v_erased.0;
        let centre = |state: usize| {
            if state == 0 {
                0.0
            } else {
                first + (state - 1) as f64 * gap
            }
        };
        let mut at = [0.0; MAX_REFERENCES];
        for (index, reference) in at.iter_mut().enumerate() {
            *reference = 0.5 * (centre(index) + centre(index + 1));
        }
        match references {
            References::Midpoint => {}
            References::Optimal => at[0] = crossing(&erased, &fresh, first)?,
            References::At(list) => {
                crate::cell::check_references(list, bits)?;
                for (reference, given) in at.iter_mut().zip(list) {
                    *reference = given * gap;
                }
            }
        }
        Ok(Self {
            config,
            bits,
            first,
            gap,
            erased,
            fresh,
            references: at,
        })
    }

    /// The same cells programmed with another step, in gaps; centres and references stay, as in normalised voltages.
    pub(crate) fn with_step(&self, step: f64) -> Self {
        Self {
            fresh: Programmed::unchecked(step * self.gap, self.fresh.sigma()),
            ..*self
        }
    }

    /// The step between 0 and 1 with which the mean rate over the pages is `target`.
    pub(crate) fn step_for_rber(&self, cycles: f64, age_days: f64, target: f64) -> Result<f64, CellError> {
        let rate = |step: f64| self.with_step(step).rates(cycles, age_days).average();
        let (low, high) = STEP_BRACKET;
        let (lowest, highest) = (rate(low), rate(high));
        let sigma = self.fresh.sigma() / self.gap;
        check_step_bracket(target, sigma, [lowest, highest])?;
        Ok(bisect(low, high, |step| rate(step) > target))
    }

    /// Centre in volts above the erased state, and shape, of a programmed state after cycles and days.
    #[must_use]
    pub fn state(&self, state: u32, cycles: f64, age_days: f64) -> (f64, Programmed) {
        let centre = self.first + f64::from(state.saturating_sub(1)) * self.gap;
        let elapsed = libm::log1p(age_days * 86_400.0 / self.config.t_0.as_secs());
        let scale = self.config.k_scale * centre * elapsed;
        let loss = scale * self.config.k_mean * libm::pow(cycles, self.config.mean_power);
        let variance = scale * self.config.k_variance * libm::pow(cycles, self.config.variance_power);
        let sigma = libm::sqrt(self.fresh.sigma() * self.fresh.sigma() + variance);
        (centre - loss, Programmed::unchecked(self.fresh.step(), sigma))
    }

    /// Bit error rates of the pages, counting misreads into the neighbouring state.
    #[must_use]
    pub fn rates(&self, cycles: f64, age_days: f64) -> PageRates {
        PageRates::of_boundaries(self.bits, |boundary| {
            let reference = self.references[boundary as usize - 1];
            let below = match boundary {
                1 => self.erased.tail(reference),
                _ => {
                    let (centre, shape) = self.state(boundary - 1, cycles, age_days);
                    shape.tail(reference - centre)
                }
            };
            let (centre, shape) = self.state(boundary, cycles, age_days);
            (below, shape.tail(centre - reference))
        })
    }
}

/// Checks the voltage between states, in volts.
pub(crate) fn check_gap(gap: Voltage) -> Result<f64, CellError> {
    let holds = gap.0 > 0.0 && gap.0 <= 10.0;
    require(holds, "cell.vth.gap", gap, "voltages above 0 V up to 10 V")?;
    Ok(gap.0)
}
