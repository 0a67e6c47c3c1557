//! How long cells rest before they are stressed.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{ParamError, require};
use super::lookup::Lookup;
use super::model::check_rest;

/// Bins of rests above a second.
const BINS: usize = 64;
/// ln of the seconds that the bins reach to: 10^9 s. Longer rests are in the last.
const REACH: f64 = 20.723_265_836_946_41;

/// A distribution of rests: a bin for those of a second and less, which free nothing, and 64 logarithmic ones up to
/// 10^9 s. Each bin keeps the mean of the logarithms in it, so that a constant rest stays exact.
///
/// Rates are to be averaged over it; a mean rest overstates recovery, by a factor that can exceed ten.
#[derive(Clone, Debug, PartialEq)]
pub struct RestHistogram {
    weights: [f64; BINS + 1],
    ln_sums: [f64; BINS + 1],
}

impl Serialize for RestHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.weights[..], &self.ln_sums[..]).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RestHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (weights, ln_sums) = <(Vec<f64>, Vec<f64>)>::deserialize(deserializer)?;
        match (weights.try_into(), ln_sums.try_into()) {
            (Ok(weights), Ok(ln_sums)) => {
                let found = Self { weights, ln_sums };
                if found.is_possible() {
                    Ok(found)
                } else {
                    Err(D::Error::custom(
                        "a distribution of rests that are none of their bins",
                    ))
                }
            }
            _ => Err(D::Error::custom("a distribution of rests with other bins")),
        }
    }
}

impl Default for RestHistogram {
    fn default() -> Self {
        Self {
            weights: [0.0; BINS + 1],
            ln_sums: [0.0; BINS + 1],
        }
    }
}

impl RestHistogram {
    /// Whether every bin may have counted what it says, and the mean of its rests lies in it.
    fn is_possible(&self) -> bool {
        /// More rests than can be counted, and ln of more seconds than a rest can count as.
        const MOST: f64 = 1e18;
        const LONGEST: f64 = 64.0;
        let width = REACH / BINS as f64;
        self.weights
            .iter()
            .zip(self.ln_sums)
            .enumerate()
            .all(|(bin, (weight, ln_sum))| {
                let highest = if bin == BINS { LONGEST } else { bin as f64 * width };
                let lowest = bin.saturating_sub(1) as f64 * width;
                // sums are rounded
                let within = (lowest * weight) * (1.0 - 1e-6)..=(highest * weight) * (1.0 + 1e-6);
                (0.0..MOST).contains(weight) && within.contains(&ln_sum)
            })
    }

    /// The distribution that holds each rest, in seconds, with its share.
    ///
    /// # Errors
    /// A negative or non-finite rest or share; shares that do not sum to 1.
    pub fn from_shares(shares: &[(f64, f64)]) -> Result<Self, ParamError> {
        let mut histogram = Self::default();
        for (rest, share) in shares {
            check_rest(*rest)?;
            require(
                share.is_finite() && *share >= 0.0,
                "share",
                share,
                "accepted are finite numbers of 0 or more",
            )?;
            histogram.add(*rest, *share);
        }
        let total = histogram.total();
        require(
            (total - 1.0).abs() < 1e-9,
            "shares",
            total,
            "accepted are shares that sum to 1",
        )?;
        Ok(histogram)
    }

    /// Counts one rest in seconds; what is no time counts as none.
    #[inline]
    pub fn record(&mut self, rest: f64) {
        self.add(rest, 1.0);
    }

    fn add(&mut self, rest: f64, weight: f64) {
        if rest > 1.0 {
            let ln = libm::log(rest);
            let bin = 1 + ((ln * (BINS as f64 / REACH)) as usize).min(BINS - 1);
            self.weights[bin] += weight;
            self.ln_sums[bin] += weight * ln;
        } else {
            self.weights[0] += weight;
        }
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &Self) {
        for (to, from) in self.weights.iter_mut().zip(other.weights) {
            *to += from;
        }
        for (to, from) in self.ln_sums.iter_mut().zip(other.ln_sums) {
            *to += from;
        }
    }

    /// Rests counted.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Equivalent events that an event adds to a wear, on average over the rests, each `factor` times as long; 1 without
    /// any.
    #[must_use]
    pub fn mean_gain(&self, lookup: &Lookup, equivalent_events: f64, factor: f64) -> f64 {
        if self.total() == 0.0 {
            return 1.0;
        }
        self.shares()
            .map(|(share, ln_rest)| {
                let rest = libm::exp(ln_rest) * if ln_rest > 0.0 { factor } else { 1.0 };
                share / lookup.events_per_equivalent(equivalent_events, rest)
            })
            .sum()
    }

    /// The bins that hold something: share of all rests, and mean logarithm of their seconds.
    pub fn shares(&self) -> impl Iterator<Item = (f64, f64)> {
        let total = self.total();
        self.weights
            .iter()
            .zip(self.ln_sums)
            .filter(|(weight, _)| **weight > 0.0)
            .map(move |(weight, ln_sum)| (weight / total, ln_sum / weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_that_hold_what_is_not_theirs_are_told() {
        let mut counted = RestHistogram::default();
        for rest in [0.0, 0.5, 1.0, 1.0 + 1e-12, 2.0, 5e3, 1e9, 1e12, 1e20] {
            counted.record(rest);
            counted.record(rest * 1.7);
        }
        let doubled = counted.clone();
        counted.merge(&doubled);
        assert!(counted.is_possible());
        let refused = |change: fn(&mut RestHistogram)| {
            let mut changed = counted.clone();
            change(&mut changed);
            !changed.is_possible()
        };
        assert!(refused(|of| of.weights[3] = f64::NAN));
        assert!(refused(|of| of.weights[3] = -1.0));
        assert!(refused(|of| of.weights[0] = f64::INFINITY));
        assert!(refused(|of| of.ln_sums[0] = 1.0));
        assert!(refused(|of| of.ln_sums[BINS] = 1e3));
        assert!(refused(|of| of.ln_sums[10] = f64::NAN));
        assert!(refused(|of| of.ln_sums[10] = 1.0));
        assert!(refused(|of| of.weights.swap(1, 30)));
    }
}
