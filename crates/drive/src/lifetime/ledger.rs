//! How blocks wear, from the windows measured so far.

mod consistent;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Lookup, RestHistogram, WearState};

use super::interpolated::Interpolated;
use super::measure::Window;
use super::report;

/// Epochs that are remembered. The mapping stands still in a skip, so that all of them belong to one steady state.
pub(super) const REMEMBERED: usize = 16;
/// Epochs before blocks can be told apart: two with another between them.
pub(super) const TELLING: usize = 3;

/// By how much blocks may stray faster than they did on average over their life.
const LITTLE_MORE: f64 = 1.3;

/// Two windows in a row, measured together.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Epoch {
    length: f64,
    /// Percentiles of the gain of single blocks, relative to its mean.
    shape: Shape,
    groups: Vec<GroupEpoch>,
    blocks: Vec<BlockEpoch>,
}

/// What an epoch tells of a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GroupEpoch {
    /// Erases that its blocks had before, the mean, and those in the epoch.
    cycles: f64,
    erases: f64,
    /// Equivalent events that a block gained, the mean.
    gain: f64,
    /// Relative change of that with the length of rests, its sign turned.
    elasticity: f64,
    /// Before programs and before erases.
    rests: [RestHistogram; 2],
}

/// What an epoch tells of a block, compared with the mean of its group.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BlockEpoch {
    /// Erases that it had before, beyond the mean.
    cycles: f32,
    /// Relative deviation of its erases.
    erases: f32,
    /// The same of its gain from what its own events and the rests of the group explain, as how much shorter its rests
    /// would be for that: that holds at any wear.
    rests: f32,
}

/// Sums over the blocks of a group and over epochs, from which follows how blocks stray from the mean.
#[derive(Clone, Copy, Debug, Default)]
struct Drifts {
    count: f64,
    /// Squares of where blocks stood before an epoch, of what they strayed by in it, and the products of both.
    before: f64,
    strayed: f64,
    product: f64,
}

impl Drifts {
    fn add(&mut self, before: f64, strayed: f64) {
        self.count += 1.0;
        self.before += before * before;
        self.strayed += strayed * strayed;
        self.product += before * strayed;
    }

    /// The drift, from epochs of so many erases, of blocks with `variance` around the mean after so many `cycles`.
    fn drift(self, erases: f64, variance: f64, cycles: f64) -> Drift {
        let restoring = if self.before > 0.0 && erases > 0.0 {
            let error = (self.strayed / self.count.max(1.0) / self.before).sqrt();
            ((-self.product / self.before - error) / erases).max(0.0)
        } else {
            0.0
        };
        let brought = self.strayed / self.count.max(1.0) / erases.max(f64::MIN_POSITIVE);
        Drift::new(brought, restoring, variance, cycles)
    }
}

/// How blocks stray from the mean of their group: at random, and led back the faster the further they are off.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Drift {
    /// Variance over blocks that an erase brings.
    variance: f64,
    /// Share of the distance from the mean by which an erase leads a block back.
    restoring: f64,
    /// Variance over blocks at present, and their mean erases, at least 1.
    spread: f64,
    cycles: f64,
}

impl Drift {
    pub(super) fn new(variance: f64, restoring: f64, spread: f64, cycles: f64) -> Self {
        Self {
            variance,
            restoring,
            spread,
            cycles,
        }
    }

    /// What is left of the distance from the mean after so many erases, and the variance that they bring.
    pub(super) fn after(self, erases: f64) -> (f64, f64) {
        if self.spread <= 0.0 {
            return (1.0, 0.0);
        }
        let left = libm::exp(-self.restoring * erases);
        let gone = 1.0 - left * left;
        let brought = if self.restoring > 0.0 {
            self.variance * gone / (2.0 * self.restoring)
        } else {
            self.variance * erases
        };
        // blocks that something keeps together stray less in their life than an epoch suggests
        (left, brought.min(self.spread * (erases / self.cycles + gone)))
    }
}

/// The last epochs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ledger {
    epochs: VecDeque<Epoch>,
}

