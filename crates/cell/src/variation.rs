//! Blocks differ: the factor of a block's error rates, drawn once for each.
//!
//! J. Cui et al., DLV, IEEE TCAD 37(8), 2018, after Y. Pan, G. Dong, T. Zhang, FAST 2011.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Seed;

use crate::error::{CellError, require};
use crate::gauss;

/// How block factors are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// A normal distribution, truncated at the bounds and normalised.
    #[default]
    TruncatedNormal,
    /// A log-normal distribution with the same mean and deviation, truncated at the same bounds.
    Lognormal,
}

/// `[cell.process_variation]`: how blocks differ. A block's error rates are those of a nominal block times its
/// strength by the mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VariationConfig {
    /// The distribution.
    pub distribution: Distribution,
    /// Mean strength of a block.
    pub mean: f64,
    /// Standard deviation of the strength; 0 makes all blocks equal.
    pub sd: f64,
    /// Bounds of the strength, in deviations on either side of the mean; they stay above 0.
    pub bound_sd: f64,
    /// Seed of the random strengths; if unset, the seed of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Default for VariationConfig {
    fn default() -> Self {
        Self {
            distribution: Distribution::TruncatedNormal,
            mean: 3.7e-4,
            sd: 9e-5,
            bound_sd: 2.0,
            seed: None,
        }
    }
}

/// The law of block factors: strength by its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    distribution: Distribution,
    /// Deviation by the mean, before bounds.
    spread: f64,
    low: f64,
    high: f64,
    /// Centre and deviation of the normal law of the factor, or of its logarithm.
    centre: f64,
    sigma: f64,
    /// Its lower tail at the lower bound, its upper tail at the upper one.
    below: f64,
    above: f64,
}

impl Variation {
    /// The law that a configuration describes.
    ///
    /// # Errors
    /// A mean or bound that is not above 0, a negative deviation, bounds that reach 0.
    pub fn new(config: &VariationConfig) -> Result<Self, CellError> {
        let VariationConfig {
            distribution,
            mean,
            sd,
            bound_sd,
            ..
        } = *config;
        let key = "cell.process_variation";
        let holds = mean > 0.0 && mean.is_finite();
        require(holds, &format!("{key}.mean"), mean, "finite numbers above 0")?;
        let holds = sd >= 0.0 && sd.is_finite();
        require(holds, &format!("{key}.sd"), sd, "finite numbers from 0")?;
        let width = bound_sd * sd / mean;
        require(
            bound_sd > 0.0 && width < 1.0,
            &format!("{key}.bound_sd"),
            bound_sd,
            &format!("numbers above 0 and below mean / sd = {}", mean / sd),
        )?;
        let spread = sd / mean;
        let (low, high) = (1.0 - width, 1.0 + width);
        let (centre, sigma, from, to) = match distribution {
            Distribution::TruncatedNormal => (1.0, spread, low, high),
            Distribution::Lognormal => {
                let variance = libm::log1p(spread * spread);
                (
                    -0.5 * variance,
                    libm::sqrt(variance),
                    libm::log(low),
                    libm::log(high),
                )
            }
        };
        let tail = |distance: f64| {
            if sigma > 0.0 {
                gauss::upper_tail(distance / sigma)
            } else {
                0.0
            }
        };
        Ok(Self {
            distribution,
            spread,
            low,
            high,
            centre,
            sigma,
            below: tail(centre - from),
            above: tail(to - centre),
        })
    }

    /// Least and largest factor.
    #[must_use]
    pub const fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The factor below which a share of all blocks lies.
    ///
    /// # Errors
    /// A share outside 0 to 1.
    pub fn quantile(&self, share: f64) -> Result<f64, CellError> {
        require(
            (0.0..=1.0).contains(&share),
            "quantile",
            share,
            "shares from 0 to 1",
        )?;
        Ok(self.at(share))
    }

    /// The share of all blocks whose factor is below `factor`.
    #[must_use]
    pub fn share_below(&self, factor: f64) -> f64 {
        if factor <= self.low || factor >= self.high || self.sigma == 0.0 {
            return if factor >= self.high { 1.0 } else { 0.0 };
        }
        let place = match self.distribution {
            Distribution::TruncatedNormal => factor,
            Distribution::Lognormal => libm::log(factor),
        };
        let below = gauss::upper_tail((self.centre - place) / self.sigma);
        (below - self.below) / (1.0 - self.below - self.above)
    }

    /// The factor of a block. It depends on seed and index alone, and has the precision of 24 bits, in which the
    /// last bits of a machine's logarithm do not show.
    #[must_use]
    pub fn factor(&self, seed: Seed, block: u64) -> f32 {
        let draw = seed.draw("cell.process_variation", block) >> 11;
        // the middle of one of 2^53 equal parts
        self.at((draw as f64 + 0.5) * f64::EPSILON * 0.5) as f32
    }

    /// Mean and deviation of the factor within its bounds.
    #[must_use]
    pub fn moments(&self) -> (f64, f64) {
        if self.sigma == 0.0 {
            return (1.0, 0.0);
        }
        match self.distribution {
            Distribution::TruncatedNormal => {
                let bound = (self.high - 1.0) / self.spread;
                let inside = 1.0 - 2.0 * gauss::upper_tail(bound);
                let variance = 1.0 - 2.0 * bound * gauss::density(bound) / inside;
                (1.0, self.spread * libm::sqrt(variance))
            }
            Distribution::Lognormal => {
                let moment = |power: f64| {
                    let shift = power * self.sigma;
                    let low = (libm::log(self.low) - self.centre) / self.sigma - shift;
                    let high = (libm::log(self.high) - self.centre) / self.sigma - shift;
                    let inside = 1.0 - gauss::upper_tail(-low) - gauss::upper_tail(high);
                    libm::exp(power * self.centre + 0.5 * shift * shift) * inside
                        / (1.0 - self.below - self.above)
                };
                let mean = moment(1.0);
                (mean, libm::sqrt(moment(2.0) - mean * mean))
            }
        }
    }

    fn at(&self, share: f64) -> f64 {
        if self.sigma == 0.0 {
            return 1.0;
        }
        let inside = 1.0 - self.below - self.above;
        let place = self.centre + self.sigma * gauss::quantile(self.below + share * inside);
        let factor = match self.distribution {
            Distribution::TruncatedNormal => place,
            Distribution::Lognormal => libm::exp(place),
        };
        factor.clamp(self.low, self.high)
    }
}
