//! How far to skip, and how wrong that may have been (section 11 of the specification).

use serde::{Deserialize, Serialize};
use wordline_ftl::archive::{ArchiveError, require, require_counts};

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

/// What was found after a skip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Relative discrepancy of the rate of wear with the one that the skip went by.
    pub(super) discrepancy: f64,
    /// Relative standard error of that rate: what statistics explain, twice that, counts for the reported error but not
    /// against the skip.
    pub(super) standard_error: f64,
    /// By how much percentiles of the gain of single blocks differ, relative to their mean, beyond what is usual.
    pub(super) misshape: f64,
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
    /// Skips that were repeated in halves.
    pub(super) halved: u32,
    /// Discrepancy of the skip judged last, and what it added to the error.
    last: Option<f64>,
    local: f64,
}

impl Control {
    pub(super) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            growth: FIRST,
            error: 0.0,
            kept: 0,
            discarded: 0,
            halved: 0,
            last: None,
            local: 0.0,
        }
    }

    /// Checks what was loaded, for skips that are asked for with this tolerance.
    pub(super) fn check(&self, tolerance: f64) -> Result<(), ArchiveError> {
        require(self.tolerance == tolerance, "another tolerance than is asked for")?;
        require(
            (LEAST..=MOST).contains(&self.growth),
            "a growth of wear that no skip may have",
        )?;
        let (kept, discarded, halved) = (self.kept, self.discarded, self.halved);
        // 32 bits hold as many skips
        require_counts(&[kept, discarded, halved].map(|count| u64::from(count) << 25))
    }

    /// Judges a skip by what was found after it. Errors of retention and their tolerance are both taken per share of the
    /// wear that the skip gained.
    pub(super) fn judge(&mut self, found: Found, slope: f64, share: f64) -> Verdict {
        let significant = (found.discrepancy - 2.0 * found.standard_error).max(found.misshape);
        if self.discards(significant * slope) {
            return Verdict::Discarded;
        }
        self.kept += 1;
        self.last = Some(found.discrepancy);
        // the rate drifts from the one measured before to the one found after: half of it on average
        self.local = 0.5 * found.discrepancy * slope * share;
        self.error += self.local;
        let factor = 0.9 * (self.tolerance / (significant * slope).max(1e-9)).sqrt();
        self.growth = (self.growth * factor.clamp(0.3, 3.0)).clamp(LEAST, MOST);
        Verdict::Kept
    }

    /// Judges a skip that was repeated in halves: by the relative `difference` of retention at its end between both ways.
    /// What statistics explain of it, twice `standard_error`, counts for the reported error but not against the skip.
    pub(super) fn judge_halves(&mut self, difference: f64, standard_error: f64, share: f64) -> Verdict {
        self.halved += 1;
        if self.discards((difference - 2.0 * standard_error) / share) {
            return Verdict::Discarded;
        }
        // the first half has been judged by its rate already
        self.error += (difference - self.local).max(0.0);
        Verdict::Kept
    }

    /// Whether so large an error of retention per share of wear is too large; the next skip is shorter then.
    fn discards(&mut self, error: f64) -> bool {
        let too_large = error > 3.0 * self.tolerance && self.growth > LEAST;
        if too_large {
            self.growth = (0.5 * self.growth).max(LEAST);
            self.discarded += 1;
        }
        too_large
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

    type Change = fn(&mut Control);

    fn found(discrepancy: f64, standard_error: f64) -> Found {
        Found {
            discrepancy,
            standard_error,
            misshape: 0.0,
        }
    }

    #[test]
    fn bounds_of_another_study_are_refused() {
        let control = Control::new(0.02);
        control.check(0.02).unwrap();
        let changes: [(Change, &str); 5] = [
            (|of| of.tolerance = 0.1, "another tolerance"),
            (|of| of.tolerance = f64::NAN, "another tolerance"),
            (|of| of.growth = f64::NAN, "growth"),
            (|of| of.growth = 2.0, "growth"),
            (|of| of.discarded = u32::MAX, "a count"),
        ];
        for (change, told) in changes {
            let mut changed = control;
            change(&mut changed);
            let error = changed.check(0.02).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn skips_grow_while_they_are_right() {
        let mut control = Control::new(0.02);
        for _ in 0..4 {
            assert_eq!(control.judge(found(1e-4, 0.0), 1.0, 0.1), Verdict::Kept);
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
        assert_eq!(control.judge(found(0.2, 0.01), 1.0, 0.1), Verdict::Discarded);
        assert_eq!((control.growth, control.error, control.discarded), (0.05, 0.0, 1));
        // statistics explain as much
        assert_eq!(control.judge(found(0.2, 0.1), 1.0, 0.1), Verdict::Kept);
        control.growth = LEAST;
        assert_eq!(control.judge(found(0.2, 0.0), 1.0, 0.1), Verdict::Kept);
        assert_eq!(control.growth, LEAST);
    }

    #[test]
    fn blocks_that_gain_unlike_before_speak_against_a_skip() {
        let mut control = Control::new(0.02);
        let mut after = found(0.001, 0.001);
        assert_eq!(control.judge(after, 2.0, 0.1), Verdict::Kept);
        after.misshape = 0.05;
        assert_eq!(control.judge(after, 2.0, 0.1), Verdict::Discarded);
    }

    #[test]
    fn halves_tell_the_error_of_the_whole() {
        let mut control = Control::new(0.02);
        assert_eq!(control.judge(found(0.01, 0.0), 1.0, 0.1), Verdict::Kept);
        // 0.0005 of it is known from the first half
        assert_eq!(control.judge_halves(0.004, 0.0, 0.1), Verdict::Kept);
        assert!((control.error - 0.004).abs() < 1e-12);
        let growth = control.growth;
        assert_eq!(control.judge_halves(0.007, 0.0, 0.1), Verdict::Discarded);
        assert_eq!((control.growth, control.halved), (0.5 * growth, 2));
        // statistics explain as much
        assert_eq!(control.judge_halves(0.007, 0.002, 0.1), Verdict::Kept);
    }
}
