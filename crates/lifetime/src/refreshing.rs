//! Which studies of drives that refresh their blocks there are, and when a block is refreshed in time that is skipped.

use wordline_config::{Config, ConfigError};
use wordline_ftl::{Admission, HeldData, RefreshConfig, RefreshMode, RefreshRule};
use wordline_units::{Duration, SimTime};

use crate::options::{Fidelity, LifetimeOptions};

/// The configuration of a study, which requires the retention that refresh is to bring where it does not say another.
///
/// # Errors
/// Refresh in the order of arrival, or of blocks that are read often, in a study that skips time.
pub(crate) fn configured(config: &Config, options: &LifetimeOptions) -> Result<Config, ConfigError> {
    let mut config = config.clone();
    let refuse = |problem: &str| {
        let subject = format!("ftl.refresh.policy = \"{}\"", config.ftl.refresh.policy.name());
        Err(ConfigError::key(None, subject, problem))
    };
    let Some(rule) = config.ftl.refresh.policy.row().ok().and_then(|row| row.rule) else {
        return Ok(config);
    };
    if options.fidelity != Fidelity::Exact && !rule.is_by_date {
        return refuse(
            "which blocks wait behind others is not known in time that is skipped; accepted is a study that simulates every write (--exact)",
        );
    }
    if let Some(limit) = config.ftl.refresh.read_limit
        && options.fidelity != Fidelity::Exact
    {
        let subject = format!("ftl.refresh.read_limit = {limit}");
        let problem = "reads are not known in time that is skipped; accepted is a study that simulates every request (--exact)";
        return Err(ConfigError::key(None, subject, problem));
    }
    config.ftl.refresh.requirement.get_or_insert(options.required);
    Ok(config)
}

/// When blocks are refreshed.
#[derive(Clone)]
pub(crate) struct RefreshTimes {
    rule: RefreshRule,
    rules: RefreshConfig,
}

impl RefreshTimes {
    /// None where nothing is refreshed.
    pub(crate) fn new(rules: &RefreshConfig) -> Option<Self> {
        let rule = rules.policy.row().ok()?.rule?;
        let rules = rules.clone();
        Some(Self { rule, rules })
    }

    /// How old data become before they are refreshed that can be kept for so long, in nanoseconds; none where they are not refreshed.
    pub(crate) fn period(&self, retention: u64) -> Option<u64> {
        let retention = Duration(retention);
        let refreshes_all = self.rule.takes_all || self.rules.mode == RefreshMode::Strict;
        let interval = self.rules.interval;
        if retention < interval || !refreshes_all && retention >= self.rules.required() {
            return None;
        }
        if self.rule.is_free && self.is_hopeless(retention.ns()) {
            return None;
        }
        let data = HeldData {
            arrival: 0,
            programmed: SimTime::ZERO,
            retention,
            skipped: Duration::ZERO,
            disturbed: false,
        };
        let due = (self.rule.due)(&data, self.rules.required()).ns();
        let earlier = if self.rule.is_free {
            0
        } else {
            (retention.ns() as f64 * self.rules.margin) as u64 + interval.ns()
        };
        Some(due.saturating_sub(earlier).max(interval.ns()))
    }

    /// Whether data that can be kept for so many nanoseconds are due as soon as they are written, as that is less than required.
    pub(crate) fn is_hopeless(&self, retention: u64) -> bool {
        self.goes_by_remaining() && retention < self.rules.required().ns()
    }

    /// Whether blocks are due by what is left of their retention.
    pub(crate) fn goes_by_remaining(&self) -> bool {
        self.rule.admission == Admission::ByRemaining
    }

    /// Whether a refresh costs nothing.
    pub(crate) fn is_free(&self) -> bool {
        self.rule.is_free
    }

    /// Retention below which blocks are retired.
    pub(crate) fn retire_below(&self) -> Duration {
        self.rules.retire_below
    }
}
