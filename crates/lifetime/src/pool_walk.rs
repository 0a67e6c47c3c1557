//! How the erases of whole collection pools drift apart, where writes go to any of them.
//!
//! Each pool gets its share of the writes, but one that happens to hold more valid pages moves more of them and erases more often, until chance has it the other way round: its erases, over
//! those of the mean pool, are a random walk that nothing brings back, as wear is levelled within a pool.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What was measured of a pool in an epoch: mean erases of its blocks before it, and in it, over those of its group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PoolEpoch {
    pub(crate) cycles: f64,
    pub(crate) erases: f64,
}

impl PoolEpoch {
    /// The pools of a group of blocks.
    pub(crate) fn all(
        blocks: Range<usize>,
        per_pool: usize,
        cycles: &dyn Fn(usize) -> f64,
        erases: &dyn Fn(usize) -> f64,
    ) -> Vec<Self> {
        let mean = |range: Range<usize>, of: &dyn Fn(usize) -> f64| {
            let count = range.len().max(1) as f64;
            range.map(of).sum::<f64>() / count
        };
        let all = (mean(blocks.clone(), cycles), mean(blocks.clone(), erases));
        let pools = blocks.clone().step_by(per_pool.max(1));
        pools
            .map(|from| {
                let own = from..(from + per_pool).min(blocks.end);
                Self {
                    cycles: mean(own.clone(), cycles) - all.0,
                    erases: mean(own, erases) - all.1,
                }
            })
            .collect()
    }
}

/// Lags, in epochs, up to which deviations of a pool are taken to have to do with each other.
const LAGS: usize = 2;

/// The deviations of the pools of a group in the epochs measured, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolWalk {
    /// By epoch, and within it by pool.
    changes: Vec<Vec<f64>>,
    erases: f64,
}

impl PoolWalk {
    /// Adds an epoch of so many erases of a block.
    pub(crate) fn add(&mut self, pools: &[PoolEpoch], erases: f64) {
        self.changes.push(pools.iter().map(|pool| pool.erases).collect());
        self.erases += erases;
    }

    /// The variance over pools that an erase of a block adds in the long run: that of the changes in an epoch, and their covariances with those of the epochs after it.
    pub(crate) fn variance_per_erase(&self) -> f64 {
        let pools = self.changes.first().map_or(0, Vec::len);
        if pools < 2 || self.erases <= 0.0 {
            return 0.0;
        }
        let mean_product = |lag: usize| {
            let pairs = self.changes.iter().zip(self.changes.iter().skip(lag));
            let (mut sum, mut count) = (0.0, 0.0);
            for (one, other) in pairs {
                sum += one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
                count += pools as f64;
            }
            if count > 0.0 { sum / count } else { 0.0 }
        };
        let own = mean_product(0);
        let later: f64 = (1..=LAGS).map(mean_product).sum();
        let per_epoch = self.erases / self.changes.len() as f64;
        // no fewer than a tenth of it is left where chance has the covariances below 0
        (own + 2.0 * later).max(0.1 * own) / per_epoch
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
        let found = PoolEpoch::all(0..4, 2, &|block| cycles[block], &|block| erases[block]);
        let told: Vec<_> = found.iter().map(|pool| (pool.cycles, pool.erases)).collect();
        assert_eq!(told, [(-2.0, -1.0), (2.0, 1.0)]);
        let one = PoolEpoch::all(0..4, 4, &|block| cycles[block], &|block| erases[block]);
        assert_eq!(one, [PoolEpoch::default()]);
    }

    /// Steps of a variance of 0.09 in epochs of 20 erases, with and without a half of the step before in each.
    #[test]
    fn the_variance_of_a_walk_is_found() {
        for (memory, expected) in [(0.0, 0.09 / 20.0), (0.5, 2.25 * 0.09 / 20.0)] {
            let mut walk = PoolWalk::default();
            let step = |epoch: u64, pool: u64| 0.3 * normal(Seed(1), "step", epoch * 64 + pool);
            for epoch in 1..200 {
                let pools: Vec<_> = (0..64)
                    .map(|pool| PoolEpoch {
                        cycles: 0.0,
                        erases: step(epoch, pool) + memory * step(epoch - 1, pool),
                    })
                    .collect();
                walk.add(&pools, 20.0);
            }
            let found = walk.variance_per_erase();
            assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
        }
        assert_eq!(PoolWalk::default().variance_per_erase(), 0.0);
    }
}
