//! `[commands]`: which advanced commands the drive may use, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use crate::geometry::Geometry;
use wordline_keys::When::{Is, IsNot};
use wordline_keys::{Rule, Section};

/// How an advanced command that can cost free pages is used (Hu et al. 2011, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Never.
    #[default]
    Off,
    /// Wherever possible; pages that prevent it are skipped and stay unused.
    Blind,
    /// Only where no page must be skipped.
    Wise,
}

/// Where wise multi-plane programs look for pages that they can take together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// In the blocks that the planes would write to by themselves: one page index of one block index, or, where each plane is about to begin a block, page 0
    /// of the block index of one of them (SSDsim 2.x).
    Own,
    /// There, then at every block index that is free in the planes.
    #[default]
    All,
}

/// `[commands]`: advanced commands; all are off by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandsConfig {
    /// Copy-back (internal data move) for moves inside a plane, and for un-covered updates where
    /// the allocation is static.
    pub copyback: Use,
    /// Consecutive copy-backs of a page before it is moved through the controller, which corrects
    /// its errors; 0 means no limit.
    #[schemars(range(max = MANY))]
    pub copyback_max_hops: u32,
    /// Programs of several planes of a die at once.
    pub multi_plane_write: Use,
    /// Where wise multi-plane programs look for pages that they can take together.
    pub multi_plane_search: Search,
    /// Reads of several planes of a die at once.
    pub multi_plane_read: bool,
    /// Erases of several planes of a die at once.
    pub multi_plane_erase: bool,
    /// Commands to several dies of a chip at once.
    pub interleave: bool,
    /// Reads whose data are transferred while the next page is read (31h); needs a cache register.
    pub cache_read: bool,
    /// Programs whose data are transferred while the previous page is programmed (15h); needs a
    /// cache register.
    pub cache_program: bool,
}

impl Section for CommandsConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["copyback_max_hops"], &[IsNot("commands.copyback", &["off"])]),
        Rule::only(
            &["multi_plane_search"],
            &[Is("commands.multi_plane_write", &["wise"])],
        ),
    ];
}

/// A key that a drive has no use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedKey {
    /// Its dotted path.
    pub key: &'static str,
    /// The setting that leaves it without effect.
    pub with: &'static str,
}

impl CommandsConfig {
    /// The commands that `geometry` can use, and the keys that were switched off.
    #[must_use]
    pub fn resolve(&self, geometry: &Geometry) -> (Self, Vec<UnusedKey>) {
        let mut usable = self.clone();
        let mut unused = Vec::new();
        let mut switch_off = |on: bool, key, with| {
            if on {
                unused.push(UnusedKey { key, with });
            }
        };
        if geometry.planes_per_die == 1 {
            for (on, key) in [
                (usable.multi_plane_write != Use::Off, "commands.multi_plane_write"),
                (usable.multi_plane_read, "commands.multi_plane_read"),
                (usable.multi_plane_erase, "commands.multi_plane_erase"),
            ] {
                switch_off(on, key, "geometry.planes_per_die = 1");
            }
            usable.multi_plane_write = Use::Off;
            usable.multi_plane_read = false;
            usable.multi_plane_erase = false;
        }
        if geometry.dies_per_chip == 1 {
            switch_off(
                usable.interleave,
                "commands.interleave",
                "geometry.dies_per_chip = 1",
            );
            usable.interleave = false;
        }
        switch_off(
            usable.copyback == Use::Off && usable.copyback_max_hops != 0,
            "commands.copyback_max_hops",
            "commands.copyback = off",
        );
        (usable, unused)
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
        let (usable, unused) = asked.resolve(&geometry);
        assert_eq!(
            unused.iter().map(|unused| unused.key).collect::<Vec<_>>(),
            [
                "commands.multi_plane_write",
                "commands.multi_plane_erase",
                "commands.interleave"
            ]
        );
        assert_eq!(
            usable,
            CommandsConfig {
                copyback: Use::Wise,
                ..CommandsConfig::default()
            }
        );
        let both = Geometry::new(&GeometryConfig::default()).unwrap();
        assert_eq!(asked.resolve(&both), (asked.clone(), vec![]));
        let none = CommandsConfig::default();
        assert_eq!(none.resolve(&both), (none.clone(), vec![]));
    }

    /// A limit on copy-backs is of no use without any, and of use with some.
    #[test]
    fn a_limit_on_copy_backs_needs_them() {
        let both = Geometry::new(&GeometryConfig::default()).unwrap();
        let limited = |copyback| CommandsConfig {
            copyback,
            copyback_max_hops: 3,
            ..CommandsConfig::default()
        };
        let unused = UnusedKey {
            key: "commands.copyback_max_hops",
            with: "commands.copyback = off",
        };
        assert_eq!(limited(Use::Off).resolve(&both).1, [unused]);
        assert_eq!(limited(Use::Blind).resolve(&both).1, []);
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
