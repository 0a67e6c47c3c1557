//! How blocks wear, from the windows measured so far.

use std::collections::VecDeque;

use wordline_cell::fence::{Lookup, RestHistogram, WearState};

use super::measure::Window;

/// Epochs that are remembered. The mapping stands still in a skip, so that all of them belong to one steady state.
pub(super) const REMEMBERED: usize = 16;
/// Epochs before blocks can be told apart: two with another between them.
pub(super) const TELLING: usize = 3;

/// Two windows in a row, measured together.
#[derive(Clone, Debug)]
struct Epoch {
    length: f64,
    groups: Vec<GroupEpoch>,
    /// Relative deviation of the erases of each block from the mean of its group.
    erases: Vec<f64>,
    /// Relative deviation of the gain of each block from what its events and the rests of its group explain.
    gains: Vec<f64>,
}

/// What an epoch tells of a group.
#[derive(Clone, Debug)]
struct GroupEpoch {
    /// Erases of a block, the mean.
    erases: f64,
    /// Before programs and before erases.
    rests: [RestHistogram; 2],
    erase_drift: Drift,
    wear_drift: Drift,
}

/// How blocks strayed from the mean of their group.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    /// Variance over blocks of what they strayed by.
    variance: f64,
    /// Covariance of that with where they stood before: below 0 where something leads them back.
    return_: f64,
}

impl Drift {
    fn of(before: &[f64], strayed: &[f64]) -> Self {
        let count = before.len().max(1) as f64;
        let mean = before.iter().sum::<f64>() / count;
        let mean_strayed = strayed.iter().sum::<f64>() / count;
        let mut drift = Self::default();
        for (before, strayed) in before.iter().zip(strayed) {
            let strayed = strayed - mean_strayed;
            drift.variance += strayed * strayed / count;
            drift.return_ += (before - mean) * strayed / count;
        }
        drift
    }

    fn plus(self, other: Self) -> Self {
        Self {
            variance: self.variance + other.variance,
            return_: self.return_ + other.return_,
        }
    }

    /// By how much the variance of where blocks stand grew: not at all where all that they stray by is led back.
    fn growth(self) -> f64 {
        (self.variance + 2.0 * self.return_).clamp(0.0, self.variance)
    }
}

/// The last epochs.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    epochs: VecDeque<Epoch>,
}

/// How the blocks of a group wear.
#[derive(Clone, Debug)]
pub(super) struct GroupRate {
    /// Before any event.
    pub(super) rests: RestHistogram,
    /// Erases of a block in a nanosecond, the mean.
    pub(super) erases: f64,
    /// Growth of the variance over blocks of their equivalent events, and of their erases, for every erase.
    pub(super) variance: f64,
    pub(super) erase_variance: f64,
}

