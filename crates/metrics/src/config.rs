//! `[output]`: what a run records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_units::Duration;

/// `[output]`: what a run records, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputConfig {
    /// Width of a window of the time series. Left out: it starts at 1 ms and doubles whenever
    /// the run would need more than 2048 windows. A fixed width doubles, with a note, only
    /// beyond 1,048,576 windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Duration>,
    /// Rows of the table of requests; later requests are counted but not listed. 0: no table.
    pub request_log: u64,
    /// Slowest requests that are kept with their details. 0: none.
    pub slowest: u32,
    /// Split every response time into the parts that it was spent on; costs about a third of the
    /// simulator's speed. Left out: with `wordline run --out`, whose report shows it, and not otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<bool>,
    /// Rows of the table of blocks; blocks beyond are left out, with a note. 0: no table.
    pub block_table: u64,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            window: None,
            request_log: 1_000_000,
            slowest: 16,
            attribution: None,
            block_table: 4_000_000,
        }
    }
}

/// An `[output]` that cannot be used: key, value found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("output.{key} = {found}: {accepted}")]
pub struct OutputError {
    /// The offending key below `output`.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: &'static str,
}

/// Most of the slowest requests that may be kept: each new one may move through all of them.
const MOST_SLOWEST: u32 = 10_000;

impl OutputConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// A window of no length; more than 10,000 slowest requests.
    pub fn check(&self) -> Result<(), OutputError> {
        if let Some(window) = self.window
            && window == Duration::ZERO
        {
            return Err(OutputError {
                key: "window",
                found: window.to_string(),
                accepted: "at least 1 ns, or left out for an automatic width",
            });
        }
        if self.slowest > MOST_SLOWEST {
            return Err(OutputError {
                key: "slowest",
                found: self.slowest.to_string(),
                accepted: "0 to 10000",
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_accepted_and_survive_a_round_trip() {
        let config = OutputConfig::default();
        config.check().unwrap();
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<OutputConfig>(&text).unwrap(), config);
        let with_window: OutputConfig = toml::from_str("window = \"10 ms\"\nrequest_log = 0").unwrap();
        assert_eq!(with_window.window, Some(Duration::from_ms(10)));
    }

    #[test]
    fn refuses_what_cannot_be() {
        let none: OutputConfig = toml::from_str("window = \"0 ms\"").unwrap();
        assert!(
            none.check()
                .unwrap_err()
                .to_string()
                .contains("output.window = 0 ns")
        );
        let many: OutputConfig = toml::from_str("slowest = 10001").unwrap();
        assert!(many.check().unwrap_err().to_string().contains("0 to 10000"));
        assert!(toml::from_str::<OutputConfig>("windows = 3").is_err());
    }
}
