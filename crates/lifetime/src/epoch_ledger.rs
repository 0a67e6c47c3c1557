//! How blocks wear, by the last epochs measured.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Lookup, RestHistogram, WearState};

use crate::drift::{Drift, DriftSums};
use crate::interpolation::Interpolation;
use crate::nearest_rank::nearest_rank;
use crate::pool_walk::{PoolEpoch, PoolWalk};
use crate::window::Window;

/// Epochs that are kept. The mapping does not change in a skip, so that all of them belong to one steady state.
pub(crate) const MOST_EPOCHS: usize = 16;
/// Epochs after which single blocks can be told apart: two, and one between them.
pub(crate) const EPOCHS_TO_TELL_BLOCKS: usize = 3;

/// The largest ratio of the rate at which blocks deviate from the mean to that over their life so far.
const MOST_SPREAD_RATIO: f64 = 1.3;

/// Two windows in a row, measured together.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Epoch {
    length: f64,
    /// Percentiles of the wear that single blocks gained, relative to the mean.
    shape: Shape,
    groups: Vec<GroupEpoch>,
    blocks: Vec<BlockEpoch>,
}

/// What was measured of a group in an epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GroupEpoch {
    /// Mean erases of its blocks before the epoch, and in it.
    cycles: f64,
    erases: f64,
    /// Mean equivalent events that a block gained.
    gain: f64,
    /// Minus the relative change of that with the length of rests ([`elasticity`]).
    elasticity: f64,
    /// Rests before programs and before erases.
    rests: [RestHistogram; 2],
    /// Its collection pools.
    pools: Vec<PoolEpoch>,
}

/// What was measured of a block in an epoch, relative to the mean of its collection pool, or of its group where that is smaller.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BlockEpoch {
    /// Erases before the epoch, minus the mean.
    cycles: f32,
    /// Relative deviation of its erases in the epoch.
    erases: f32,
    /// Relative deviation of its gain from that by its own events at the rests of the group, expressed as the relative length
    /// by which its rests must be shorter for that: a measure that does not depend on wear.
    rests: f32,
}

/// The last epochs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EpochLedger {
    epochs: VecDeque<Epoch>,
}

/// How fast the blocks of a group wear.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GroupRate {
    /// Rests before events of both kinds.
    pub(crate) rests: RestHistogram,
    /// Mean erases of a block in a nanosecond.
    pub(crate) erases: f64,
    /// How the erases of blocks deviate from those of their pool.
    pub(crate) drift: Drift,
    /// Variance over the collection pools of the group that an erase of a block adds, and blocks of a pool; all of the group where it is one pool, or a part of one.
    pub(crate) pool_variance: f64,
    pub(crate) blocks_per_pool: usize,
    /// Variance over blocks of the equivalent events that an erase and a program add, which comes of the lengths of rests.
    pub(crate) wear_variance: f64,
}

/// How fast every block wears.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WearRates {
    pub(crate) groups: Vec<GroupRate>,
    pub(crate) blocks_per_group: usize,
    /// By how much each block is erased more often than the mean of its pool, and by how much shorter its rests are; relative.
    pub(crate) erases: Vec<f64>,
    pub(crate) rests: Vec<f64>,
    /// Relative standard error of the rate of erases of all blocks together.
    pub(crate) standard_error: f64,
}

impl EpochLedger {
    /// Epochs kept.
    pub(crate) fn len(&self) -> usize {
        self.epochs.len()
    }

