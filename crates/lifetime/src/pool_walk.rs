//! How the erases of whole collection pools drift apart, where writes go to any of them.
//!
//! Each pool gets its share of the writes, but one that happens to hold more valid pages moves more of them and erases more often, until chance has it the other way round: its erases, over
//! those of the mean pool, are a random walk that nothing brings back, as wear is levelled within a pool.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What was measured of a pool in an epoch: mean erases of its blocks before it, in it, and in the first of its two windows, over those of its group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PoolEpoch {
    pub(crate) cycles: f64,
    pub(crate) erases: f64,
    pub(crate) first: f64,
}

impl PoolEpoch {
    /// The pools of a group of blocks.
    pub(crate) fn all(
        blocks: Range<usize>,
        per_pool: usize,
        cycles: &dyn Fn(usize) -> f64,
        erases: &dyn Fn(usize) -> f64,
        first: &dyn Fn(usize) -> f64,
    ) -> Vec<Self> {
        let mean = |range: Range<usize>, of: &dyn Fn(usize) -> f64| {
            let count = range.len().max(1) as f64;
            range.map(of).sum::<f64>() / count
        };
        let all = [cycles, erases, first].map(|of| mean(blocks.clone(), of));
        let pools = blocks.clone().step_by(per_pool.max(1));
        pools
            .map(|from| {
                let own = from..(from + per_pool).min(blocks.end);
                Self {
                    cycles: mean(own.clone(), cycles) - all[0],
                    erases: mean(own.clone(), erases) - all[1],
                    first: mean(own, first) - all[2],
                }
            })
            .collect()
    }
}

/// Lags in epochs up to which deviations of a pool are taken to have to do with each other.
const LAGS: usize = 4;

/// Sums over the pools of a group and over the epochs measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolWalk {
    /// By epoch, and within it by pool, for the covariances of epochs.
    changes: Vec<Vec<f64>>,
    pools: usize,
    count: f64,
    /// Of the squares of deviations in an epoch, and of the products of those in its two windows.
    squares: f64,
    products: f64,
    /// Erases of a block in all epochs.
    erases: f64,
    epochs: f64,
}

impl PoolWalk {
    /// Adds an epoch of so many erases of a block.
    pub(crate) fn add(&mut self, pools: &[PoolEpoch], erases: f64) {
        self.pools = pools.len();
        self.changes.push(pools.iter().map(|pool| pool.erases).collect());
        for pool in pools {
            self.count += 1.0;
            self.squares += pool.erases * pool.erases;
            self.products += pool.first * (pool.erases - pool.first);
        }
        self.erases += erases;
        self.epochs += 1.0;
    }

    /// The mean product of the deviations of a pool in epochs that are so many apart.
    fn covariance(&self, lag: usize) -> f64 {
        let pairs = self.changes.iter().zip(self.changes.iter().skip(lag));
        let products: Vec<f64> = pairs
            .flat_map(|(one, other)| one.iter().zip(other).map(|(one, other)| one * other))
            .collect();
        products.iter().sum::<f64>() / products.len().max(1) as f64
    }

    /// The variance over pools that an erase of a block adds in the long run: that of the changes in an epoch, and their covariance with what comes before and after it. For a short memory that is as
    /// large as the covariance of the two windows of an epoch; for a long one that of epochs is larger (the mapping stands still in skips, so that epochs follow each other closely).
    pub(crate) fn variance_per_erase(&self) -> f64 {
        if self.pools < 2 || self.erases <= 0.0 {
            return 0.0;
        }
        let (own, windows) = (self.squares / self.count, self.products / self.count);
        let epochs: f64 = (1..=LAGS).map(|lag| self.covariance(lag)).sum();
        let neighbours = 2.0 * windows.max(epochs);
        // a tenth is left at least where chance has the covariance below 0
        (own + neighbours).max(0.1 * own) * self.epochs / self.erases
    }
}

#[cfg(test)]
mod tests {
    use wordline_cell::fence::normal;
    use wordline_units::Seed;

    use super::*;

    #[test]
    fn pools_are_told_from_their_group() {
        let (cycles, erases) = ([1.0, 3.0, 5.0, 7.0], [2.0, 2.0, 3.0, 5.0]);
        let half = |block: usize| erases[block] / 2.0;
        let found = PoolEpoch::all(0..4, 2, &|block| cycles[block], &|block| erases[block], &half);
        let told: Vec<_> = found
            .iter()
            .map(|pool| (pool.cycles, pool.erases, pool.first))
            .collect();
        assert_eq!(told, [(-2.0, -1.0, -0.5), (2.0, 1.0, 0.5)]);
        let one = PoolEpoch::all(0..4, 4, &|block| cycles[block], &|block| erases[block], &half);
        assert_eq!(one, [PoolEpoch::default()]);
    }

    /// Steps of a variance of 0.09 in windows of 20 erases, with and without a half of the step before in each.
    #[test]
    fn the_variance_of_a_walk_is_found() {
        for (memory, expected) in [(0.0, 0.09 / 20.0), (0.5, 2.25 * 0.09 / 20.0)] {
            let mut walk = PoolWalk::default();
            let step = |window: u64, pool: u64| 0.3 * normal(Seed(1), "step", window * 64 + pool);
            let change = |window: u64, pool: u64| step(window, pool) + memory * step(window - 1, pool);
            for epoch in 1..400 {
                let pools: Vec<_> = (0..64)
                    .map(|pool| PoolEpoch {
                        cycles: 0.0,
                        erases: change(2 * epoch, pool) + change(2 * epoch + 1, pool),
                        first: change(2 * epoch, pool),
                    })
                    .collect();
                walk.add(&pools, 40.0);
            }
            let found = walk.variance_per_erase();
            assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
        }
        assert_eq!(PoolWalk::default().variance_per_erase(), 0.0);
    }
}
