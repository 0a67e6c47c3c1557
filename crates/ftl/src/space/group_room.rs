//! What reclaim groups have room for. A host may write all of its data to one of them, which has fewer pages: what does not fit goes to others.

use std::ops::Range;

use super::blocks::Blocks;
use crate::block::BlockRole;
use crate::inflight::InFlight;
use crate::policy::placement::groups::ReclaimGroups;

/// Pages that can still be written to each reclaim group.
pub(super) struct GroupRoom {
    groups: ReclaimGroups,
    /// Pages of a group that may hold data while collection goes on.
    most: u64,
    block_pages: u64,
    /// By group: pages that fit for certain. Overwritten and deallocated pages make more room, which is counted once none is left.
    left: Vec<u64>,
    is_counted: bool,
}

impl GroupRoom {
    /// Groups, each of which may hold so many pages in blocks of so many.
    pub(super) fn new(groups: ReclaimGroups, most: u64, block_pages: u32) -> Self {
        Self {
            groups,
            most,
            block_pages: u64::from(block_pages),
            left: vec![0; groups.count() as usize],
            is_counted: false,
        }
    }

    /// What fits is to be counted anew.
    pub(super) fn forget(&mut self) {
        self.is_counted = false;
    }

    /// Whether what fits has to be counted before a write with an identifier: nothing is left of what was.
    pub(super) fn needs_count(&self, identifier: u16) -> bool {
        let asked = self.groups.split(identifier).filter(|_| identifier != 0);
        let left = match asked {
            Some((group, _)) => self.left[group as usize],
            None => self.left.iter().copied().max().unwrap_or(0),
        };
        !self.is_counted || left == 0
    }

    /// Counts what fits beside current pages, bad blocks and writes under way.
    pub(super) fn count(
        &mut self,
        blocks: &Blocks,
        range: impl Fn(u32) -> Range<usize>,
        inflight: &InFlight,
    ) {
        let mut under_way = vec![0; self.left.len()];
        for identifier in inflight.placements() {
            if let Some((group, _)) = self.groups.split(identifier) {
                under_way[group as usize] += 1;
            }
        }
        for (group, (left, under_way)) in (0..).zip(self.left.iter_mut().zip(under_way)) {
            let lost = |block: u32| blocks.role[block as usize] == BlockRole::Bad;
            let held = |block: usize| match block as u32 {
                block if lost(block) => self.block_pages,
                block => u64::from(blocks.valid(block)),
            };
            let held: u64 = range(group).map(held).sum();
            *left = self.most.saturating_sub(held + under_way);
        }
        self.is_counted = true;
    }

    /// The group that a page goes to: the one that was asked for where it has room, else the one that has most.
    pub(super) fn take(&mut self, asked: Option<u32>) -> u32 {
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