    /// Adds an epoch of two successive windows; `states` is the wear after them.
    pub(crate) fn add(
        &mut self,
        first: &Window,
        second: &Window,
        states: &[WearState],
        lookup: &Lookup,
        (blocks_per_group, blocks_per_pool): (usize, usize),
    ) {
        let mut epoch = Epoch {
            length: first.length + second.length,
            shape: shape(first, second),
            groups: Vec::new(),
            blocks: Vec::with_capacity(states.len()),
        };
        for (group, from) in (0..states.len()).step_by(blocks_per_group).enumerate() {
            let rests = [0, 1].map(|kind| {
                let mut rests = first.rests[kind][group].clone();
                rests.merge(&second.rests[kind][group]);
                rests
            });
            let blocks = from..from + blocks_per_group;
            let erases = |block: usize| f64::from(first.erases[block]) + f64::from(second.erases[block]);
            let gain = |block: usize| first.gains[block] + second.gains[block];
            let cycles = |block: usize| f64::from(states[block].cycles()) - erases(block);
            let wear = |block: usize| states[block].equivalent_events() - gain(block);
            let mean =
                |of: &dyn Fn(usize) -> f64| blocks.clone().map(of).sum::<f64>() / blocks_per_group as f64;
            let mut both = rests[0].clone();
            both.merge(&rests[1]);
            let own = GroupEpoch {
                cycles: mean(&cycles),
                erases: mean(&erases),
                gain: mean(&gain),
                elasticity: elasticity(&both, lookup, mean(&wear) + 0.5 * mean(&gain)),
                rests,
                pools: PoolEpoch::all(blocks.clone(), blocks_per_pool, &cycles, &erases, &|block| {
                    f64::from(first.erases[block])
                }),
            };
            let pool_of = |block: usize| &own.pools[(block - from) / blocks_per_pool];
            let relative = |value: f64, mean: f64| if mean > 0.0 { value / mean } else { 0.0 };
            let middle = |block: usize| wear(block) + 0.5 * gain(block);
            let (least, most) = blocks
                .clone()
                .map(middle)
                .fold((f64::INFINITY, 0.0_f64), |(least, most), at| {
                    (least.min(at), most.max(at))
                });
            let [programs_add, erases_add] = own
                .rests
                .each_ref()
                .map(|rests| Interpolation::new(least, most, |wear| rests.mean_gain(lookup, wear, 1.0)));
            epoch.blocks.extend(blocks.clone().map(|block| {
                let (of_program, of_erase) = (programs_add.at(middle(block)), erases_add.at(middle(block)));
                let programs = f64::from(first.programs[block]) + f64::from(second.programs[block]);
                let explained = programs * of_program + erases(block) * of_erase;
                BlockEpoch {
                    cycles: (cycles(block) - own.cycles - pool_of(block).cycles) as f32,
                    erases: relative(erases(block) - own.erases - pool_of(block).erases, own.erases) as f32,
                    // a tenth of the mean gain bounds the ratio where a block has hardly any events
                    rests: relative(
                        gain(block) - explained,
                        (explained + 0.1 * own.gain) * own.elasticity,
                    ) as f32,
                }
            }));
            epoch.groups.push(own);
        }
        if self.epochs.len() == MOST_EPOCHS {
            self.epochs.pop_front();
        }
        self.epochs.push_back(epoch);
    }

    /// By how much the distribution of gains over blocks (its shape) in two windows differs from that of the epochs kept, beyond
    /// two standard errors and 1 % of the mean gain.
    pub(crate) fn shape_error(&self, first: &Window, second: &Window) -> f64 {
        let count = self.epochs.len() as f64;
        if self.epochs.len() < 2 {
            return 0.0;
        }
        let found = shape(first, second);
        (0..found.len())
            .map(|place| {
                let of = || self.epochs.iter().map(|epoch| epoch.shape[place]);
                let mean = of().sum::<f64>() / count;
                let variance = of().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
                let error = (variance * (1.0 + 1.0 / count)).sqrt();
                (found[place] - mean).abs() - 2.0 * error - 0.01
            })
            .fold(0.0, f64::max)
    }

