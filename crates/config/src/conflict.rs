//! What a conflict is: a value of a key that a feature rules out.

use wordline_ftl::{KnownFeature, PageModesConfig};
use wordline_keys::RefusedValue;

use crate::Config;

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

/// Copies inside a plane.
pub(crate) const COPYBACK: Conflict = rules_out(
    "commands.copyback",
    copyback,
    "\"off\"",
    &[("commands.copyback", "wise")],
);

/// Programs from the cache register.
pub(crate) const CACHE_PROGRAM: Conflict = rules_out(
    "commands.cache_program",
    |config| shown(config.commands.cache_program, "true"),
    "false",
    &[("commands.cache_program", "true")],
);

/// A policy of modes, or a mode of copies.
pub(crate) const PAGE_MODES: Conflict = rules_out(
    "ftl.modes",
    |config| shown(config.ftl.modes != PageModesConfig::default(), "given"),
    "no policy and no mode of copies",
    &[("ftl.modes.policy", "fixed")],
);

/// Keys of mapping units that are smaller than a page.
pub(crate) const SMALL_UNITS: Example = &[
    ("ftl.mapping_unit", "4 KiB"),
    ("geometry.page_size", "16 KiB"),
    ("allocation.mode", "static"),
];

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

/// The mapping unit, where it is not the page.
pub(crate) fn own_unit(config: &Config) -> Option<String> {
    let unit = config.ftl.mapping_unit;
    let other = unit.filter(|unit| *unit != config.geometry.page_size);
    other.map(|unit| unit.to_string())
}
