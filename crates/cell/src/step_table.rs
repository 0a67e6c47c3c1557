//! What another program step makes of a block's error rate, as a table: section "Program step" of docs/explanations/cells.md.
//!
//! The exact way infers the deviation by bisection, some microseconds; a drive asks at every read.

use crate::error::CellError;
use crate::pages::{PageRates, Reading};
use crate::solve::{Family, SIGMA_BRACKET, bisect};

/// Which of a cell's rates a table gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// One number for all pages.
    Reading(Reading),
    /// One page, from 0; the rate at the reference step is the mean over the pages.
    Page(u32),
}

/// Error rate at another step, by the rate at the reference step.
///
/// Cubic Hermite pieces of ln(rate - floor) over ln(rate - floor), where the floor is what the erased state alone
/// gives: near it rates are powers of each other, so that this is the smooth way to hold them. The result differs
/// from the exact one by less than 1e-6 of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTable {
    /// Rates of the erased state alone, at the reference step and at the other one.
    floors: (f64, f64),
    /// Largest excess over the floor at the reference step.
    highest: f64,
    /// Knots by unit of the logarithm.
    density: f64,
    /// Value, and slope by knot.
    knots: Vec<(f64, f64)>,
}

/// Logarithm of the excess at the first knot; the first piece goes on below it.
const FIRST: f64 = -46.0;
/// Knots of a table.
const KNOTS: usize = 512;

impl StepTable {
    /// The table of pages programmed with `step`, by their rate were they programmed with `reference`.
    ///
    /// # Errors
    /// What `Family::rber` refuses.
    pub fn new(family: &Family, reference: f64, step: f64, wanted: Wanted) -> Result<Self, CellError> {
        let given = match wanted {
            Wanted::Reading(_) => wanted,
            Wanted::Page(_) => Wanted::Reading(Reading::PageAverage),
        };
        let at_reference = Excess::new(family, reference, given)?;
        let at_step = Excess::new(family, step, wanted)?;
        let (least, largest) = SIGMA_BRACKET;
        let highest = at_reference.log(largest)?;
        let density = (KNOTS - 1) as f64 / (highest - FIRST);
        let knots = (0..KNOTS)
            .map(|knot| {
                let place = FIRST + knot as f64 / density;
                let mut failed = None;
                let sigma = bisect(least, largest, |sigma| match at_reference.log(sigma) {
                    Ok(log) => log > place,
                    Err(error) => {
                        failed = Some(error);
                        true
                    }
                });
                if let Some(error) = failed {
                    return Err(error);
                }
                let (lower, upper) = (sigma * (1.0 - NUDGE), sigma * (1.0 + NUDGE));
                let rise = at_step.log(upper)? - at_step.log(lower)?;
                let run = at_reference.log(upper)? - at_reference.log(lower)?;
                Ok((at_step.log(sigma)?, rise / run / density))
            })
            .collect::<Result<_, CellError>>()?;
        Ok(Self {
            floors: (at_reference.floor, at_step.floor),
            highest: libm::exp(highest),
            density,
            knots,
        })
    }

    /// The rate, by the rate at the reference step; one that no deviation gives stays as it is.
    #[must_use]
    pub fn rber(&self, rber: f64) -> f64 {
        let excess = rber - self.floors.0;
        if !(excess > 0.0 && excess <= self.highest) {
            return rber;
        }
        let place = (libm::log(excess) - FIRST) * self.density;
        let last = KNOTS - 2;
        let knot = (place.max(0.0) as usize).min(last);
        let [(low, low_slope), (high, high_slope)] = [self.knots[knot], self.knots[knot + 1]];
        let t = place - knot as f64;
        let log = if t < 0.0 {
            low + t * low_slope
        } else {
            let rise = high - low;
            low + t
                * (low_slope
                    + t * (3.0 * rise - 2.0 * low_slope - high_slope
                        + t * (low_slope + high_slope - 2.0 * rise)))
        };
        self.floors.1 + libm::exp(log)
    }
}

/// Relative distance of the points that give a slope.
const NUDGE: f64 = 1e-4;

/// A rate less what the erased state alone gives, without a difference of nearly equal numbers.
struct Excess<'a> {
    family: &'a Family,
    step: f64,
    wanted: Wanted,
    /// Tail of the erased state at the least deviation.
    erased: f64,
    floor: f64,
}

impl<'a> Excess<'a> {
    fn new(family: &'a Family, step: f64, wanted: Wanted) -> Result<Self, CellError> {
        let cell = family.cell(step, SIGMA_BRACKET.0)?;
        Ok(Self {
            family,
            step,
            wanted,
            erased: cell.erased_tail(),
            floor: wanted.of(&cell.rates()),
        })
    }

    /// Its logarithm with this deviation.
    fn log(&self, sigma: f64) -> Result<f64, CellError> {
        let rates = self.family.cell(self.step, sigma)?.rates_beyond(self.erased);
        Ok(libm::log(self.wanted.of(&rates)))
    }
}

impl Wanted {
    fn of(self, rates: &PageRates) -> f64 {
        match self {
            Self::Reading(reading) => rates.reading(reading),
            Self::Page(page) => rates.pages()[page as usize],
        }
    }
}
