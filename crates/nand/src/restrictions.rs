//! `[restrictions]`: what the medium does not allow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commands::{CommandsConfig, Use};
use crate::error::ConfigError;
use crate::geometry::Geometry;

/// `[restrictions]`: the rules of the medium that a part's parameter page can relax.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RestrictionsConfig {
    /// Pages of a block are programmed in increasing order (R-a; off where the parameter page
    /// says "non-sequential page programming supported").
    pub in_order: bool,
    /// Source and destination of a copy-back are both odd or both even pages (R-b; off where the
    /// parameter page says "odd to even page copy-back supported").
    pub copyback_same_parity: bool,
    /// The blocks of a multi-plane command have the same index in their planes (R-c; off where
    /// the parameter page says "no block address restrictions").
    pub multi_plane_same_block: bool,
    /// The pages of a multi-plane read have the same index in their blocks (R-c). Those of a
    /// multi-plane program always do.
    pub multi_plane_same_page: bool,
    /// Programs of one page between erases (R-d, data sheets: NOP): 1, or up to 4 for SLC. With
    /// `in_order`, only the page programmed last can be programmed again.
    pub partial_programs: u8,
}

impl Default for RestrictionsConfig {
    fn default() -> Self {
        Self {
            in_order: true,
            copyback_same_parity: true,
            multi_plane_same_block: true,
            multi_plane_same_page: true,
            partial_programs: 1,
        }
    }
}

impl RestrictionsConfig {
    /// Checks the restrictions against the geometry and the commands in use.
    ///
    /// # Errors
    /// No program at all allowed; parity-bound copy-back with an odd number of pages in a block,
    /// where page and address parity differ from block to block.
    pub fn validate(&self, geometry: &Geometry, commands: &CommandsConfig) -> Result<(), ConfigError> {
        if !(1..=8).contains(&self.partial_programs) {
            return Err(ConfigError::new(
                "restrictions.partial_programs",
                self.partial_programs,
                "from 1 to 8 programs of a page between erases",
            ));
        }
        if commands.copyback != Use::Off && self.copyback_same_parity && geometry.pages_per_block % 2 == 1 {
            return Err(ConfigError::new(
                "geometry.pages_per_block",
                geometry.pages_per_block,
                "an even number while commands.copyback is on and restrictions.copyback_same_parity holds",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::GeometryConfig;

    #[test]
    fn refuses_odd_blocks_with_parity_copyback() {
        let odd = Geometry::new(&GeometryConfig {
            pages_per_block: 63,
            ..GeometryConfig::default()
        })
        .unwrap();
        let wise = CommandsConfig {
            copyback: Use::Wise,
            ..CommandsConfig::default()
        };
        let mut restrictions = RestrictionsConfig::default();
        let error = restrictions.validate(&odd, &wise).unwrap_err();
        assert_eq!(
            (error.key.as_str(), error.found.as_str()),
            ("geometry.pages_per_block", "63")
        );
        assert!(restrictions.validate(&odd, &CommandsConfig::default()).is_ok());
        restrictions.copyback_same_parity = false;
        assert!(restrictions.validate(&odd, &wise).is_ok());
        restrictions.partial_programs = 0;
        assert!(restrictions.validate(&odd, &wise).is_err());
    }
}
