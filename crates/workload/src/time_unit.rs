//! Units of the times in traces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unit of the times in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Ticks of 100 ns, as in a Windows file time.
    #[serde(rename = "100ns")]
    Ticks,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

impl TimeUnit {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Seconds,
        Self::Milliseconds,
        Self::Microseconds,
        Self::Ticks,
        Self::Nanoseconds,
    ];

    /// Nanoseconds in one unit.
    #[must_use]
    pub const fn ns(self) -> u64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Milliseconds => 1_000_000,
            Self::Microseconds => 1_000,
            Self::Ticks => 100,
            Self::Nanoseconds => 1,
        }
    }

    /// Its name in configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Ticks => "100ns",
            Self::Nanoseconds => "ns",
        }
    }
}
