//! Modes: the ways in which a page can be programmed.

use serde::{Deserialize, Serialize};

/// The modes that a drive can have, the normal one among them.
pub const MAX_MODES: usize = 16;

/// The mode in which a page is programmed, and in which it is therefore read: its array times, its program step and its
/// code. Number 0 is the normal mode, which `[timing]`, `[cell]` and `[ecc]` describe; the others are those of `[[modes]]`,
/// in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mode(pub u8);

impl Mode {
    /// The only mode of most drives.
    pub const NORMAL: Self = Self(0);
    /// The name of the normal mode in configurations and summaries.
    pub const NORMAL_NAME: &'static str = "normal";

    /// The mode as an index into tables by mode.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
