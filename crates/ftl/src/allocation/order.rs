//! An order of the four levels above the block.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A level that pages can be spread over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// C: channels of the drive.
    Channel,
    /// W: chips ("ways") on a channel.
    Chip,
    /// D: dies in a chip.
    Die,
    /// P: planes in a die.
    Plane,
}

impl Level {
    /// The level of a letter.
    pub(crate) fn of_letter(letter: char) -> Option<Self> {
        let levels = [Self::Channel, Self::Chip, Self::Die, Self::Plane];
        levels.into_iter().find(|level| level.letter() == letter)
    }

    /// Its letter.
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::Channel => 'C',
            Self::Chip => 'W',
            Self::Die => 'D',
            Self::Plane => 'P',
        }
    }
}

/// A permutation of the four levels, fastest-varying (highest-ranked) first; written `"CDPW"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Order([Level; 4]);

/// A text that is not an order of the levels.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not an order of the levels: write each of C (channel), W (chip), D (die), P (plane) once, \
     fastest-varying first, for example \"CDPW\""
)]
pub struct OrderError(String);

impl Order {
    /// `CWDP`: neighbours go to different channels, then to different chips.
    #[must_use]
    pub const fn channel_first() -> Self {
        Self([Level::Channel, Level::Chip, Level::Die, Level::Plane])
    }

    /// The levels, fastest-varying first.
    #[must_use]
    pub const fn levels(self) -> [Level; 4] {
        self.0
    }

    /// The order with two levels in each other's place.
    #[must_use]
    pub fn exchanged(self, a: Level, b: Level) -> Self {
        Self(self.0.map(|level| match level {
            _ if level == a => b,
            _ if level == b => a,
            other => other,
        }))
    }

    /// All 24 orders.
    #[must_use]
    pub fn all() -> Vec<Self> {
        use Level::{Channel, Chip, Die, Plane};
        let levels = [Channel, Chip, Die, Plane];
        let mut orders = Vec::with_capacity(24);
        for a in levels {
            for b in levels.into_iter().filter(|b| *b != a) {
                for c in levels.into_iter().filter(|c| *c != a && *c != b) {
                    for d in levels.into_iter().filter(|d| *d != a && *d != b && *d != c) {
                        orders.push(Self([a, b, c, d]));
                    }
                }
            }
        }
        orders
    }
}

impl Default for Order {
    /// `CDPW`: the order that Hu et al. 2011 (Insight 9) recommend.
    fn default() -> Self {
        Self([Level::Channel, Level::Die, Level::Plane, Level::Chip])
    }
}

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        Self::all()
            .into_iter()
            .find(|order| order.to_string() == text)
            .ok_or_else(|| OrderError(text.to_owned()))
    }
}

impl TryFrom<String> for Order {
    type Error = OrderError;

    fn try_from(text: String) -> Result<Self, OrderError> {
        text.parse()
    }
}

impl From<Order> for String {
    fn from(order: Order) -> Self {
        order.to_string()
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: String = self.0.iter().map(|level| level.letter()).collect();
        f.pad(&letters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_permutations_and_nothing_else() {
        let all = Order::all();
        assert_eq!(all.len(), 24);
        for order in all {
            assert_eq!(order.to_string().parse::<Order>(), Ok(order));
        }
        for text in ["", "CWD", "CWDD", "cwdp", "CWDPP", "channel"] {
            assert!(text.parse::<Order>().unwrap_err().to_string().contains("CDPW"));
        }
    }

    #[test]
    fn two_levels_change_places() {
        let order: Order = "CDPW".parse().unwrap();
        assert_eq!(order.exchanged(Level::Die, Level::Plane).to_string(), "CPDW");
        assert_eq!(order.exchanged(Level::Chip, Level::Channel).to_string(), "WDPC");
    }
}
