//! What reclaim groups have room for. A host may write all of its data to one of them, which has fewer pages: what does not fit goes to others.

use crate::blocks::InUse;
use crate::inflight::InFlight;
use crate::policy::placement::groups::ReclaimGroups;

/// How many pages of a reclaim group may hold data.
#[derive(Clone, Copy, Debug)]
pub(in crate::space) struct GroupLimits {
    /// While collection goes on and no block of the group is lost.
    pub(in crate::space) most: u64,
    /// However many blocks are lost before the drive takes no more writes.
    pub(in crate::space) sure: u64,
}

/// Pages that can still be written to each reclaim group.
pub(in crate::space::tenants) struct GroupRoom {
    groups: ReclaimGroups,
    limits: GroupLimits,
    /// By group: pages that fit for certain. Overwritten and deallocated pages make more room, which is counted once none is left.
    left: Vec<u64>,
    is_counted: bool,
}

impl GroupRoom {
    /// Groups, each of which may hold so many pages.
    pub(in crate::space::tenants) fn new(groups: ReclaimGroups, limits: GroupLimits) -> Self {
        Self {
            groups,
            limits,
            left: vec![0; groups.count() as usize],
            is_counted: false,
        }
    }

    /// What fits is to be counted anew.
    pub(in crate::space::tenants) fn forget(&mut self) {
        self.is_counted = false;
    }

    /// Whether what fits has to be counted before a write with an identifier: nothing is left of what was.
    pub(in crate::space::tenants) fn needs_count(&self, identifier: u16) -> bool {
        let left = match self.groups.asked(identifier) {
            Some((group, _)) => self.left[group as usize],
            None => self.left.iter().copied().max().unwrap_or(0),
        };
        !self.is_counted || left == 0
    }

    /// Counts what fits beside what is in use by group ([`Blocks::in_use`](crate::blocks::Blocks::in_use)) and writes under way.
    pub(in crate::space::tenants) fn count(&mut self, in_use: &[InUse], inflight: &InFlight) {
        let GroupLimits { most, sure } = self.limits;
        for (left, in_use) in self.left.iter_mut().zip(in_use) {
            let fits = sure.min(most.saturating_sub(in_use.lost));
            *left = fits.saturating_sub(in_use.current);
        }
        for identifier in inflight.placements() {
            if let Some((group, _)) = self.groups.split(identifier) {
                let left = &mut self.left[group as usize];
                *left = left.saturating_sub(1);
            }
        }
        self.is_counted = true;
    }

    /// The group that a page goes to: the one that was asked for where it has room, else the one that has most.
    pub(in crate::space::tenants) fn take(&mut self, asked: Option<u32>) -> u32 {
        let most = || {
            let rooms = (0..).zip(&self.left);
            let roomiest = rooms.max_by_key(|(group, left)| (**left, std::cmp::Reverse(*group)));
            roomiest.map_or(0, |(group, _)| group)
        };
        let group = match asked {
            Some(group) if self.left[group as usize] > 0 => group,
            // where none has room, the group that was asked for waits for it as well as another
            Some(group) if self.left.iter().all(|left| *left == 0) => group,
            _ => most(),
        };
        let left = &mut self.left[group as usize];
        *left = left.saturating_sub(1);
        group
    }
}