    /// The rates by all epochs kept, for blocks with the wear of `states`; `None` before the first epoch.
    pub(crate) fn rates(&self, states: &[WearState]) -> Option<WearRates> {
        let count = self.epochs.back()?.groups.len();
        let weights = self.weights();
        let length: f64 = self
            .epochs
            .iter()
            .zip(&weights)
            .map(|(epoch, weight)| epoch.length * weight)
            .sum();
        let blocks_per_group = states.len() / count.max(1);
        let blocks_per_pool = blocks_per_group / self.epochs.back()?.groups[0].pools.len().max(1);
        let mut erases = self.persistent_deviations(|block| block.erases);
        let rests = self.persistent_deviations(|block| block.rests);
        let groups = (0..count)
            .map(|group| {
                let blocks = group * blocks_per_group..(group + 1) * blocks_per_group;
                let history = GroupHistory::of(&states[blocks.clone()], blocks_per_pool);
                // a persistent deviation has added up over the life of the blocks, whose spread therefore bounds it
                let square =
                    erases[blocks.clone()].iter().map(|own| own * own).sum::<f64>() / blocks_per_group as f64;
                let share = MOST_SPREAD_RATIO * (history.erase_variance - 1.0).max(0.0).sqrt()
                    / history.cycles
                    / square.sqrt();
                let lasting = square > 0.0 && share > 0.0;
                if share < 1.0 {
                    erases[blocks.clone()].iter_mut().for_each(|own| *own *= share);
                }
                let mut all = RestHistogram::default();
                let (mut erased, mut weighted) = (0.0, 0.0);
                let (mut sums, mut gained) = (DriftSums::default(), 0.0);
                let mut walk = PoolWalk::default();
                for (epoch, weight) in self.epochs.iter().zip(&weights) {
                    let own = &epoch.groups[group];
                    own.rests.iter().for_each(|kind| all.merge(kind));
                    erased += own.erases;
                    weighted += own.erases * weight;
                    for block in blocks.clone() {
                        // the persistent part is no drift
                        let at = &epoch.blocks[block];
                        sums.add(
                            f64::from(at.cycles),
                            (f64::from(at.erases) - erases[block]) * own.erases,
                        );
                        let gain = (f64::from(at.rests) - rests[block]) * own.elasticity * own.gain;
                        gained += gain * gain / blocks_per_group as f64;
                    }
                    sums.end_epoch(own.erases);
                    walk.add(&own.pools, own.erases);
                }
                GroupRate {
                    rests: all,
                    erases: weighted / length,
                    drift: sums.drift(
                        erased / self.epochs.len() as f64,
                        history.erase_variance,
                        history.cycles,
                        lasting,
                    ),
                    pool_variance: walk.variance_per_erase(),
                    blocks_per_pool,
                    wear_variance: (gained / erased.max(f64::MIN_POSITIVE))
                        .min(history.wear_variance / history.cycles),
                }
            })
            .collect();
        Some(WearRates {
            groups,
            blocks_per_group,
            erases,
            rests,
            standard_error: self.standard_error(),
        })
    }

    /// Relative standard error of the rate of erases over all epochs, from its variance over epochs and the covariance of
    /// neighbouring ones.
    fn standard_error(&self) -> f64 {
        let rates: Vec<f64> = self
            .epochs
            .iter()
            .map(|epoch| epoch.groups.iter().map(|group| group.erases).sum::<f64>() / epoch.length)
            .collect();
        let count = rates.len() as f64;
        if rates.len() < 2 {
            return f64::INFINITY;
        }
        let weights = self.weights();
        let mean = rates
            .iter()
            .zip(&weights)
            .map(|(rate, weight)| rate * weight)
            .sum::<f64>();
        let variance = rates
            .iter()
            .map(|rate| (rate - mean) * (rate - mean))
            .sum::<f64>()
            / (count - 1.0);
        let covariance = rates
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean))
            .sum::<f64>()
            / (count - 1.0);
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        ((variance + 2.0 * covariance.max(0.0)) * squares).sqrt() / mean
    }

    /// The weight of each epoch: in proportion to the erases that blocks had then, since the latest epochs are nearest to the
    /// future. The sum is 1.
    fn weights(&self) -> Vec<f64> {
        let weights: Vec<f64> = self
            .epochs
            .iter()
            .map(|epoch| 1.0 + epoch.groups.iter().map(|group| group.cycles).sum::<f64>())
            .collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The persistent part of each block's deviation. It is all that epochs which are not neighbours have in common, so that
    /// the mean product of their deviations is the variance of the persistent part over blocks. The mean deviation of a block
    /// is reduced by the share of that variance in the variance of the mean deviations; a variance within two standard errors
    /// counts as 0.
    fn persistent_deviations(&self, of: impl Fn(&BlockEpoch) -> f32) -> Vec<f64> {
        let blocks = self.epochs.front().map_or(0, |epoch| epoch.blocks.len());
        let nothing = vec![0.0; blocks];
        if self.epochs.len() < EPOCHS_TO_TELL_BLOCKS {
            return nothing;
        }
        let weights = self.weights();
        let (mut mean, mut variance) = (nothing.clone(), 0.0);
        for (epoch, weight) in self.epochs.iter().zip(&weights) {
            for (mean, block) in mean.iter_mut().zip(&epoch.blocks) {
                let own = f64::from(of(block));
                *mean += weight * own;
                variance += own * own / (blocks * self.epochs.len()) as f64;
            }
        }
        let (mut lasting, mut pairs, mut squares) = (0.0, 0.0, 0.0);
        for (place, (one, weight)) in self.epochs.iter().zip(&weights).enumerate() {
            for (other, other_weight) in self.epochs.iter().zip(&weights).skip(place + 2) {
                let both = one.blocks.iter().zip(&other.blocks);
                let product: f64 = both
                    .map(|(one, other)| f64::from(of(one)) * f64::from(of(other)))
                    .sum();
                let weight = weight * other_weight;
                lasting += weight * product / blocks as f64;
                pairs += weight;
                squares += weight * weight;
            }
        }
        let of_mean = mean.iter().map(|mean| mean * mean).sum::<f64>() / blocks as f64;
        let error = variance * (squares / blocks as f64).sqrt();
        if of_mean <= 0.0 || lasting <= 2.0 * error {
            return nothing;
        }
        let share = (lasting / pairs / of_mean).min(1.0);
        mean.iter().map(|mean| share * mean).collect()
    }
}

