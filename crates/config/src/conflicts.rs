//! What does not go together: rows beside the features, and the errors, the page and the tests that come from them.
//!
//! A feature that rules values of other keys out is a [`Feature`], in a file of `conflicts/` or beside the checks of its section, and a line of
//! [`FEATURES`]. Ranges of values are checked elsewhere: a conflict takes two features.

mod in_flight;
mod local_controllers;
mod plane_reads;
mod planes;
mod requests;
mod striped;
mod units;
mod word_lines;

use wordline_ftl::KnownFeature;
use wordline_keys::RefusedValue;

use crate::Config;
use crate::{block_classes, recovery, refresh, slc_cache, zones};

pub(crate) use planes::INDEPENDENT_PLANES;

/// A value of a key that a feature rules out.
pub struct Conflict {
    /// The key, as a dotted path.
    pub key: &'static str,
    /// The value that is ruled out, as errors show it; none where the configuration has none.
    pub found: fn(&Config) -> Option<String>,
    /// What is accepted, and why; errors go on with [`Feature::with`].
    pub accepted: &'static str,
    /// Keys that ask for the value, with those that it needs: with [`Feature::example`] they are refused for this key.
    pub example: Example,
}

/// Keys with values as on a command line; a key without a value is one that is left out again.
pub type Example = &'static [(&'static str, &'static str)];

/// A feature that does not go with values of other keys.
pub struct Feature {
    /// What it is called.
    pub name: &'static str,
    /// How an error says that the drive has it; its key is in it.
    pub with: &'static str,
    /// Whether a drive has it.
    pub is_on: fn(&Config) -> bool,
    /// Keys of the smallest drive that has it.
    pub example: Example,
    /// What it rules out, in the order in which errors are looked for.
    pub conflicts: &'static [Conflict],
}

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
];

impl Feature {
    /// The first conflict of a drive that has the feature.
    ///
    /// # Errors
    /// The value that is ruled out.
    pub(crate) fn check(&self, config: &Config) -> Result<(), RefusedValue> {
        if !(self.is_on)(config) {
            return Ok(());
        }
        for conflict in self.conflicts {
            if let Some(found) = (conflict.found)(config) {
                return Err(RefusedValue::new(conflict.key, found, self.accepted(conflict)));
            }
        }
        Ok(())
    }

    /// What is accepted beside the feature, and why.
    #[must_use]
    pub fn accepted(&self, conflict: &Conflict) -> String {
        format!("{} {}", conflict.accepted, self.with)
    }
}

impl Config {
    /// Whether the mapping knows a feature that is not a section of its own.
    #[must_use]
    pub fn mapping_knows(&self, feature: KnownFeature) -> bool {
        let row = self.ftl.mapping.row();
        row.is_ok_and(|row| row.knows.contains(&feature))
    }
}

/// Looks for conflicts.
///
/// # Errors
/// The first one.
pub(crate) fn check(config: &Config) -> Result<(), RefusedValue> {
    FEATURES.iter().try_for_each(|feature| feature.check(config))
}

/// A conflict with a value of a key; see [`Conflict`].
pub(crate) const fn rules_out(
    key: &'static str,
    found: fn(&Config) -> Option<String>,
    accepted: &'static str,
    example: Example,
) -> Conflict {
    Conflict {
        key,
        found,
        accepted,
        example,
    }
}

/// A value that is shown where a condition holds.
pub(crate) fn shown(holds: bool, value: &str) -> Option<String> {
    holds.then(|| value.to_owned())
}

/// A name that is shown, as a drive file has it, where a condition holds.
pub(crate) fn named(holds: bool, name: &str) -> Option<String> {
    holds.then(|| format!("\"{name}\""))
}

/// The mapping, where it does not know a feature.
pub(crate) fn mapping_without(config: &Config, feature: KnownFeature) -> Option<String> {
    named(!config.mapping_knows(feature), config.ftl.mapping.name())
}

/// Copies inside a plane, where they are in use.
pub(crate) fn copyback(config: &Config) -> Option<String> {
    shown(config.commands.copyback != wordline_nand::Use::Off, "in use")
}

/// Modes beside the normal one, where there are any but that of an SLC cache.
pub(crate) fn modes_without_cache(config: &Config) -> Option<String> {
    shown(!config.modes.is_empty() && !config.ftl.slc_cache.is_on(), "given")
}

/// Refresh, where it is on.
pub(crate) fn refresh_policy(config: &Config) -> Option<String> {
    let refresh = &config.ftl.refresh;
    named(refresh.is_on().unwrap_or(false), refresh.policy.name())
}

/// A chip of the circuit model, where there is one.
pub(crate) fn chip(config: &Config) -> Option<String> {
    config.power.chip.as_ref().map(|chip| format!("\"{chip}\""))
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
