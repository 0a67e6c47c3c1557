//! Sensing levels.

use crate::error::{EccError, require};

/// The most reference voltages per boundary of states.
pub const LEVELS: usize = 7;

/// A sensing level: the reference voltages per boundary of states, 1 (hard decision) to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// One reference voltage: hard decision.
    pub const HARD: Self = Self(1);
    /// Seven reference voltages.
    pub const HIGHEST: Self = Self(LEVELS as u8);

    /// The level of a number of reference voltages.
    ///
    /// # Errors
    /// They are none, or more than seven.
    pub fn new(level: u32) -> Result<Self, EccError> {
        require((1..=LEVELS as u32).contains(&level), "level", level, || {
            format!("accepted are sensing levels 1 to {LEVELS}")
        })?;
        Ok(Self(level as u8))
    }

    /// Every level, the lowest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (1..=Self::HIGHEST.0).map(Self)
    }

    /// Reference voltages per boundary.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }

    /// Its place in a table that begins with level 1.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }

    /// One reference voltage more, where there is one.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        (self < Self::HIGHEST).then_some(Self(self.0 + 1))
    }

    /// Bits that tell a cell's place among the reference voltages.
    #[must_use]
    pub fn bits(self) -> u32 {
        u8::BITS - self.0.leading_zeros()
    }
}
