//! `[poll]`: how the controller learns that a die is ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

use crate::error::ConfigError;

/// How the controller learns that a die is ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PollMode {
    /// By the ready/busy wire: at once and without the bus (Hu et al. 2011).
    #[default]
    RbWire,
    /// By status commands on the bus.
    StatusPoll,
}

/// `[poll]`: completion detection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PollConfig {
    /// `rb_wire` or `status_poll`.
    pub mode: PollMode,
    /// First poll after the array step began; its nominal length where absent. `status_poll` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Duration>,
    /// From one poll to the next. `status_poll` only.
    pub period: Duration,
}

impl Default for PollConfig {
    fn default() -> Self {
        Self {
            mode: PollMode::RbWire,
            first: None,
            period: Duration::from_us(1),
        }
    }
}

impl PollConfig {
    /// Checks the periods.
    ///
    /// # Errors
    /// A period of zero, which would poll for ever at one moment.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.period == Duration::ZERO {
            return Err(ConfigError::new("poll.period", self.period, "longer than 0 ns"));
        }
        Ok(())
    }

    /// The time of the poll that finds an array step of `length` done, counted from its start.
    #[must_use]
    pub fn noticed(&self, length: Duration) -> Duration {
        match self.mode {
            PollMode::RbWire => length,
            PollMode::StatusPoll => {
                let first = self.first.unwrap_or(length);
                let late = length.0.saturating_sub(first.0).div_ceil(self.period.0.max(1));
                first + self.period * late
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_come_late() {
        let poll = PollConfig {
            mode: PollMode::StatusPoll,
            first: Some(Duration::from_us(18)),
            period: Duration::from_us(5),
        };
        assert_eq!(poll.noticed(Duration::from_us(20)), Duration::from_us(23));
        assert_eq!(poll.noticed(Duration::from_us(23)), Duration::from_us(23));
        assert_eq!(poll.noticed(Duration::from_us(10)), Duration::from_us(18));
        assert_eq!(PollConfig::default().noticed(Duration(7)), Duration(7));
        let endless = PollConfig {
            period: Duration::ZERO,
            ..poll
        };
        assert_eq!(endless.validate().unwrap_err().key, "poll.period");
    }
}
