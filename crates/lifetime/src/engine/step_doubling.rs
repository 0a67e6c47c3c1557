//! Step doubling: one skip in eight is done in two half steps with a measurement between them, and compared with the same
//! skip in one full step.

use wordline_cell::fence::{Representative, WearState};

use super::Engine;
use super::error_control::MONTH;
use crate::epoch_ledger::WearRates;
use crate::full_step::{FullStep, percentiles};
use crate::skip::Skip;
use crate::skip_control::Verdict;

/// One skip in so many is done in two half steps.
const DOUBLED_ONE_IN: u64 = 8;

impl Engine<'_> {
    /// The length of the next step of a skip of `length` nanoseconds: all of it, or the first half where the draw says so.
    /// A skip is halved only where a half is at least six times as long as a window (`window` nanoseconds): two windows at
    /// least are measured between the halves.
    pub(crate) fn halve_if_drawn(&mut self, length: u64, rates: &WearRates, window: f64) -> u64 {
        let half = length / 2;
        let is_drawn = self
            .seed
            .draw("lifetime.halves", self.skipping.skips)
            .is_multiple_of(DOUBLED_ONE_IN);
        // which data stay in their blocks is drawn for a whole skip: where they matter there are no halves
        if !is_drawn || self.has_old_data(length) || (half as f64) < 6.0 * window {
            return length;
        }
        let mut states = self.states().to_vec();
        let total = |states: &[WearState]| states.iter().map(WearState::equivalent_events).sum::<f64>();
        let before = total(&states);
        // by the same draws as the half steps, where no snapshot cuts them
        let mut skip = Skip::new(rates, &self.lookup, self.seed);
        skip.advance(&mut states, &mut [], half as f64, self.skipping.parts);
        skip.advance(
            &mut states,
            &mut [],
            (length - half) as f64,
            self.skipping.parts + 1,
        );
        self.skipping.full_step = Some(FullStep {
            end: self.now().saturating_add(length),
            wear: percentiles(&states),
            wear_share: 1.0 - before / total(&states),
            standard_error: rates.standard_error,
        });
        half
    }

    /// At the end of the second half step: discards it where the full step would have given too different a retention.
    pub(crate) fn compare_with_full_step(&mut self) -> Verdict {
        let now = self.now();
        let Some(full) = self.skipping.full_step.take_if(|full| full.end <= now) else {
            return Verdict::Kept;
        };
        let states = self.states();
        // with the geometric mean of the last rests for all blocks: those of single blocks differ by chance
        let rests = states
            .iter()
            .map(|state| libm::log(state.rest(Representative::LastCycle)));
        let rest = libm::exp(rests.sum::<f64>() / states.len() as f64);
        let retention = |wear: f64| self.lookup.retention(wear, rest) * self.temperature.retention_factor();
        let difference = percentiles(states)
            .into_iter()
            .zip(full.wear)
            .map(|(halves, full)| (retention(halves), retention(full)))
            // no accuracy is promised below a month
            .filter(|(halves, full)| halves.min(*full) > MONTH)
            .map(|(halves, full)| (full / halves - 1.0).abs())
            .fold(0.0, f64::max);
        // the rates of both ways have this error, independently
        let error = std::f64::consts::SQRT_2 * full.standard_error * self.slope() * full.wear_share;
        self.control
            .judge_step_doubling(difference, error, full.wear_share.max(f64::MIN_POSITIVE))
    }
}
