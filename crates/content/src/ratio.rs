//! How large deltas are where pages have no content: the emulation of the source (Delta-FTL specification, 9.1).

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use statrs::function::erf::erfc_inv;
use wordline_keys::RefusedValue;
use wordline_units::Seed;

/// Smallest ratio that is drawn.
pub const LEAST_RATIO: f64 = 0.02;
/// Largest share of draws that may lie outside and be drawn again: with more the mean would be another one than was asked for.
pub const MOST_REDRAWN: f64 = 0.2;

/// A law of the ratio of a delta to its page: normal, between [`LEAST_RATIO`] and 1, or as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioLaw {
    mean: f64,
    sigma: f64,
    /// Lower tails at both ends.
    tails: (f64, f64),
    /// Measured ratios, in place of the normal law where there are any.
    measured: Vec<f64>,
}

impl RatioLaw {
    /// A law with this mean and deviation, before what lies outside is drawn again.
    ///
    /// # Errors
    /// A mean that is not above 0 and at most 1; a negative deviation; more than [`MOST_REDRAWN`] of the draws outside.
    pub fn new(mean: f64, sigma: f64) -> Result<Self, RefusedValue> {
        if !(mean > 0.0 && mean <= 1.0) {
            return Err(RefusedValue::new(
                "ratio",
                mean,
                "accepted are numbers above 0 up to 1",
            ));
        }
        if !(sigma >= 0.0 && sigma.is_finite()) {
            return Err(RefusedValue::new(
                "sigma",
                sigma,
                "accepted are numbers from 0 on",
            ));
        }
        let tail = |bound: f64| match sigma {
            0.0 => f64::from(bound >= mean),
            _ => 0.5 * libm::erfc((mean - bound) / sigma * FRAC_1_SQRT_2),
        };
        // without a deviation the one ratio is drawn, whatever it is
        let tails = if sigma == 0.0 {
            (0.0, 1.0)
        } else {
            (tail(LEAST_RATIO), tail(1.0))
        };
        let outside = 1.0 - (tails.1 - tails.0);
        if outside > MOST_REDRAWN {
            let found = format!("{sigma} with ratio = {mean}");
            let accepted = format!(
                "{:.0} % of the draws would lie outside of {LEAST_RATIO} to 1; accepted is a deviation with at most {:.0} %",
                100.0 * outside,
                100.0 * MOST_REDRAWN
            );
            return Err(RefusedValue::new("sigma", found, accepted));
        }
        Ok(Self {
            mean,
            sigma,
            tails,
            measured: Vec::new(),
        })
    }

    /// The law of measured ratios: each of them is as likely as the others (specification, 9.2, `model_from_real`).
    ///
    /// # Errors
    /// None; one that is not above 0 and at most 1.
    pub fn measured(ratios: &[f64]) -> Result<Self, RefusedValue> {
        let accepted = "accepted are one or more numbers above 0 up to 1";
        if ratios.is_empty() {
            return Err(RefusedValue::new("measured_ratios", "none", accepted));
        }
        if let Some(wrong) = ratios.iter().find(|ratio| !(**ratio > 0.0 && **ratio <= 1.0)) {
            return Err(RefusedValue::new("measured_ratios", wrong, accepted));
        }
        Ok(Self {
            mean: ratios.iter().sum::<f64>() / ratios.len() as f64,
            sigma: 0.0,
            tails: (0.0, 1.0),
            measured: ratios.to_vec(),
        })
    }

