//! Aligned pages for multi-plane programs: algorithm MPW (allocation specification, 4.3).

use wordline_nand::{PlaneId, Use};
use wordline_units::SimTime;

use super::frontiers::HOST;
use super::{PageFtl, Placement};
use crate::contract::{BlockRole, Bound};
use crate::plan::{Frontier, Step, Target, Work};

/// One program that could be a constituent, and the page it would take by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Its place among the pairs.
    at: usize,
    plane: u32,
    frontier: Frontier,
    host: bool,
    /// Whether it may open a free block.
    may_open: bool,
    block: u32,
    page: u32,
    /// Whether it is part of the command.
    taken: bool,
}

impl PageFtl {
    /// Chooses aligned pages for as many of the pairs as can be; see `Ftl::bind_aligned`.
    pub(super) fn align(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        if self.multi_plane_write == Use::Off || pairs.len() < 2 {
            return false;
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        lanes.clear();
        for (at, (step, plane)) in pairs.iter().enumerate() {
            lanes.extend(self.lane(at, step, plane.0));
        }
        let page = self.find_alignment(&mut lanes);
        if let Some(page) = page {
            bound.clear();
            bound.resize(pairs.len(), None);
            for lane in lanes.iter().filter(|lane| lane.taken) {
                bound[lane.at] = Some(self.take_aligned(now, lane, page));
            }
        }
        self.lanes = lanes;
        page.is_some()
    }

    fn lane(&self, at: usize, step: &Step, plane: u32) -> Option<Lane> {
        let Work::Program {
            target: Target::Frontier { frontier, .. },
            ..
        } = step.work
        else {
            return None;
        };
        let host = step.cause.is_of_host();
        let frontier = self.frontier_in(plane, frontier);
        let (may_open, may_write) = self.may_open(self.pool_of_plane(plane), host);
        if !may_write || self.is_superseded(step) {
            return None;
        }
        let active = self.frontiers.active(plane, frontier);
        // Open blocks of collection that nobody else may write to must not pile up: it leaves
        // none for a free one. Open blocks of both may pile up above the reserve only.
        let reserve = self.capacity.watermarks.reserve;
        let spare = self.pools[self.pool_of_plane(plane) as usize].free > reserve;
        let may_open = may_open && (active.is_none() || (frontier == HOST && spare));
        let block = active.or_else(|| self.frontiers.next(&self.blocks, plane, frontier, may_open))?;
        Some(Lane {
            at,
            plane,
            frontier,
            host,
            may_open,
            block,
            page: u32::from(self.blocks.written[block as usize]),
            taken: false,
        })
    }

    /// Marks the lanes that can take one page index together and points them at their blocks;
    /// returns the page index.
    fn find_alignment(&self, lanes: &mut [Lane]) -> Option<u32> {
        if lanes.len() < 2 {
            return None;
        }
        let wise = self.multi_plane_write == Use::Wise;
        // Under static allocation the others can only follow the oldest.
        let imposed = matches!(self.placement, Placement::Static(_));
        let leads = if wise && !imposed {
            0..lanes.len()
        } else if wise || imposed {
            0..1
        } else {
            let lead = (1..lanes.len()).fold(0, |lead, lane| {
                if lanes[lane].page > lanes[lead].page {
                    lane
                } else {
                    lead
                }
            });
            lead..lead + 1
        };
        for lead in leads {
            let page = lanes[lead].page;
            self.follow(lanes, lead, wise);
            if self.afford(lanes, lead) {
                return Some(page);
            }
        }
        // Planes that write to one block index and are out of step stay so.
        let index = self.index_in_plane(lanes[0].block);
        if lanes.iter().all(|lane| self.index_in_plane(lane.block) == index) {
            return None;
        }
        self.find_common_index(lanes, wise, imposed)
    }

    /// Takes the lanes that can go along with the page that `lead` would take by itself.
    fn follow(&self, lanes: &mut [Lane], lead: usize, wise: bool) {
        let (block, page) = (lanes[lead].block, lanes[lead].page);
        let index = self.index_in_plane(block);
        for (at, lane) in lanes.iter_mut().enumerate() {
            let same_index = !self.multi_plane_same_block || self.index_in_plane(lane.block) == index;
            lane.taken = if at == lead {
                true
            } else if same_index {
                lane.page == page || (!wise && lane.page < page)
            } else if wise {
                false
            } else if let Some(other) = self
                .counterpart(lane, index)
                .filter(|(_, written)| *written <= page)
            {
                lane.block = other.0;
                true
            } else {
                false
            };
        }
    }

    /// Takes a block index that the first lane and some other could both write to: wholly free
    /// ones for wise use, otherwise any, aligned on the larger pointer.
    fn find_common_index(&self, lanes: &mut [Lane], wise: bool, imposed: bool) -> Option<u32> {
        let lane = lanes[0];
        let own = [lane.block, lanes[1].block];
        let active = self.frontiers.active(lane.plane, lane.frontier);
        let available = |before: bool| {
            self.frontiers
                .available_from(lane.plane, 0)
                .filter(move |block| active.is_none_or(|active| (*block < active) == before))
        };
        let mut indices = own
            .into_iter()
            .filter(|_| wise)
            .chain(active.into_iter().flat_map(|_| available(true)))
            .chain(active)
            .chain(available(false))
            .map(|block| self.index_in_plane(block));
        indices.find_map(|index| {
            let (_, first) = self.counterpart(&lanes[0], index)?;
            let mut page = first;
            for lane in lanes.iter_mut() {
                lane.taken = match self.counterpart(lane, index) {
                    Some((block, written))
                        if if wise {
                            written == 0
                        } else {
                            !imposed || written <= first
                        } =>
                    {
                        lane.block = block;
                        page = page.max(written);
                        true
                    }
                    _ => false,
                };
            }
            (lanes[0].taken && self.afford(lanes, 0)).then_some(page)
        })
    }

    /// The block of this index in a lane's plane and its pages passed, if the lane may write
    /// there.
    fn counterpart(&self, lane: &Lane, index: u32) -> Option<(u32, u32)> {
        let block = lane.plane * self.geometry.blocks_per_plane + index;
        let accepts = self
            .frontiers
            .accepts(&self.blocks, lane.plane, lane.frontier, block, lane.may_open);
        accepts.then(|| (block, u32::from(self.blocks.written[block as usize])))
    }

    /// Drops lanes of collection that would give up more pages than it gains, and lanes beyond
    /// the free blocks that their common pool can give; whether the lead and some other lane are
    /// left.
    fn afford(&self, lanes: &mut [Lane], lead: usize) -> bool {
        let page = lanes
            .iter()
            .filter(|lane| lane.taken)
            .map(|lane| self.blocks.written[lane.block as usize])
            .max();
        let page = page.map_or(0, u32::from);
        // Lanes of one pool share what it can afford.
        let mut given_up = 0;
        for lane in lanes.iter_mut().filter(|lane| lane.taken && !lane.host) {
            let skips = page - u32::from(self.blocks.written[lane.block as usize]);
            lane.taken = given_up + skips <= self.affordable_skips(lane.plane, false);
            if lane.taken && self.capacity.planes_per_pool > 1 {
                given_up += skips;
            }
        }
        if self.capacity.planes_per_pool > 1 {
            let pool = self.pool_of_plane(lanes[lead].plane);
            let free = self.pools[pool as usize].free;
            let mut opened = 0;
            for lane in lanes.iter_mut().filter(|lane| lane.taken) {
                if self.blocks.role[lane.block as usize] != BlockRole::Free {
                    continue;
                }
                let keeps = lane.host || self.frontiers.active(lane.plane, lane.frontier).is_some();
                let kept = if keeps {
                    self.capacity.watermarks.reserve
                } else {
                    0
                };
                if free > kept + opened {
                    opened += 1;
                } else {
                    lane.taken = false;
                }
            }
        }
        lanes[lead].taken && lanes.iter().filter(|lane| lane.taken).count() >= 2
    }

    fn index_in_plane(&self, block: u32) -> u32 {
        block % self.geometry.blocks_per_plane
    }

    fn take_aligned(&mut self, now: SimTime, lane: &Lane, page: u32) -> Bound {
        self.activate(now, lane.plane, lane.frontier, lane.block);
        let mut skipped = 0;
        while u32::from(self.blocks.written[lane.block as usize]) < page {
            self.skip_page(lane.plane, lane.frontier, lane.block, lane.host);
            skipped += 1;
        }
        self.facts.skipped_multi_plane += u64::from(skipped);
        let page = self.take_page(now, lane.plane, lane.frontier, lane.block, lane.host);
        Bound { page, skipped }
    }
}