/// How every block wears.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) groups: Vec<GroupRate>,
    pub(super) blocks_per_group: usize,
    /// Erases of each block, and its gain for every event, relative to its group.
    pub(super) erases: Vec<f64>,
    pub(super) gains: Vec<f64>,
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
            groups: Vec::new(),
            erases: Vec::with_capacity(states.len()),
            gains: Vec::with_capacity(states.len()),
        };
        for (group, from) in (0..states.len()).step_by(blocks_per_group).enumerate() {
            let rests = [0, 1].map(|kind| {
                let mut rests = first.rests[kind][group].clone();
                rests.merge(&second.rests[kind][group]);
                rests
            });
            let blocks = from..from + blocks_per_group;
            let count = blocks_per_group as f64;
            let erases: Vec<f64> = blocks
                .clone()
                .map(|block| f64::from(first.erases[block]) + f64::from(second.erases[block]))
                .collect();
            let mean = erases.iter().sum::<f64>() / count;
            let cycles: Vec<f64> = blocks
                .clone()
                .zip(&erases)
                .map(|(block, erases)| f64::from(states[block].cycles()) - erases)
                .collect();
            let (mut before, mut strayed, mut residual) = (Vec::new(), Vec::new(), Vec::new());
            let mut mean_gain = 0.0;
            for (block, erases) in blocks.zip(&erases) {
                let gain = first.gains[block] + second.gains[block];
                let programs = f64::from(first.programs[block]) + f64::from(second.programs[block]);
                let middle = states[block].equivalent_events() - 0.5 * gain;
                let rate = |kind: usize| rests[kind].mean_gain(lookup, middle);
                let (of_program, of_erase) = (rate(0), rate(1));
                residual.push(gain - programs * of_program - erases * of_erase);
                strayed.push(gain - mean * (of_program + of_erase));
                before.push(states[block].equivalent_events() - gain);
                mean_gain += gain / count;
            }
            let relative = |value: f64, mean: f64| if mean > 0.0 { value / mean } else { 0.0 };
            epoch.erases.extend(erases.iter().map(|erases| relative(erases - mean, mean)));
            epoch.gains.extend(residual.iter().map(|residual| relative(*residual, mean_gain)));
            epoch.groups.push(GroupEpoch {
                erases: mean,
                rests,
                erase_drift: Drift::of(&cycles, &erases),
                wear_drift: Drift::of(&before, &strayed),
            });
        }
        if self.epochs.len() == REMEMBERED {
            self.epochs.pop_front();
        }
        self.epochs.push_back(epoch);
    }

    /// The rates that all remembered epochs tell together, for blocks worn as `states` say; `None` before the first.
    pub(super) fn rates(&self, states: &[WearState]) -> Option<Rates> {
        let count = self.epochs.back()?.groups.len();
        let length: f64 = self.epochs.iter().map(|epoch| epoch.length).sum();
        let blocks_per_group = states.len() / count.max(1);
        let erases = self.lasting(|epoch| &epoch.erases);
        let gains = self.lasting(|epoch| &epoch.gains);
        let mean_square =
            |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64;
        let groups = (0..count)
            .map(|group| {
                let mut rests = RestHistogram::default();
                let (mut erased, mut erase_drift, mut wear_drift) = (0.0, Drift::default(), Drift::default());
                for epoch in &self.epochs {
                    let own = &epoch.groups[group];
                    own.rests.iter().for_each(|kind| rests.merge(kind));
                    erased += own.erases;
                    erase_drift = erase_drift.plus(own.erase_drift);
                    wear_drift = wear_drift.plus(own.wear_drift);
                }
                let blocks = group * blocks_per_group..(group + 1) * blocks_per_group;
                let life = Life::of(&states[blocks.clone()]);
                // what lasts is no drift
                let last = erased / self.epochs.len() as f64;
                let lasting = mean_square(&erases[blocks]) * last * last * self.epochs.len() as f64;
                erase_drift.variance = (erase_drift.variance - lasting).max(0.0);
                // blocks that something keeps together stray less in their life than an epoch suggests
                GroupRate {
                    rests,
                    erases: erased / length,
                    variance: (wear_drift.growth() / erased).min(life.wear_variance / life.cycles),
                    erase_variance: (erase_drift.growth() / erased).min(life.erase_variance / life.cycles),
                }
            })
            .collect();
        Some(Rates {
            groups,
            blocks_per_group,
            erases: erases.iter().map(|erases| (1.0 + erases).max(0.0)).collect(),
            gains: gains.iter().map(|gains| (1.0 + gains).max(0.0)).collect(),
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
        let mean = rates.iter().sum::<f64>() / count;
        let variance = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>() / (count - 1.0);
        let alike = rates.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / (count - 1.0);
        ((variance + 2.0 * alike.max(0.0)) / count).sqrt() / mean
    }

    /// The part of each block's deviation that lasts. Epochs that are not neighbours have nothing in common but that, so
    /// that the mean product of their deviations is its variance over blocks; the mean deviation counts by the share of
    /// that in its own variance. A variance within two standard errors is none.
    fn lasting(&self, of: impl Fn(&Epoch) -> &Vec<f64>) -> Vec<f64> {
        let epochs: Vec<&Vec<f64>> = self.epochs.iter().map(of).collect();
        let blocks = epochs.first().map_or(0, |epoch| epoch.len());
        let nothing = vec![0.0; blocks];
        if epochs.len() < TELLING {
            return nothing;
        }
        let mut mean = nothing.clone();
        for epoch in &epochs {
            for (mean, own) in mean.iter_mut().zip(*epoch) {
                *mean += own / epochs.len() as f64;
            }
        }
        let product = |one: &[f64], other: &[f64]| {
            one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>() / blocks as f64
        };
        let (mut lasting, mut pairs) = (0.0, 0.0_f64);
        for (place, one) in epochs.iter().enumerate() {
            for other in epochs.iter().skip(place + 2) {
                lasting += product(one, other);
                pairs += 1.0;
            }
        }
        lasting /= pairs;
        let variance = epochs.iter().map(|epoch| product(epoch, epoch)).sum::<f64>() / epochs.len() as f64;
        let of_mean = product(&mean, &mean);
        if of_mean <= 0.0 || lasting <= 2.0 * variance / (blocks as f64 * pairs).sqrt() {
            return nothing;
        }
        let share = (lasting / of_mean).min(1.0);
        mean.iter().map(|mean| share * mean).collect()
    }
}

impl Rates {
    /// Mean erases of a block in a nanosecond.
    pub(super) fn mean(&self) -> f64 {
        self.groups.iter().map(|group| group.erases).sum::<f64>() / self.groups.len().max(1) as f64
    }
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