    /// The law of the source for a mean ratio: it names no deviation; a quarter of the mean is assumed.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn of_mean(mean: f64) -> Result<Self, RefusedValue> {
        Self::new(mean, mean / 4.0)
    }

    /// The ratio of a version of a logical page: the same whenever it is asked for.
    #[must_use]
    pub fn draw(&self, seed: Seed, logical_page: u64, version: u64) -> f64 {
        if self.sigma == 0.0 && self.measured.is_empty() {
            return self.mean;
        }
        let of_page = Seed(seed.draw("content.ratio", logical_page));
        let bits = of_page.draw("version", version) >> 11;
        if !self.measured.is_empty() {
            let number = (u128::from(bits) * self.measured.len() as u128) >> 53;
            return self.measured[number as usize];
        }
        let share = (bits as f64 + 0.5) / (1_u64 << 53) as f64;
        // by the inverse of the law between its ends, which is what drawing again comes to
        let (low, high) = self.tails;
        let z = -SQRT_2 * erfc_inv(2.0 * (low + share * (high - low)));
        (self.mean + self.sigma * z).clamp(LEAST_RATIO, 1.0)
    }

    /// The bytes of a delta with this ratio, at least 1.
    #[must_use]
    pub fn bytes(&self, page_bytes: u32, ratio: f64) -> u32 {
        ((f64::from(page_bytes) * ratio).round() as u32).clamp(1, page_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(law: &RatioLaw) -> (f64, f64) {
        let draws: Vec<f64> = (0..100_000)
            .map(|page| law.draw(Seed(11), page, page % 7))
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let square = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>();
        (mean, (square / draws.len() as f64).sqrt())
    }

    #[test]
    fn draws_follow_the_law() {
        for mean in [0.2, 0.35, 0.5] {
            let (found, deviation) = moments(&RatioLaw::of_mean(mean).unwrap());
            assert!((found - mean).abs() < 0.001, "{found}");
            assert!((deviation / mean - 0.25).abs() < 0.002, "{deviation}");
        }
        let one = RatioLaw::new(0.3, 0.0).unwrap();
        assert!((0..100).all(|page| one.draw(Seed(11), page, 1) == 0.3));
    }

    /// Each of four ratios comes up in a quarter of the draws; none else does.
    #[test]
    fn measured_ratios_are_drawn_alike() {
        let ratios = [0.01, 0.02, 0.5, 1.0];
        let law = RatioLaw::measured(&ratios).unwrap();
        let draws: Vec<f64> = (0..40_000).map(|page| law.draw(Seed(3), page, 1)).collect();
        for ratio in ratios {
            let share = draws.iter().filter(|draw| **draw == ratio).count();
            assert!(share.abs_diff(10_000) < 400, "{ratio}: {share}");
        }
        for wrong in [&[][..], &[0.5, 0.0], &[1.1], &[f64::NAN]] {
            assert_eq!(RatioLaw::measured(wrong).unwrap_err().key, "measured_ratios");
        }
    }

    /// Near the end of its range a law is cut off: mean of a normal law above its mean, cut at two deviations.
    #[test]
    fn draws_stay_inside() {
        let law = RatioLaw::new(0.8, 0.2).unwrap();
        let draws: Vec<f64> = (0..10_000).map(|page| law.draw(Seed(1), page, 0)).collect();
        assert!(draws.iter().all(|draw| (LEAST_RATIO..=1.0).contains(draw)));
        // one deviation above: mean less deviation x density(1) / P(z < 1)
        let expected = 0.8 - 0.2 * 0.241_971 / 0.841_345;
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - expected).abs() < 0.004, "{mean}, not {expected}");
    }

    /// A version keeps its ratio, whatever else is drawn before.
    #[test]
    fn a_version_has_one_ratio() {
        let law = RatioLaw::of_mean(0.35).unwrap();
        assert_eq!(law.draw(Seed(5), 9, 2), law.draw(Seed(5), 9, 2));
        assert_ne!(law.draw(Seed(5), 9, 2), law.draw(Seed(5), 9, 3));
        assert_ne!(law.draw(Seed(5), 9, 2), law.draw(Seed(5), 8, 2));
        assert_ne!(law.draw(Seed(5), 9, 2), law.draw(Seed(6), 9, 2));
    }

    #[test]
    fn laws_without_sense_are_refused() {
        let refused = |mean, sigma| RatioLaw::new(mean, sigma).unwrap_err().to_string();
        assert_eq!(
            refused(0.0, 0.1),
            "ratio = 0: accepted are numbers above 0 up to 1"
        );
        assert!(refused(1.1, 0.1).starts_with("ratio = 1.1"));
        assert!(refused(f64::NAN, 0.1).starts_with("ratio = NaN"));
        assert_eq!(refused(0.5, -0.1), "sigma = -0.1: accepted are numbers from 0 on");
        assert_eq!(
            refused(0.9, 0.2),
            "sigma = 0.2 with ratio = 0.9: 31 % of the draws would lie outside of 0.02 to 1; accepted is a deviation with at most 20 %"
        );
    }
}
