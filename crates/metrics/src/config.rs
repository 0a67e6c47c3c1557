//! `[output]`: what a run records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_keys::limits::{LIFE, MANY, PAUSE};
use wordline_units::{Duration, SimTime};

/// `[output]`: what a run records, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputConfig {
    /// Width of a window of the time series. Left out: it starts at 1 ms and doubles whenever
    /// the run would need more than 2048 windows. A fixed width doubles, with a note, only
    /// beyond 1,048,576 windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub window: Option<Duration>,
    /// Rows of the table of requests; later requests are counted but not listed. 0: no table.
    #[schemars(range(max = MANY))]
    pub request_log: u64,
    /// Number of slowest requests of each class (reads, writes, others) that are recorded with what
    /// they waited for. 0: none.
    pub slowest: u32,
    /// Divide every response time into its parts; makes the simulator about a third slower. Unset:
    /// on with `wordline run --out`, whose report shows it, otherwise off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<bool>,
    /// Record what the drive did around the slowest requests, and how busy dies and channels were
    /// over time. Unset: on with `wordline run --out`, whose report shows it, and with
    /// `--timeline`, otherwise off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<bool>,
    /// Start of the interval that the timeline shows in full, from the start of the run. If it and
    /// `timeline_to` are unset: around the slowest request; a timeline file then has the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = LIFE))]
    pub timeline_from: Option<Duration>,
    /// End of that interval. If unset while `timeline_from` is given: the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = LIFE))]
    pub timeline_to: Option<Duration>,
    /// Rows of the table of that interval; the spans that are most closely related to the slowest
    /// request are kept.
    pub timeline_spans: u32,
    /// Events in a file of the timeline (`wordline run --timeline`); later ones are counted but not
    /// written.
    #[schemars(range(max = MANY))]
    pub timeline_events: u64,
    /// Rows of the table of blocks; further blocks are left out, with a note. 0: no table.
    #[schemars(range(max = MANY))]
    pub block_table: u64,
    /// Once in so many requests the power fails, at a request drawn at random, and the drive goes on as if it had not: how long recovery would read is in
    /// `ftl.recovery.*` of the summary ([power cuts](../explanations/power-cuts.md)). 0: never. What is on flash is kept for that, 32 B of memory for each page.
    #[schemars(range(max = MANY))]
    pub recovery_every: u64,
    /// Divide write amplification by cause (`ftl.write_breakdown.*` of the summary), and say how much of it keeps data safe.
    pub write_breakdown: bool,
}

impl Default for OutputConfig {
    fn default() -> Self {
        Self {
            window: None,
            request_log: 1_000_000,
            slowest: 16,
            attribution: None,
            timeline: None,
            timeline_from: None,
            timeline_to: None,
            timeline_spans: 5_000,
            timeline_events: 1_000_000,
            block_table: 4_000_000,
            recovery_every: 0,
            write_breakdown: false,
        }
    }
}

/// Most of the slowest requests that may be kept: each new one is held against all of them.
const MOST_SLOWEST: u32 = 1_000;
/// Most rows of the stretch that is shown in full: a report must stay quick to open.
const MOST_SPANS: u32 = 1_000_000;

impl OutputConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// A window of no length; more than 1,000 slowest requests; a stretch that ends before it starts.
    pub fn check(&self) -> Result<(), RefusedValue> {
        if let Some(window) = self.window
            && window == Duration::ZERO
        {
            return Err(RefusedValue::new(
                "output.window",
                window,
                "at least 1 ns, or left out for an automatic width",
            ));
        }
        if self.slowest > MOST_SLOWEST {
            return Err(RefusedValue::new("output.slowest", self.slowest, "0 to 1000"));
        }
        if self.timeline_spans > MOST_SPANS {
            return Err(RefusedValue::new(
                "output.timeline_spans",
                self.timeline_spans,
                "0 to 1000000",
            ));
        }
        if let Some((from, to)) = self.stretch()
            && from >= to
        {
            return Err(RefusedValue::new(
                "output.timeline_to",
                self.timeline_to.unwrap_or_default(),
                "a time after output.timeline_from",
            ));
        }
        Ok(())
    }

    /// The stretch of the run that is asked for, if one is.
    pub(crate) fn stretch(&self) -> Option<(SimTime, SimTime)> {
        if self.timeline_from.is_none() && self.timeline_to.is_none() {
            return None;
        }
        let at = |moment: Option<Duration>| moment.map(|moment| SimTime(moment.ns()));
        Some((
            at(self.timeline_from).unwrap_or(SimTime::ZERO),
            at(self.timeline_to).unwrap_or(SimTime::NEVER),
        ))
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
        let most: OutputConfig = toml::from_str("slowest = 1000\ntimeline_spans = 1000000").unwrap();
        most.check().unwrap();
        let spans: OutputConfig = toml::from_str("timeline_spans = 1000001").unwrap();
        assert!(spans.check().unwrap_err().to_string().contains("0 to 1000000"));
        let many: OutputConfig = toml::from_str("slowest = 1001").unwrap();
        assert!(many.check().unwrap_err().to_string().contains("0 to 1000"));
        let backwards: OutputConfig =
            toml::from_str("timeline_from = \"2 s\"\ntimeline_to = \"1 s\"").unwrap();
        let problem = backwards.check().unwrap_err().to_string();
        assert!(problem.contains("after output.timeline_from"), "{problem}");
        let none: OutputConfig = toml::from_str("timeline_to = \"0 s\"").unwrap();
        assert!(none.check().is_err());
        assert!(toml::from_str::<OutputConfig>("windows = 3").is_err());
    }
}
