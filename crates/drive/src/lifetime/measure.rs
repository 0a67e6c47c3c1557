//! What is learnt from two windows of simulated time.

use wordline_cell::fence::{Lookup, RestHistogram, WearState};

/// Parts of a window, whose spread says how exactly it is known.
pub(super) const BATCHES: usize = 8;

/// A window of simulated time.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// Its length in nanoseconds.
    pub(super) length: f64,
    /// Pages that the host wrote, and pages programmed.
    pub(super) written: u64,
    pub(super) programmed: u64,
    /// Erases of each block.
    pub(super) erases: Vec<u32>,
    /// Equivalent events that each block gained.
    pub(super) gains: Vec<f64>,
    /// Erases of each pool, by batch.
    pub(super) batches: Vec<[u64; BATCHES]>,
    /// Rests of each pool.
    pub(super) rests: Vec<RestHistogram>,
}

impl Window {
    pub(super) fn write_amplification(&self) -> f64 {
        self.programmed as f64 / self.written.max(1) as f64
    }

    /// Erases of the median block.
    pub(super) fn median_erases(&self) -> u32 {
        let mut erases = self.erases.clone();
        let middle = erases.len() / 2;
        let (_, median, _) = erases.select_nth_unstable(middle);
        *median
    }

    /// Mean and variance of the erases of a pool in a batch.
    fn pool(&self, pool: usize) -> (f64, f64) {
        let batches = self.batches[pool].map(|count| count as f64);
        let mean = batches.iter().sum::<f64>() / BATCHES as f64;
        let spread = batches
            .iter()
            .map(|count| (count - mean) * (count - mean))
            .sum::<f64>();
        (mean, spread / (BATCHES - 1) as f64)
    }

    /// Whether another window after this one looks the same: write amplification within 1 %, and the erase rates of at
    /// least nineteen in twenty pools within three standard errors, as far as batch means tell.
    pub(super) fn is_like(&self, later: &Self) -> bool {
        let change = later.write_amplification() / self.write_amplification() - 1.0;
        let strayed = (0..self.batches.len())
            .filter(|pool| {
                let ((mean, spread), (after, later_spread)) = (self.pool(*pool), later.pool(*pool));
                // a batch holds whole erases: half of one is no difference
                let error = ((spread + later_spread) / BATCHES as f64).sqrt() + 0.5;
                (after / later.length * self.length - mean).abs() > 3.0 * error
            })
            .count();
        change.abs() < 0.01 && strayed * 20 <= self.batches.len()
    }
}

/// How a pool wears.
#[derive(Clone, Debug)]
pub(super) struct PoolRate {
    pub(super) rests: RestHistogram,
    /// Lag-1 correlation of the erases of its blocks.
    pub(super) correlation: f64,
    /// Variance of the gain of a block for every event.
    pub(super) variance: f64,
}

/// How every block wears.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) pools: Vec<PoolRate>,
    /// Erases of each block in a nanosecond.
    pub(super) erases: Vec<f64>,
    blocks_per_pool: usize,
}

impl Rates {
    /// The rates of two successive windows, after which blocks are worn as `states` say.
    pub(super) fn of(
        first: &Window,
        second: &Window,
        states: &[WearState],
        lookup: &Lookup,
        blocks_per_pool: usize,
    ) -> Self {
        let length = first.length + second.length;
        let mut pools = Vec::new();
        let mut erases = Vec::with_capacity(states.len());
        for (pool, from) in (0..states.len()).step_by(blocks_per_pool).enumerate() {
            let blocks = from..from + blocks_per_pool;
            let correlation = correlation(&first.erases[blocks.clone()], &second.erases[blocks.clone()]);
            // the share of a block's deviation from its pool that lasts
            let persistence = (2.0 * correlation / (1.0 + correlation)).clamp(0.0, 1.0);
            let total: f64 = blocks
                .clone()
                .map(|block| f64::from(first.erases[block]) + f64::from(second.erases[block]))
                .sum();
            let mean = total / blocks_per_pool as f64 / length;
            erases.extend(blocks.clone().map(|block| {
                let own = (f64::from(first.erases[block]) + f64::from(second.erases[block])) / length;
                (mean + persistence * (own - mean)).max(0.0)
            }));
            let mut rests = first.rests[pool].clone();
            rests.merge(&second.rests[pool]);
            let mut course = lookup.course(&rests, 1.0);
            let (mut residual, mut events) = (0.0, 0.0);
            for block in blocks {
                let gain = first.gains[block] + second.gains[block];
                let count = 2.0 * erases[block] * length;
                let before = states[block].equivalent_events() - gain;
                let predicted = course.advance(before, count) - before;
                residual += (gain - predicted) * (gain - predicted);
                events += count;
            }
            let own = &states[from..from + blocks_per_pool];
            // blocks that wear levelling keeps together deviate by less over their life than windows suggest
            let variance = if events > 0.0 {
                (residual / events).min(spread_of(own))
            } else {
                0.0
            };
            pools.push(PoolRate {
                rests,
                correlation,
                variance,
            });
        }
        Self {
            pools,
            erases,
            blocks_per_pool,
        }
    }

    /// The pool of a block.
    pub(super) fn pool(&self, block: usize) -> &PoolRate {
        &self.pools[block / self.blocks_per_pool]
    }

    /// Mean erases of a block in a nanosecond.
    pub(super) fn mean(&self) -> f64 {
        self.erases.iter().sum::<f64>() / self.erases.len().max(1) as f64
    }

    /// Whether the erases of blocks before a long time resemble those after it more than those of windows that follow
    /// each other do: then the past matters for longer than a window shows.
    pub(super) fn has_long_memory(&self, before: &[u32], after: &[u32]) -> bool {
        let far = (0..before.len())
            .step_by(self.blocks_per_pool)
            .map(|from| {
                let blocks = from..from + self.blocks_per_pool;
                correlation(&before[blocks.clone()], &after[blocks])
            })
            .sum::<f64>()
            / self.pools.len() as f64;
        let near = self.pools.iter().map(|pool| pool.correlation).sum::<f64>() / self.pools.len() as f64;
        far > near.max(0.0) + 3.0 / (before.len() as f64).sqrt()
    }
}

/// Variance of the wear of blocks for every event of their life.
fn spread_of(states: &[WearState]) -> f64 {
    let count = states.len() as f64;
    let mean = states.iter().map(WearState::equivalent_events).sum::<f64>() / count;
    let spread: f64 = states
        .iter()
        .map(|state| (state.equivalent_events() - mean) * (state.equivalent_events() - mean))
        .sum();
    let events: f64 = states.iter().map(|state| 2.0 * f64::from(state.cycles())).sum();
    if events > 0.0 { spread / events } else { 0.0 }
}

/// Pearson's correlation; 0 where one of the two does not vary.
fn correlation(first: &[u32], second: &[u32]) -> f64 {
    let count = first.len() as f64;
    let mean = |values: &[u32]| values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let (a, b) = (mean(first), mean(second));
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (x, y) in first.iter().zip(second) {
        let (x, y) = (f64::from(*x) - a, f64::from(*y) - b);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    if aa > 0.0 && bb > 0.0 {
        ab / (aa * bb).sqrt()
    } else {
        0.0
    }
}
