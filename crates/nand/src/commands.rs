//! `[commands]`: which advanced commands the drive may use, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Geometry;

/// How an advanced command that can cost free pages is used (Hu et al. 2011, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Never.
    #[default]
    Off,
    /// Wherever possible; pages in the way are given up.
    Blind,
    /// Only where no page is lost.
    Wise,
}

/// `[commands]`: advanced commands; all are off by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandsConfig {
    /// Copy-back (internal data move) for moves inside a plane, and for un-covered updates where
    /// the allocation is static.
    pub copyback: Use,
    /// Copy-backs that a page may go through in a row before it is moved through the controller
    /// and corrected; 0 is no limit.
    pub copyback_max_hops: u32,
    /// Programs of several planes of a die at once.
    pub multi_plane_write: Use,
    /// Reads of several planes of a die at once.
    pub multi_plane_read: bool,
    /// Erases of several planes of a die at once.
    pub multi_plane_erase: bool,
    /// Commands to several dies of a chip at once.
    pub interleave: bool,
    /// Reads whose data leave while the next page is read (31h); needs a cache register.
    pub cache_read: bool,
    /// Programs whose data enter while the page before is programmed (15h); needs a cache register.
    pub cache_program: bool,
}

impl CommandsConfig {
    /// The commands that `geometry` can use, and in words what was switched off.
    #[must_use]
    pub fn resolve(&self, geometry: &Geometry) -> (Self, Vec<String>) {
        let mut usable = self.clone();
        let mut warnings = Vec::new();
        if geometry.planes_per_die == 1 {
            for (key, on) in [
                ("multi_plane_write", usable.multi_plane_write != Use::Off),
                ("multi_plane_read", usable.multi_plane_read),
                ("multi_plane_erase", usable.multi_plane_erase),
            ] {
                if on {
                    warnings.push(format!(
                        "commands.{key} has no effect with geometry.planes_per_die = 1: switched off"
                    ));
                }
            }
            usable.multi_plane_write = Use::Off;
            usable.multi_plane_read = false;
            usable.multi_plane_erase = false;
        }
        if geometry.dies_per_chip == 1 && usable.interleave {
            warnings.push(
                "commands.interleave has no effect with geometry.dies_per_chip = 1: switched off".to_owned(),
            );
            usable.interleave = false;
        }
        if usable.copyback == Use::Off && usable.copyback_max_hops != 0 {
            warnings.push("commands.copyback_max_hops has no effect with commands.copyback = off".to_owned());
        }
        (usable, warnings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::GeometryConfig;

    #[test]
    fn impossible_commands_are_switched_off_aloud() {
        let config = GeometryConfig {
            dies_per_chip: 1,
            planes_per_die: 1,
            ..GeometryConfig::default()
        };
        let geometry = Geometry::new(&config).unwrap();
        let asked = CommandsConfig {
            multi_plane_write: Use::Blind,
            multi_plane_erase: true,
            interleave: true,
            copyback: Use::Wise,
            ..CommandsConfig::default()
        };
        let (usable, warnings) = asked.resolve(&geometry);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert_eq!(
            usable,
            CommandsConfig {
                copyback: Use::Wise,
                ..CommandsConfig::default()
            }
        );
        let both = Geometry::new(&GeometryConfig::default()).unwrap();
        assert_eq!(asked.resolve(&both), (asked.clone(), vec![]));
    }

    #[test]
    fn spelling() {
        let config: CommandsConfig =
            toml::from_str("copyback = \"wise\"\nmulti_plane_write = \"blind\"").unwrap();
        assert_eq!(config.copyback, Use::Wise);
        assert!(toml::from_str::<CommandsConfig>("copyback = true").is_err());
        assert!(toml::from_str::<CommandsConfig>("multiplane = true").is_err());
    }
}
