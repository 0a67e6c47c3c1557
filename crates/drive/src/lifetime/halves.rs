//! Step doubling: one skip in eight is done in two halves with a measurement between, and compared with itself done as a
//! whole.

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Representative, WearState};
use wordline_ftl::archive::{ArchiveError, require};

use super::consistent::{require_finite, require_wear};
use super::control::Verdict;
use super::engine::Engine;
use super::judging::MONTH;
use super::ledger::Rates;
use super::report;
use super::skip::Skip;

/// One skip in so many.
const ONE_IN: u64 = 8;
/// Percentiles of wear that are compared: those of retention at 1, 10, 50 and 90.
const COMPARED: [usize; 4] = [99, 90, 50, 10];

/// A skip as a whole, which is being done in halves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Whole {
    /// When it ends.
    pub(super) end: u64,
    /// Wear at `COMPARED` then.
    wear: [f64; COMPARED.len()],
    /// Part of the wear after it that it gained, and the relative standard error of the rate that it went by.
    share: f64,
    standard_error: f64,
}

impl Whole {
    /// Checks what was loaded.
    pub(super) fn check(&self, horizon: u64) -> Result<(), ArchiveError> {
        require(self.end <= horizon, "a skip beyond the horizon")?;
        require_wear(self.wear)?;
        require_finite([self.share, self.standard_error])
    }
}

impl Engine<'_> {
    /// The length of a skip or, where the draw says so, of its first half. The halves must be worth it: twice as long as the
    /// `window` measured between them.
    pub(super) fn in_halves(&mut self, length: u64, rates: &Rates, window: f64) -> u64 {
        let half = length / 2;
        let is_drawn = self
            .seed
            .draw("lifetime.halves", self.method.skips)
            .is_multiple_of(ONE_IN);
        if !is_drawn || (half as f64) < 6.0 * window {
            return length;
        }
        let mut states = self.states().to_vec();
        let total = |states: &[WearState]| states.iter().map(WearState::equivalent_events).sum::<f64>();
        let before = total(&states);
        // by the same draws as the halves, where no snapshot cuts them
        let mut skip = Skip::new(rates, &self.lookup, self.seed);
        skip.advance(&mut states, None, half as f64, self.method.parts);
        skip.advance(&mut states, None, (length - half) as f64, self.method.parts + 1);
        self.method.whole = Some(Whole {
            end: self.now().saturating_add(length),
            wear: percentiles(&states),
            share: 1.0 - before / total(&states),
            standard_error: rates.standard_error,
        });
        half
    }

    /// At the end of the second half: whether the whole would have come out too differently.
    pub(super) fn differs_from_whole(&mut self) -> Verdict {
        let now = self.now();
        let Some(whole) = self.method.whole.take_if(|whole| whole.end <= now) else {
            return Verdict::Kept;
        };
        let states = self.states();
        // at one rest for all: the last rests of single blocks differ by chance
        let rests = states
            .iter()
            .map(|state| libm::log(state.rest(Representative::LastCycle)));
        let rest = libm::exp(rests.sum::<f64>() / states.len() as f64);
        let retention = |wear: f64| self.lookup.retention(wear, rest) * self.climate.retention();
        let difference = percentiles(states)
            .into_iter()
            .zip(whole.wear)
            .map(|(halves, whole)| (retention(halves), retention(whole)))
            // nothing is promised below a month
            .filter(|(halves, whole)| halves.min(*whole) > MONTH)
            .map(|(halves, whole)| (whole / halves - 1.0).abs())
            .fold(0.0, f64::max);
        // both rates are known no better
        let error = std::f64::consts::SQRT_2 * whole.standard_error * self.slope() * whole.share;
        self.control
            .judge_halves(difference, error, whole.share.max(f64::MIN_POSITIVE))
    }
}

/// Wear at `COMPARED`, by nearest rank.
fn percentiles(states: &[WearState]) -> [f64; COMPARED.len()] {
    let mut wear: Vec<f64> = states.iter().map(WearState::equivalent_events).collect();
    wear.sort_by(f64::total_cmp);
    COMPARED.map(|percent| {
        let rank = report::nearest_rank(percent, wear.len());
        wear.get(rank).copied().unwrap_or_default()
    })
}
