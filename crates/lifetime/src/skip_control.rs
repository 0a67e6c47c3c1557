//! How far wear may grow in the next skip, and the sum of the errors of those done.

use serde::{Deserialize, Serialize};

/// The least and the largest growth of wear in a skip, relative to the wear before it, and that of the first skip.
const LEAST_GROWTH: f64 = 0.01;
const MOST_GROWTH: f64 = 1.0;
const FIRST_GROWTH: f64 = 0.1;

/// What became of a skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Kept,
    Discarded,
}

/// What two windows after a skip show of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SkipFindings {
    /// Relative difference of the rate of wear from the rate by which the skip advanced it.
    pub(crate) discrepancy: f64,
    /// Relative standard error of that rate. A discrepancy up to twice as large is statistical: it is part of the reported
    /// error and does not discard the skip.
    pub(crate) standard_error: f64,
    /// By how much percentiles of the wear that single blocks gain differ from those of the epochs before, relative to the
    /// mean gain, beyond two standard errors and 1 %.
    pub(crate) shape_error: f64,
}

/// Chooses the growth of wear of each skip by the error of the last one, and keeps the sum of errors.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SkipControl {
    tolerance: f64,
    /// Growth of wear in the next skip, relative to the wear before it.
    pub(crate) growth: f64,
    /// Relative error of retention that the skips kept so far may have made.
    pub(crate) error: f64,
    pub(crate) kept: u32,
    pub(crate) discarded: u32,
    /// Skips done in two half steps.
    pub(crate) halved: u32,
    /// Discrepancy of the skip checked last.
    last_discrepancy: Option<f64>,
    /// What that skip added to the error.
    last_error: f64,
}

impl SkipControl {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            growth: FIRST_GROWTH,
            error: 0.0,
            kept: 0,
            discarded: 0,
            halved: 0,
            last_discrepancy: None,
            last_error: 0.0,
        }
    }

    /// Judges a skip by what two windows after it show. `slope` is |d ln R / d ln n|, `share` the share of the wear that the skip
    /// added. Errors of retention and their tolerance are both divided by that share.
    pub(crate) fn judge(&mut self, found: SkipFindings, slope: f64, share: f64) -> Verdict {
        let significant = (found.discrepancy - 2.0 * found.standard_error).max(found.shape_error);
        if self.discard_if_too_large(significant * slope) {
            return Verdict::Discarded;
        }
        self.kept += 1;
        self.last_discrepancy = Some(found.discrepancy);
        // the rate drifts from the one measured before to the one found after: half of it on average
        self.last_error = 0.5 * found.discrepancy * slope * share;
        self.error += self.last_error;
        let factor = 0.9 * (self.tolerance / (significant * slope).max(1e-9)).sqrt();
        self.growth = (self.growth * factor.clamp(0.3, 3.0)).clamp(LEAST_GROWTH, MOST_GROWTH);
        Verdict::Kept
    }

    /// Judges a skip that was done in two half steps, by the relative `difference` of retention at its end from that after a
    /// full step. A difference up to twice `standard_error` is statistical: it is part of the reported error and does not
    /// discard the skip.
    pub(crate) fn judge_step_doubling(
        &mut self,
        difference: f64,
        standard_error: f64,
        share: f64,
    ) -> Verdict {
        self.halved += 1;
        if self.discard_if_too_large((difference - 2.0 * standard_error) / share) {
            return Verdict::Discarded;
        }
        // the error of the first half is counted already
        self.error += (difference - self.last_error).max(0.0);
        Verdict::Kept
    }

    /// Whether an error of retention per share of wear is so large that its skip is discarded; the next skip is shorter then.
    fn discard_if_too_large(&mut self, error: f64) -> bool {
        let too_large = error > 3.0 * self.tolerance && self.growth > LEAST_GROWTH;
        if too_large {
            self.growth = (0.5 * self.growth).max(LEAST_GROWTH);
            self.discarded += 1;
        }
        too_large
    }

    /// Keeps a skip after which nothing was simulated, and assumes the error of the skip before it, or, where it is the only
    /// skip, the tolerance.
    pub(crate) fn accept_unchecked(&mut self, slope: f64, share: f64) {
        self.kept += 1;
        self.error += match self.last_discrepancy {
            Some(last) => 0.5 * last * slope * share,
            None => self.tolerance * share,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(discrepancy: f64, standard_error: f64) -> SkipFindings {
        SkipFindings {
            discrepancy,
            standard_error,
            shape_error: 0.0,
        }
    }

    #[test]
    fn skips_grow_while_they_are_right() {
        let mut control = SkipControl::new(0.02);
        for _ in 0..4 {
            assert_eq!(control.judge(found(1e-4, 0.0), 1.0, 0.1), Verdict::Kept);
        }
        assert_eq!((control.growth, control.kept), (MOST_GROWTH, 4));
        assert!((control.error - 4.0 * 0.5e-5).abs() < 1e-12);
    }

    #[test]
    fn a_skip_that_was_not_judged_is_no_better_than_it_need_be() {
        let mut control = SkipControl::new(0.02);
        control.accept_unchecked(5.0, 0.5);
        assert_eq!((control.kept, control.error), (1, 0.01));
    }

    #[test]
    fn a_wrong_skip_is_discarded_and_the_next_is_shorter() {
        let mut control = SkipControl::new(0.02);
        assert_eq!(control.judge(found(0.2, 0.01), 1.0, 0.1), Verdict::Discarded);
        assert_eq!((control.growth, control.error, control.discarded), (0.05, 0.0, 1));
        // statistics explain as much
        assert_eq!(control.judge(found(0.2, 0.1), 1.0, 0.1), Verdict::Kept);
        control.growth = LEAST_GROWTH;
        assert_eq!(control.judge(found(0.2, 0.0), 1.0, 0.1), Verdict::Kept);
        assert_eq!(control.growth, LEAST_GROWTH);
    }

    #[test]
    fn blocks_that_gain_unlike_before_speak_against_a_skip() {
        let mut control = SkipControl::new(0.02);
        let mut after = found(0.001, 0.001);
        assert_eq!(control.judge(after, 2.0, 0.1), Verdict::Kept);
        after.shape_error = 0.05;
        assert_eq!(control.judge(after, 2.0, 0.1), Verdict::Discarded);
    }

    #[test]
    fn halves_tell_the_error_of_the_whole() {
        let mut control = SkipControl::new(0.02);
        assert_eq!(control.judge(found(0.01, 0.0), 1.0, 0.1), Verdict::Kept);
        // 0.0005 of it is known from the first half
        assert_eq!(control.judge_step_doubling(0.004, 0.0, 0.1), Verdict::Kept);
        assert!((control.error - 0.004).abs() < 1e-12);
        let growth = control.growth;
        assert_eq!(control.judge_step_doubling(0.007, 0.0, 0.1), Verdict::Discarded);
        assert_eq!((control.growth, control.halved), (0.5 * growth, 2));
        // statistics explain as much
        assert_eq!(control.judge_step_doubling(0.007, 0.002, 0.1), Verdict::Kept);
    }
}