impl WearRates {
    /// Mean erases of a block in a nanosecond.
    pub(crate) fn mean(&self) -> f64 {
        self.groups.iter().map(|group| group.erases).sum::<f64>() / self.groups.len().max(1) as f64
    }
}

/// Percentiles of the wear that single blocks gain, relative to the mean: the tenth, the median, the ninetieth.
type Shape = [f64; 3];

fn shape(first: &Window, second: &Window) -> Shape {
    let mut gains: Vec<f64> = first
        .gains
        .iter()
        .zip(&second.gains)
        .map(|(one, two)| one + two)
        .collect();
    let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
    gains.sort_by(f64::total_cmp);
    [10, 50, 90].map(|percent| {
        let rank = nearest_rank(percent, gains.len());
        let gain = gains.get(rank).copied().unwrap_or_default();
        if mean > 0.0 { gain / mean } else { 0.0 }
    })
}

/// Minus the relative change, with the length of rests, of what an event adds to a wear; at least 0.01, so that it can be
/// divided by.
pub(crate) fn elasticity(rests: &RestHistogram, lookup: &Lookup, wear: f64) -> f64 {
    const LONGER: f64 = 1.05;
    let change = rests.mean_gain(lookup, wear, LONGER) / rests.mean_gain(lookup, wear, 1.0);
    (-libm::log(change) / libm::log(LONGER)).max(0.01)
}

/// Cycles and wear of the blocks of a group so far.
struct GroupHistory {
    /// Variance of wear over blocks.
    wear_variance: f64,
    /// Variance of erases over the blocks of a pool.
    erase_variance: f64,
    /// Mean erases, at least 1.
    cycles: f64,
}

impl GroupHistory {
    fn of(states: &[WearState], blocks_per_pool: usize) -> Self {
        let moments = |of: &dyn Fn(&WearState) -> f64| {
            let mean = states.iter().map(of).sum::<f64>() / states.len() as f64;
            let squares = states.iter().map(|state| (of(state) - mean) * (of(state) - mean));
            (mean, squares.sum::<f64>() / states.len() as f64)
        };
        let (cycles, mut spread) = moments(&|state| f64::from(state.cycles()));
        for pool in states.chunks(blocks_per_pool) {
            let of_pool = pool.iter().map(|state| f64::from(state.cycles())).sum::<f64>() / pool.len() as f64;
            spread -= (of_pool - cycles) * (of_pool - cycles) * pool.len() as f64 / states.len() as f64;
        }
        Self {
            wear_variance: moments(&WearState::equivalent_events).1,
            erase_variance: spread.max(0.0),
            cycles: cycles.max(1.0),
        }
    }
}
