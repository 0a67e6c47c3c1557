//! Which studies of drives that refresh their blocks there are.

use wordline_config::{Config, ConfigError};

use crate::options::{Fidelity, LifetimeOptions};

/// The configuration of a study, which requires the retention that refresh is to bring where it does not say another.
///
/// # Errors
/// Refresh in a study that skips time, or with several temperatures.
pub(crate) fn configured(config: &Config, options: &LifetimeOptions) -> Result<Config, ConfigError> {
    let mut config = config.clone();
    let refuse = |problem: &str| {
        let subject = format!("ftl.refresh.policy = \"{}\"", config.ftl.refresh.policy.name());
        Err(ConfigError::key(None, subject, problem))
    };
    if !config
        .ftl
        .refresh
        .policy
        .row()
        .is_ok_and(|row| row.rule.is_some())
    {
        return Ok(config);
    }
    if options.fidelity != Fidelity::Exact {
        return refuse(
            "blocks are not refreshed in time that is skipped; accepted is a study that simulates every write (--exact)",
        );
    }
    if options.temperature.len() > 1 {
        return refuse("deadlines do not follow a change of temperature; accepted is one temperature");
    }
    config.ftl.refresh.requirement.get_or_insert(options.required);
    Ok(config)
}
