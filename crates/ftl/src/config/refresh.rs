//! `[ftl.refresh]`: data are written anew before they fade.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::IsNot;
use wordline_keys::limits::{LIFE, MANY, STEP};
use wordline_keys::{Rule, Section, Selected};
use wordline_units::Duration;

use crate::error::FtlError;
use crate::policy::refresh::RefreshRow;

/// A year of 365 days.
const YEAR: Duration = Duration(31_536_000_000_000_000);

/// Which blocks `last_moment` refreshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefreshMode {
    /// Weak ones: those whose retention is less than required. What lies in others is readable for the required time, and fades after it.
    #[default]
    RequirementOnly,
    /// All of them, each before its data fade.
    Strict,
}

/// `[ftl.refresh]`: blocks are written anew before their data fade (V. Mohan 2015, chapter 4), in drives with `ftl.mapping = "page"`. How long a block keeps data follows from its wear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct RefreshConfig {
    /// In which order blocks are refreshed, and when.
    pub policy: Selected<RefreshRow>,
    /// Which blocks `last_moment` refreshes; the other policies refresh all of them.
    pub mode: RefreshMode,
    /// How long written data must stay readable. Unset: as long as a lifetime study requires, otherwise a year.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = LIFE))]
    pub requirement: Option<Duration>,
    /// Time between two looks at the queues, above 0 and at most the requirement (100 s: the released simulator of the source).
    #[schemars(extend("x-maximum" = LIFE))]
    pub interval: Duration,
    /// A block is queued when its data are readable for no longer than this, or than required (18 months: the released simulator of the source): `last_moment` goes by what it keeps when it is
    /// written, or queues every block (`strict`), the others by what is left, and `periodic` queues every block.
    #[schemars(extend("x-maximum" = LIFE))]
    pub admit_below: Duration,
    /// Share of the retention of a block by which it is refreshed earlier than when it is due, below 1 (1 %: assumed, since the source states none).
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub margin: f64,
    /// Time that the refresh of a block is taken to need at the most: blocks of a pool that are due together are begun so much earlier for each of them. Assumed: eight times the 125 ms in which
    /// the drive of the source copies a full block while nothing else happens.
    #[schemars(extend("x-maximum" = STEP))]
    pub block_time: Duration,
    /// A block that keeps data for less than this is retired when it is erased (2 days: the released simulator of the source); 0 s retires none.
    #[schemars(extend("x-maximum" = LIFE))]
    pub retire_below: Duration,
    /// Reads of a block, by whoever, after which its data are written anew at the next look, however long they can be kept: reads disturb the cells of their block. They are counted from its erase
    /// on; a read that is repeated with other voltages counts once. Unset: reads are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MANY))]
    pub read_limit: Option<u32>,
}

impl Default for RefreshConfig {
    fn default() -> Self {
        Self {
            policy: Selected::default(),
            mode: RefreshMode::default(),
            requirement: None,
            interval: Duration::from_ms(100_000),
            admit_below: Duration(YEAR.ns() / 2 * 3),
            margin: 0.01,
            block_time: Duration::from_ms(1_000),
            retire_below: Duration::from_ms(172_800_000),
            read_limit: None,
        }
    }
}

impl RefreshConfig {
    /// Whether anything is refreshed.
    ///
    /// # Errors
    /// There is no such policy.
    pub fn is_on(&self) -> Result<bool, FtlError> {
        Ok(self.policy.row()?.rule.is_some())
    }

    /// How long data must stay readable.
    #[must_use]
    pub fn required(&self) -> Duration {
        self.requirement.unwrap_or(YEAR)
    }

    /// Checks the values.
    ///
    /// # Errors
    /// A requirement of no time, an interval of none or one that is longer than the requirement, a margin from 1 on.
    pub fn check(&self) -> Result<(), FtlError> {
        if !self.is_on()? {
            return Ok(());
        }
        let required = self.required();
        if required == Duration::ZERO {
            return Err(FtlError::new(
                "ftl.refresh.requirement",
                required,
                "times above 0 s",
            ));
        }
        if self.interval == Duration::ZERO || self.interval > required {
            let accepted = format!("times above 0 s, up to the required retention ({required})");
            return Err(FtlError::new("ftl.refresh.interval", self.interval, accepted));
        }
        if self.read_limit == Some(0) {
            return Err(FtlError::new("ftl.refresh.read_limit", 0, "at least 1"));
        }
        if let Some(limit) = self.read_limit
            && self.policy.row()?.rule.is_some_and(|rule| rule.is_free)
        {
            let accepted = format!(
                "none with ftl.refresh.policy = \"{}\", which erases nothing: reads of a block would never begin at 0 again",
                self.policy.name()
            );
            return Err(FtlError::new("ftl.refresh.read_limit", limit, accepted));
        }
        if !(0.0..1.0).contains(&self.margin) {
            return Err(FtlError::new(
                "ftl.refresh.margin",
                self.margin,
                "a share from 0, below 1",
            ));
        }
        Ok(())
    }
}

impl Section for RefreshConfig {
    const RULES: &'static [Rule] = &[Rule::all_but(
        &["policy"],
        &[IsNot("ftl.refresh.policy", &["none"])],
    )];
}