/// How the blocks of a group wear.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GroupRate {
    /// Before any event.
    pub(super) rests: RestHistogram,
    /// Erases of a block in a nanosecond, the mean.
    pub(super) erases: f64,
    /// How the erases of blocks stray from that.
    pub(super) drift: Drift,
    /// Variance over blocks of the equivalent events that an erase and a program add, by their rests.
    pub(super) wear_variance: f64,
}

/// How every block wears.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Rates {
    pub(super) groups: Vec<GroupRate>,
    pub(super) blocks_per_group: usize,
    /// By how much each block is erased more often than its group, and how much shorter its rests are; relative.
    pub(super) erases: Vec<f64>,
    pub(super) rests: Vec<f64>,
    /// Relative standard error of the rate of erases of all blocks together.
    pub(super) standard_error: f64,
}

impl Ledger {
    /// Epochs remembered.
    pub(super) fn len(&self) -> usize {
        self.epochs.len()
    }

    /// Takes up two successive windows, after which blocks are worn as `states` say.
    pub(super) fn add(
        &mut self,
        first: &Window,
        second: &Window,
        states: &[WearState],
        lookup: &Lookup,
        blocks_per_group: usize,
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
            };
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
                .map(|rests| Interpolated::new(least, most, |wear| rests.mean_gain(lookup, wear, 1.0)));
            epoch.blocks.extend(blocks.clone().map(|block| {
                let (of_program, of_erase) = (programs_add.at(middle(block)), erases_add.at(middle(block)));
                let programs = f64::from(first.programs[block]) + f64::from(second.programs[block]);
                let explained = programs * of_program + erases(block) * of_erase;
                BlockEpoch {
                    cycles: (cycles(block) - own.cycles) as f32,
                    erases: relative(erases(block) - own.erases, own.erases) as f32,
                    // where next to nothing is explained, little may be unexplained
                    rests: relative(
                        gain(block) - explained,
                        (explained + 0.1 * own.gain) * own.elasticity,
                    ) as f32,
                }
            }));
            epoch.groups.push(own);
        }
        if self.epochs.len() == REMEMBERED {
            self.epochs.pop_front();
        }
        self.epochs.push_back(epoch);
    }

    /// By how much the shape of an epoch differs from those remembered: beyond two standard errors and 1 % of the mean gain.
    pub(super) fn misshape(&self, first: &Window, second: &Window) -> f64 {
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

    /// The rates that all remembered epochs tell together, for blocks worn as `states` say; `None` before the first.
    pub(super) fn rates(&self, states: &[WearState]) -> Option<Rates> {
        let count = self.epochs.back()?.groups.len();
        let weights = self.weights();
        let length: f64 = self
            .epochs
            .iter()
            .zip(&weights)
            .map(|(epoch, weight)| epoch.length * weight)
            .sum();
        let blocks_per_group = states.len() / count.max(1);
        let mut erases = self.lasting(|block| block.erases);
        let rests = self.lasting(|block| block.rests);
        let groups = (0..count)
            .map(|group| {
                let blocks = group * blocks_per_group..(group + 1) * blocks_per_group;
                let life = Life::of(&states[blocks.clone()]);
                // what lasts has added up over the life of blocks: it is little more than what they stray by
                let square =
                    erases[blocks.clone()].iter().map(|own| own * own).sum::<f64>() / blocks_per_group as f64;
                let share = LITTLE_MORE * life.erase_variance.sqrt() / life.cycles / square.sqrt();
                if share < 1.0 {
                    erases[blocks.clone()].iter_mut().for_each(|own| *own *= share);
                }
                let mut all = RestHistogram::default();
                let (mut erased, mut weighted) = (0.0, 0.0);
                let (mut strayed, mut gained) = (Drifts::default(), 0.0);
                for (epoch, weight) in self.epochs.iter().zip(&weights) {
                    let own = &epoch.groups[group];
                    own.rests.iter().for_each(|kind| all.merge(kind));
                    erased += own.erases;
                    weighted += own.erases * weight;
                    for block in blocks.clone() {
                        // what lasts is no drift
                        let at = &epoch.blocks[block];
                        strayed.add(
                            f64::from(at.cycles),
                            (f64::from(at.erases) - erases[block]) * own.erases,
                        );
                        let gain = (f64::from(at.rests) - rests[block]) * own.elasticity * own.gain;
                        gained += gain * gain / blocks_per_group as f64;
                    }
                }
                GroupRate {
                    rests: all,
                    erases: weighted / length,
                    drift: strayed.drift(
                        erased / self.epochs.len() as f64,
                        life.erase_variance,
                        life.cycles,
                    ),
                    wear_variance: (gained / erased.max(f64::MIN_POSITIVE))
                        .min(life.wear_variance / life.cycles),
                }
            })
            .collect();
        Some(Rates {
            groups,
            blocks_per_group,
            erases,
            rests,
            standard_error: self.standard_error(),
        })
    }

    /// Relative standard error of the rate of erases over all epochs, by how it varies from epoch to epoch; neighbours may
    /// be alike.
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
        let alike = rates
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean))
            .sum::<f64>()
            / (count - 1.0);
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        ((variance + 2.0 * alike.max(0.0)) * squares).sqrt() / mean
    }

    /// How much each epoch weighs: by the erases that blocks had then, since the latest are nearest to what comes. The sum
    /// is 1.
    fn weights(&self) -> Vec<f64> {
        let weights: Vec<f64> = self
            .epochs
            .iter()
            .map(|epoch| 1.0 + epoch.groups.iter().map(|group| group.cycles).sum::<f64>())
            .collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The part of each block's deviation that lasts. Epochs that are not neighbours have nothing in common but that, so
    /// that the mean product of their deviations is its variance over blocks; the mean deviation counts by the share of
    /// that in its own variance. A variance within two standard errors is none.
    fn lasting(&self, of: impl Fn(&BlockEpoch) -> f32) -> Vec<f64> {
        let blocks = self.epochs.front().map_or(0, |epoch| epoch.blocks.len());
        let nothing = vec![0.0; blocks];
        if self.epochs.len() < TELLING {
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

impl Rates {
    /// Mean erases of a block in a nanosecond.
    pub(super) fn mean(&self) -> f64 {
        self.groups.iter().map(|group| group.erases).sum::<f64>() / self.groups.len().max(1) as f64
    }
}

/// Percentiles of what single blocks gain, relative to the mean: the tenth, the median, the ninetieth.
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
        let rank = report::nearest_rank(percent, gains.len());
        let gain = gains.get(rank).copied().unwrap_or_default();
        if mean > 0.0 { gain / mean } else { 0.0 }
    })
}

