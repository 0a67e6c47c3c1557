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
    /// By how much the squares of deviations grew in the present epoch, and of how many blocks.
    growth: (f64, f64),
    /// Growth of the variance over blocks by an erase: its sum over the epochs that have ended, that of its squares, and how many epochs there are.
    grown: (f64, f64, f64),
}

impl DriftSums {
    /// Adds a block in an epoch: its deviation before, and the change of that.
    pub(crate) fn add(&mut self, before: f64, change: f64) {
        self.count += 1.0;
        self.before += before * before;
        self.change += change * change;
        self.product += before * change;
        self.growth.0 += change * change + 2.0 * before * change;
        self.growth.1 += 1.0;
    }

    /// Ends an epoch of so many erases.
    pub(crate) fn end_epoch(&mut self, erases: f64) {
        let (growth, blocks) = std::mem::take(&mut self.growth);
        if blocks > 0.0 && erases > 0.0 {
            let by_erase = growth / blocks / erases;
            self.grown.0 += by_erase;
            self.grown.1 += by_erase * by_erase;
            self.grown.2 += 1.0;
        }
    }

    /// By how much an erase makes the variance over blocks grow, less a standard error over epochs, which keeps what is chance out; at least 0.
    fn growth(self) -> f64 {
        let (sum, squares, epochs) = self.grown;
        if epochs < 2.0 {
            return 0.0;
        }
        let mean = sum / epochs;
        let variance = (squares / epochs - mean * mean).max(0.0) / (epochs - 1.0);
        (mean - variance.sqrt()).max(0.0)
    }

    /// The drift, from epochs of so many erases, of blocks whose erases have a `variance` around their mean after so many `cycles`. Where some blocks are `lasting`ly erased more
    /// often than others, what that adds to the variance is not part of it.
    pub(crate) fn drift(self, erases: f64, variance: f64, cycles: f64, lasting: bool) -> Drift {
        let restoring = if self.before > 0.0 && erases > 0.0 {
            let error = (self.change / self.count.max(1.0) / self.before).sqrt();
            ((-self.product / self.before - error) / erases).max(0.0)
        } else {
            0.0
        };
        let per_erase = self.change / self.count.max(1.0) / erases.max(f64::MIN_POSITIVE);
        // blocks within one erase of each other do not differ
        let drift = Drift::new(per_erase, restoring, (variance - 1.0).max(0.0), cycles);
        if lasting {
            return drift;
        }
        Drift {
            present: variance,
            growth: self.growth(),
            ..drift
        }
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
    /// Variance over blocks at present beyond that of blocks within one erase of each other, and their mean erases, at least 1.
    pub(crate) spread: f64,
    pub(crate) cycles: f64,
    /// Variance over blocks at present, and by how much an erase makes it grow; 0 where some blocks are erased more often than others for good.
    pub(crate) present: f64,
    pub(crate) growth: f64,
}

impl Drift {
    pub(crate) fn new(variance: f64, restoring: f64, spread: f64, cycles: f64) -> Self {
        Self {
            variance,
            restoring,
            spread,
            cycles,
            present: 0.0,
            growth: 0.0,
        }
    }

    /// The share of a deviation that is left after so many erases, and the variance that they add: as much at least as keeps the variance at what it is, and has it grow as it
    /// was seen to grow, but no faster than over the life so far.
    pub(crate) fn after(self, erases: f64) -> (f64, f64) {
        let (left, added) = self.restored(erases);
        let cycles = self.cycles.max(1.0);
        let grown = self.present + self.growth.min(self.present / cycles) * erases;
        (left, added.max(grown - left * left * self.present))
    }

    fn restored(self, erases: f64) -> (f64, f64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The variance of 400 blocks grows by 0.01 with each erase, in epochs of 20 erases, beside whole erases that come and go.
    #[test]
    fn growth_of_the_variance_is_found_beside_what_comes_and_goes() {
        let draw = |stream: &str, at: u64| wordline_cell::fence::normal(wordline_units::Seed(1), stream, at);
        let found = |step: f64| {
            let mut sums = DriftSums::default();
            for epoch in 0..8_u64 {
                for block in 0..400_u64 {
                    let walked = |epochs: u64| -> f64 {
                        (0..epochs).map(|at| draw("walk", at * 400 + block) * step).sum()
                    };
                    let at = |epochs: u64| walked(epochs) + 0.5 * draw("phase", epochs * 400 + block);
                    sums.add(at(epoch), at(epoch + 1) - at(epoch));
                }
                sums.end_epoch(20.0);
            }
            sums.growth()
        };
        let growth = found((20.0_f64 * 0.01).sqrt());
        assert!((0.006..0.012).contains(&growth), "{growth}");
        assert!(found(0.0) < 0.001, "{}", found(0.0));
    }

    #[test]
    fn a_variance_is_kept_and_grows() {
        let of = |growth| Drift {
            present: 2.0,
            growth,
            ..Drift::new(0.02, 0.05, 1.0, 1e3)
        };
        // the deviations are forgotten, and others of the same variance take their place
        let (left, added) = of(0.0).after(1e4);
        assert!(left < 1e-9 && (added - 2.0).abs() < 1e-9, "{left} {added}");
        let (_, added) = of(0.001).after(100.0);
        let (left, _) = of(0.0).after(100.0);
        assert!((added + left * left * 2.0 - 2.1).abs() < 1e-9, "{added}");
        // no faster than over the life so far
        let (_, added) = of(1.0).after(1e3);
        assert!((added - 4.0).abs() < 1e-9, "{added}");
    }
}
