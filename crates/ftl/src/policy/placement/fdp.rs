//! Flexible data placement (NVM Express TP4146, directive type 02h): the handle of a write is a placement handle of the namespace, and
//! each has a reclaim unit handle of its own, which always refers to an open reclaim unit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;
use wordline_keys::{Entry, Keys};

use super::{Directive, DirectiveRow, GroupSpan, Isolation, MOST_UNITS, Placing};
use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};

/// Type of the reclaim unit handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum HandleType {
    /// Collection may bring data of several handles together.
    #[default]
    InitiallyIsolated,
    /// Collection keeps the data of each handle apart.
    PersistentlyIsolated,
}

/// Keys of `fdp`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct FdpKeys {
    /// `fdp`: reclaim unit handles, from 2 to 65: placement handle 0, to which writes without a handle go, and others, each with open
    /// blocks of its own in every plane.
    #[schemars(range(max = MANY))]
    reclaim_unit_handles: u32,
    /// `fdp`: what collection does with the data of a handle: bring them together with those of others, or keep them apart.
    handle_type: HandleType,
    /// `fdp`: the dies of a reclaim group, in which a host can have its data: all of the drive, or those of a channel, of a chip, or one. A placement identifier is the number
    /// of a reclaim group, in as many of the upper bits of 16 as the number of groups needs, and a handle.
    reclaim_group: GroupSpan,
}

impl Default for FdpKeys {
    /// Assumed: eight handles, as the drives have that were sold with it first.
    fn default() -> Self {
        Self {
            reclaim_unit_handles: 8,
            handle_type: HandleType::default(),
            reclaim_group: GroupSpan::default(),
        }
    }
}

impl FdpKeys {
    /// Handles beside the default one.
    ///
    /// # Errors
    /// More or fewer than there can be.
    fn units(&self) -> Result<u8, FtlError> {
        let others = self.reclaim_unit_handles.checked_sub(1);
        others
            .and_then(|units| u8::try_from(units).ok())
            .filter(|units| (1..=MOST_UNITS).contains(units))
            .ok_or_else(|| {
                FtlError::new(
                    "ftl.placement.reclaim_unit_handles",
                    self.reclaim_unit_handles,
                    format!("from 2 to {}", MOST_UNITS + 1),
                )
            })
    }
}

/// Placement handles from 1 on: whether each refers to an open reclaim unit.
struct Fdp {
    refers: Vec<bool>,
}

impl Fdp {
    fn unit_of(&self, handle: u16) -> Option<usize> {
        let unit = usize::from(handle).checked_sub(1)?;
        (unit < self.refers.len()).then_some(unit)
    }
}

impl Directive for Fdp {
    /// An identifier that is not valid is as good as none: the write goes to the default handle.
    fn place(&mut self, handle: u16, can_close: &dyn Fn(u8) -> bool) -> Placing {
        let Some(unit) = self.unit_of(handle) else {
            return Placing::Default;
        };
        let number = unit as u8;
        if self.refers[unit] {
            Placing::Unit(number)
        } else if can_close(number) {
            self.refers[unit] = true;
            Placing::NewUnit(number)
        } else {
            Placing::Default
        }
    }

    /// A reclaim unit handle update: the next write goes to another reclaim unit.
    fn release(&mut self, handle: u16) -> Option<u8> {
        let unit = self.unit_of(handle)?;
        std::mem::take(&mut self.refers[unit]).then_some(unit as u8)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.refers)
    }
}

/// `ftl.placement.directive = "fdp"`.
pub(crate) const FDP: DirectiveRow = DirectiveRow {
    entry: Entry {
        name: "fdp",
        help: "Flexible data placement (NVM Express TP4146, directive type 02h): each placement handle has a reclaim unit handle, and with \
               it open blocks of its own; others than those that the drive has are as good as none.",
        keys: Keys::of::<FdpKeys>(),
        reads: &[],
    },
    units: |keys| keys.read::<FdpKeys>().units().unwrap_or(1),
    isolation: |keys| match keys.read::<FdpKeys>().handle_type {
        HandleType::InitiallyIsolated => Isolation::Initial,
        HandleType::PersistentlyIsolated => Isolation::Persistent,
    },
    refuses: |_| false,
    reported: |keys| Some(u16::from(keys.read::<FdpKeys>().units().ok()?) + 1),
    groups: |keys| keys.read::<FdpKeys>().reclaim_group,
    check: |keys| keys.read::<FdpKeys>().units().map(|_| ()),
    build: |keys| {
        let units = keys.read::<FdpKeys>().units().unwrap_or(1);
        Some(Box::new(Fdp {
            refers: vec![false; usize::from(units)],
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Handles 1 and 2 beside 0: each has its unit, 3 is not valid, and an update brings the next unit.
    #[test]
    fn each_handle_has_its_unit() {
        let mut fdp = Fdp {
            refers: vec![false; 2],
        };
        let mut place = |handle| fdp.place(handle, &|_| true);
        let placed = [2, 1, 2, 3, 1].map(&mut place);
        let (new, old) = (Placing::NewUnit, Placing::Unit);
        assert_eq!(placed, [new(1), new(0), old(1), Placing::Default, old(0)]);
        assert_eq!(
            (fdp.release(2), fdp.release(2), fdp.release(3)),
            (Some(1), None, None)
        );
        // not while pages are moved to what would be closed
        assert_eq!(fdp.place(2, &|_| false), Placing::Default);
        assert_eq!(fdp.place(2, &|_| true), new(1));
    }
}
