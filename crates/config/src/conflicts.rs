//! What does not go together: rows beside the features, and the errors, the page and the tests that come from them.
//!
//! A feature that rules values of other keys out is a [`Feature`], in a file of `conflicts/` or beside the checks of its section, and a line of
//! [`FEATURES`]. Ranges of values are checked elsewhere: a conflict takes two features.

mod atomic_writes;
mod in_flight;
mod local_controllers;
mod plane_reads;
mod planes;
mod requests;
mod striped;
mod units;
mod word_lines;

use wordline_keys::RefusedValue;

use crate::Config;
pub use crate::conflict::{Conflict, Example, Feature};
use crate::{block_classes, power_limits, recovery, refresh, slc_cache, zones};

pub(crate) use planes::INDEPENDENT_PLANES;

/// All features that rule anything out, in the order in which errors are looked for.
pub const FEATURES: &[&Feature] = &[
    &INDEPENDENT_PLANES,
    &refresh::REFRESH,
    &plane_reads::INDEPENDENT_PLANE_READS,
    &planes::BAD_FROM_START,
    &slc_cache::SLC_CACHE,
    &local_controllers::LOCAL_CONTROLLERS,
    &zones::ZONES,
    &word_lines::WHOLE_WORD_LINES,
    &recovery::RECOVERY,
    &block_classes::BLOCK_CLASSES,
    &in_flight::SUSPENDED_PROGRAMS,
    &requests::HELD_REQUESTS,
    &requests::REFUSED_STREAMS,
    &units::OWN_UNITS,
    &striped::SUPERBLOCKS,
    &atomic_writes::ATOMIC_WRITES,
    &power_limits::POWER_LIMITS,
    &power_limits::IDLE_STATES,
];

/// Looks for conflicts.
///
/// # Errors
/// The first one.
pub(crate) fn check(config: &Config) -> Result<(), RefusedValue> {
    FEATURES.iter().try_for_each(|feature| feature.check(config))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DriveSource, resolve};
    use std::collections::BTreeMap;

    fn resolved(examples: &[Example]) -> Result<Config, String> {
        let keys: BTreeMap<&str, &str> = examples
            .iter()
            .flat_map(|example| example.iter().copied())
            .collect();
        let overrides: Vec<(String, String)> = keys
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let resolved = resolve(DriveSource::Text(""), None, &overrides);
        resolved
            .map(|found| found.config)
            .map_err(|error| error.to_string())
    }

    /// Each feature is one of a drive that is accepted, and each of its rows refuses what it says it refuses.
    #[test]
    fn each_conflict_is_found() {
        let mut wrong = Vec::new();
        for feature in FEATURES {
            match resolved(&[feature.example]) {
                Ok(config) if (feature.is_on)(&config) => {}
                Ok(_) => wrong.push(format!("{}: its example does not have it", feature.name)),
                Err(error) => wrong.push(format!("{}: {error}", feature.name)),
            }
            for conflict in feature.conflicts {
                let accepted = feature.accepted(conflict);
                match resolved(&[feature.example, conflict.example]) {
                    Ok(_) => wrong.push(format!("{}: {} is accepted", feature.name, conflict.key)),
                    Err(error) if error.contains(conflict.key) && error.contains(&accepted) => {}
                    Err(error) => wrong.push(format!("{}, {}: {error}", feature.name, conflict.key)),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Without the feature the same values are no conflict of any row.
    #[test]
    fn a_plain_drive_has_no_conflict() {
        assert!(check(&Config::default()).is_ok());
        assert!(
            FEATURES
                .iter()
                .all(|feature| !(feature.is_on)(&Config::default()))
        );
    }
}
