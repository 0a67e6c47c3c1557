//! `[ftl.placement]`: placement by the host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::{Parameters, Selected};

use crate::error::FtlError;
use crate::policy::placement::{DirectiveRow, Isolation, MOST_UNITS};

/// `[ftl.placement]`: placement by the host. A write command may carry a placement handle, a number by which the host says which data
/// belong together; those of one handle share open blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct PlacementConfig {
    /// What the drive makes of the placement handles of write commands. Writes without a handle, and all writes with `"none"`, go
    /// by `ftl.hot.classifier`.
    pub directive: Selected<DirectiveRow>,
    /// The keys of directives.
    #[serde(flatten)]
    pub keys: Parameters<DirectiveRow>,
}

/// Open blocks that a drive keeps for handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HandleUnits {
    /// How many handles have open blocks of their own in a plane at once.
    pub(crate) count: u8,
    /// Whether collection keeps the data of each handle apart.
    pub(crate) isolated: bool,
}

impl PlacementConfig {
    /// Whether writes may be refused for their handle.
    ///
    /// # Errors
    /// There is no such directive.
    pub fn refuses(&self) -> Result<bool, FtlError> {
        Ok((self.directive.row()?.refuses)(&self.keys))
    }

    /// The identifiers that a host may write with, in the order in which the drive reports them; none where it does not.
    ///
    /// # Errors
    /// There is no such directive.
    pub fn identifiers(&self) -> Result<Option<Vec<u16>>, FtlError> {
        Ok((self.directive.row()?.identifiers)(&self.keys))
    }

    /// The open blocks that the directive asks for.
    ///
    /// # Errors
    /// There is no such directive, values that it refuses, a number of handles that is not possible.
    pub(crate) fn units(&self) -> Result<HandleUnits, FtlError> {
        let row = self.directive.row()?;
        (row.check)(&self.keys)?;
        let units = HandleUnits {
            count: (row.units)(&self.keys),
            isolated: (row.isolation)(&self.keys) == Isolation::Persistent,
        };
        if units.count <= MOST_UNITS {
            return Ok(units);
        }
        Err(FtlError::new(
            "ftl.placement.directive",
            format!("\"{}\" with {} handles", row.entry.name, units.count),
            format!("at most {MOST_UNITS} handles with open blocks of their own"),
        ))
    }
}