/// Relative change of what an event adds to a wear with the length of rests, its sign turned; at least 0.01, so that it can
/// be divided by.
pub(super) fn elasticity(rests: &RestHistogram, lookup: &Lookup, wear: f64) -> f64 {
    const LONGER: f64 = 1.05;
    let change = rests.mean_gain(lookup, wear, LONGER) / rests.mean_gain(lookup, wear, 1.0);
    (-libm::log(change) / libm::log(LONGER)).max(0.01)
}

/// What the blocks of a group have behind them.
struct Life {
    /// Variance of wear over blocks.
    wear_variance: f64,
    /// Variance of erases over blocks, beyond that of blocks within one erase of each other.
    erase_variance: f64,
    /// Mean erases, at least 1.
    cycles: f64,
}

impl Life {
    fn of(states: &[WearState]) -> Self {
        let moments = |of: &dyn Fn(&WearState) -> f64| {
            let mean = states.iter().map(of).sum::<f64>() / states.len() as f64;
            let squares = states.iter().map(|state| (of(state) - mean) * (of(state) - mean));
            (mean, squares.sum::<f64>() / states.len() as f64)
        };
        let (cycles, spread) = moments(&|state| f64::from(state.cycles()));
        Self {
            wear_variance: moments(&WearState::equivalent_events).1,
            erase_variance: (spread - 1.0).max(0.0),
            cycles: cycles.max(1.0),
        }
    }
}
