//! Bits per cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bits that a cell stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CellType {
    /// One bit.
    #[default]
    Slc,
    /// Two bits: lower and upper page.
    Mlc,
    /// Three bits: lower, middle and upper page.
    Tlc,
    /// Four bits: lower, middle, upper and top page.
    Qlc,
}

impl CellType {
    /// Bits per cell, which is the number of page types.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Slc => 1,
            Self::Mlc => 2,
            Self::Tlc => 3,
            Self::Qlc => 4,
        }
    }
}
