//! How the erases of blocks drift apart.

use serde::{Deserialize, Serialize};

/// Sums over the blocks of a group and over epochs, from which the drift of its blocks is estimated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DriftSums {
    count: f64,
    /// Squares of the deviations of blocks from the mean before an epoch, of their changes in the epoch, and the products of
    /// both.
    before: f64,
    change: f64,
    product: f64,
}

impl DriftSums {
    /// Adds a block in an epoch: its deviation before, and the change of that.
    pub(crate) fn add(&mut self, before: f64, change: f64) {
        self.count += 1.0;
        self.before += before * before;
        self.change += change * change;
        self.product += before * change;
    }

    /// The drift, from epochs of so many erases, of blocks with `variance` around the mean after so many `cycles`.
    pub(crate) fn drift(self, erases: f64, variance: f64, cycles: f64) -> Drift {
        let restoring = if self.before > 0.0 && erases > 0.0 {
            let error = (self.change / self.count.max(1.0) / self.before).sqrt();
            ((-self.product / self.before - error) / erases).max(0.0)
        } else {
            0.0
        };
        let per_erase = self.change / self.count.max(1.0) / erases.max(f64::MIN_POSITIVE);
        Drift::new(per_erase, restoring, variance, cycles)
    }
}

/// How the erases of blocks deviate from the mean of their group: a random walk with a restoring force, in proportion to the
/// deviation (an Ornstein-Uhlenbeck process).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Drift {
    /// Variance over blocks that an erase adds.
    pub(crate) variance: f64,
    /// Share of the deviation that an erase takes away.
    pub(crate) restoring: f64,
    /// Variance over blocks at present, and their mean erases, at least 1.
    pub(crate) spread: f64,
    pub(crate) cycles: f64,
}

impl Drift {
    pub(crate) fn new(variance: f64, restoring: f64, spread: f64, cycles: f64) -> Self {
        Self {
            variance,
            restoring,
            spread,
            cycles,
        }
    }

    /// The share of a deviation that is left after so many erases, and the variance that they add.
    pub(crate) fn after(self, erases: f64) -> (f64, f64) {
        if self.spread <= 0.0 {
            return (1.0, 0.0);
        }
        let left = libm::exp(-self.restoring * erases);
        let gone = 1.0 - left * left;
        let added = if self.restoring > 0.0 {
            self.variance * gone / (2.0 * self.restoring)
        } else {
            self.variance * erases
        };
        // where wear levelling keeps blocks together they deviate less over their life than an epoch suggests
        (left, added.min(self.spread * (erases / self.cycles + gone)))
    }
}
