//! How far to skip, and how wrong that may have been (section 11 of the specification).

use serde::{Deserialize, Serialize};

/// Bounds of the growth of wear in a skip.
const LEAST: f64 = 0.01;
const MOST: f64 = 1.0;
const FIRST: f64 = 0.1;

/// What became of a skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Kept,
    Discarded,
}

/// Chooses the growth of wear of each skip by the error of the last one, and keeps the sum of errors.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Control {
    tolerance: f64,
    /// Share by which wear may grow in the next skip.
    pub(super) growth: f64,
    /// Relative error of retention that the skips kept so far may have made.
    pub(super) error: f64,
    pub(super) kept: u32,
    pub(super) discarded: u32,
    /// Discrepancy of the skip judged last.
    last: Option<f64>,
}

impl Control {
    pub(super) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            growth: FIRST,
            error: 0.0,
            kept: 0,
            discarded: 0,
            last: None,
        }
    }

    /// Judges a skip. `discrepancy` is that of the rate of wear after it with the one it went by; what statistics
    /// explain, twice `standard_error`, counts for the reported error but not against the skip. `slope` is d ln R / d ln n, and
    /// `share` the part of the wear after the skip that was gained in it.
    pub(super) fn judge(&mut self, discrepancy: f64, standard_error: f64, slope: f64, share: f64) -> Verdict {
        let significant = (discrepancy - 2.0 * standard_error).max(0.0) * slope;
        if significant > 3.0 * self.tolerance && self.growth > LEAST {
            self.growth = (0.5 * self.growth).max(LEAST);
            self.discarded += 1;
            return Verdict::Discarded;
        }
        self.kept += 1;
        self.last = Some(discrepancy);
        // the rate drifts from the one measured before to the one found after: half of it on average
        self.error += 0.5 * discrepancy * slope * share;
        let factor = 0.9 * (self.tolerance / significant.max(1e-9)).sqrt();
        self.growth = (self.growth * factor.clamp(0.3, 3.0)).clamp(LEAST, MOST);
        Verdict::Kept
    }

    /// Keeps a skip that nothing was simulated after, and takes it to be as wrong as the one before, or as a skip may
    /// be where it is the only one.
    pub(super) fn trust(&mut self, slope: f64, share: f64) {
        self.kept += 1;
        self.error += match self.last {
            Some(last) => 0.5 * last * slope * share,
            None => self.tolerance * share,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_grow_while_they_are_right() {
        let mut control = Control::new(0.02);
        for _ in 0..4 {
            assert_eq!(control.judge(1e-4, 0.0, 1.0, 0.1), Verdict::Kept);
        }
        assert_eq!((control.growth, control.kept), (MOST, 4));
        assert!((control.error - 4.0 * 0.5e-5).abs() < 1e-12);
    }

    #[test]
    fn a_skip_that_was_not_judged_is_no_better_than_it_need_be() {
        let mut control = Control::new(0.02);
        control.trust(5.0, 0.5);
        assert_eq!((control.kept, control.error), (1, 0.01));
    }

    #[test]
    fn a_wrong_skip_is_discarded_and_the_next_is_shorter() {
        let mut control = Control::new(0.02);
        assert_eq!(control.judge(0.2, 0.01, 1.0, 0.1), Verdict::Discarded);
        assert_eq!((control.growth, control.error, control.discarded), (0.05, 0.0, 1));
        // statistics explain as much
        assert_eq!(control.judge(0.2, 0.1, 1.0, 0.1), Verdict::Kept);
        control.growth = LEAST;
        assert_eq!(control.judge(0.2, 0.0, 1.0, 0.1), Verdict::Kept);
        assert_eq!(control.growth, LEAST);
    }
}
