//! `[ftl.placement]`: placement by the host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::{Parameters, Selected};
use wordline_nand::Geometry;

use crate::allocation::{AllocationConfig, AllocationMode, DynamicMode};
use crate::error::FtlError;
use crate::policy::placement::groups::{GroupSpan, ReclaimGroups};
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

    /// The identifiers that a host may write with, in the order in which the drive reports them, reclaim group after reclaim group; none where it does not.
    ///
    /// # Errors
    /// There is no such directive.
    pub fn identifiers(&self, geometry: &Geometry) -> Result<Option<Vec<u16>>, FtlError> {
        let row = self.directive.row()?;
        let groups = ReclaimGroups::new(geometry, (row.groups)(&self.keys));
        let all = |handles| {
            (0..groups.count())
                .flat_map(move |group| (0..handles).map(move |handle| groups.join(group, handle)))
        };
        Ok((row.reported)(&self.keys).map(|handles| all(handles).collect()))
    }

    /// What a reclaim group is.
    ///
    /// # Errors
    /// There is no such directive.
    fn group_span(&self) -> Result<GroupSpan, FtlError> {
        Ok((self.directive.row()?.groups)(&self.keys))
    }

    /// Refuses several reclaim groups, with what they do not go.
    ///
    /// # Errors
    /// There is no such directive; several groups.
    pub(crate) fn refuse_groups(&self, with: &str) -> Result<(), FtlError> {
        let span = self.group_span()?;
        if span == GroupSpan::Drive {
            return Ok(());
        }
        let (found, accepted) = (format!("\"{}\"", span.name()), format!("\"drive\" {with}"));
        Err(FtlError::new("ftl.placement.reclaim_group", found, accepted))
    }

    /// The reclaim groups of a drive.
    ///
    /// # Errors
    /// There is no such directive; groups that collection or allocation reaches beyond, or that identifiers have no room for.
    pub(crate) fn groups(
        &self,
        geometry: &Geometry,
        planes_per_pool: u32,
        allocation: &AllocationConfig,
    ) -> Result<ReclaimGroups, FtlError> {
        let row = self.directive.row()?;
        let span = (row.groups)(&self.keys);
        let groups = ReclaimGroups::new(geometry, span);
        let refused = |accepted: String| {
            let found = format!("\"{}\"", span.name());
            Err(FtlError::new("ftl.placement.reclaim_group", found, accepted))
        };
        if span == GroupSpan::Drive {
            return Ok(groups);
        }
        if (allocation.mode, allocation.dynamic) != (AllocationMode::Dynamic, DynamicMode::Full) {
            let accepted = "\"drive\" but with allocation.mode = \"dynamic\" and allocation.dynamic = \"full\": with others the number of a page says where it goes";
            return refused(accepted.to_owned());
        }
        if planes_per_pool > groups.planes() {
            let accepted = "groups as large as what is collected together (ftl.gc.pool), or larger";
            return refused(accepted.to_owned());
        }
        if !groups.fit((row.reported)(&self.keys).unwrap_or(0)) {
            let accepted = format!(
                "fewer groups than {}, or fewer handles: an identifier has 16 bits for both",
                groups.count()
            );
            return refused(accepted);
        }
        Ok(groups)
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
