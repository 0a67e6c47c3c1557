//! Up to which raw bit error rate each sensing level succeeds.

use std::sync::OnceLock;

use crate::error::{EccError, probability, require};
use crate::ldpc::information::largest;
use crate::ldpc::level::{LEVELS, Level};

/// The highest raw bit error rate at which each level succeeds, rising with the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds([f64; LEVELS]);

impl Default for Thresholds {
    /// 0.0044, 0.0076 and 0.0104 are the error rates that DLV (IEEE TCAD 2018), table I, pairs with read times of 38, 75 and
    /// 150 us, 1 : 2 : 4, taken as levels 1, 2 and 4. The others are assumed: between and beyond those three
    /// with the shape of the curve of [`Self::from_information`].
    fn default() -> Self {
        Self([0.0044, 0.0076, 0.0095, 0.0104, 0.0108, 0.0110, 0.0112])
    }
}

impl Thresholds {
    /// Thresholds of levels 1 to 7.
    ///
    /// # Errors
    /// They do not strictly rise, or are not above 0 and up to 1/2.
    pub fn new(table: [f64; LEVELS]) -> Result<Self, EccError> {
        let rise = table.is_sorted_by(|low, high| low < high);
        require(
            rise && table[0] > 0.0 && table[LEVELS - 1] <= 0.5,
            "thresholds",
            format!("{table:?}"),
            || "accepted are seven error rates above 0 and up to 0.5, each above the one before".to_owned(),
        )?;
        Ok(Self(table))
    }

    /// A level succeeds as long as its references tell as much about a bit as one reference does at an error rate of
    /// 0.0044: binary input, Gaussian noise, equally spaced references that tell most.
    #[must_use]
    pub fn from_information() -> Self {
        static TABLE: OnceLock<[f64; LEVELS]> = OnceLock::new();
        Self(*TABLE.get_or_init(|| {
            let hard = Self::default().0[0];
            let need = largest(Level::HARD, hard);
            let mut table = [hard; LEVELS];
            for level in Level::all().skip(1) {
                let (mut low, mut high) = (hard, 0.1);
                for _ in 0..40 {
                    let middle = 0.5 * (low + high);
                    if largest(level, middle) >= need {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                table[level.index()] = low;
            }
            table
        }))
    }

    /// The thresholds, level 1 first.
    #[must_use]
    pub fn table(&self) -> [f64; LEVELS] {
        self.0
    }

    /// The threshold of a level.
    #[must_use]
    pub fn of(&self, level: Level) -> f64 {
        self.0[level.index()]
    }

    /// The lowest level that succeeds at a raw bit error rate, if one does.
    #[must_use]
    pub fn required(&self, rber: f64) -> Option<Level> {
        Level::all().find(|level| rber <= self.of(*level))
    }

    /// The probability that a level succeeds where success is not certain on one side of its threshold: logistic in the
    /// logarithm of the error rate, half at the threshold. 60 is a usual steepness.
    ///
    /// # Errors
    /// `rber` is not a probability; `steepness` is not above 0.
    pub fn success(&self, level: Level, rber: f64, steepness: f64) -> Result<f64, EccError> {
        probability("rber", rber)?;
        check_steepness(steepness)?;
        Ok(1.0 / (1.0 + libm::pow(rber / self.of(level), steepness)))
    }
}

/// Checks how steeply success falls about a threshold.
pub(super) fn check_steepness(steepness: f64) -> Result<(), EccError> {
    require(
        steepness.is_finite() && steepness > 0.0,
        "steepness",
        steepness,
        || "accepted is a number above 0".to_owned(),
    )
}
