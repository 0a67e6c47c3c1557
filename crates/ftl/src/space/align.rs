//! Aligned pages for multi-plane programs: algorithm MPW (allocation specification, 4.3).

use wordline_nand::{CommandsConfig, PlaneId, RestrictionsConfig, Search, Use};
use wordline_units::SimTime;

use super::FlashSpace;
use crate::block::BlockRole;
use crate::plan::Bound;
use crate::plan::{Frontier, Step};

/// One program that could be a constituent, and the page it would take by itself.
#[derive(Clone, Copy, Debug)]
struct Lane {
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

/// Chooses aligned pages.
pub(crate) struct Aligner {
    how: Use,
    search: Search,
    same_block: bool,
    /// Whether the plane of each program is imposed by its logical page, so that others can only follow the oldest.
    imposed: bool,
    /// Kept between calls for its space.
    lanes: Vec<Lane>,
}

impl Aligner {
    /// `imposed` says whether the plane of each program is given by its logical page.
    pub(crate) const fn new(
        commands: &CommandsConfig,
        restrictions: &RestrictionsConfig,
        imposed: bool,
    ) -> Self {
        Self {
            how: commands.multi_plane_write,
            search: commands.multi_plane_search,
            same_block: restrictions.multi_plane_same_block,
            imposed,
            lanes: Vec::new(),
        }
    }

    /// Chooses aligned pages for as many of the pairs as can be, but for steps that are superseded; see
    /// `Ftl::bind_aligned`. `give_up` is told each page that is given up.
    pub(crate) fn align(
        &mut self,
        space: &mut FlashSpace,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        is_superseded: impl Fn(&Step) -> bool,
        give_up: &mut impl FnMut(u64),
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        if self.how == Use::Off || pairs.len() < 2 {
            return false;
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        lanes.clear();
        for (at, (step, plane)) in pairs.iter().enumerate() {
            lanes.extend(lane(space, at, step, plane.0, &is_superseded));
        }
        // a command programs all its pages in one mode
        let has_own_mode = |lane: &Lane| space.tenants.has_own_mode(lane.frontier);
        if let Some(lead) = lanes.first().map(has_own_mode) {
            lanes.retain(|lane| has_own_mode(lane) == lead);
        }
        let page = self.find_alignment(space, &mut lanes);
        if let Some(page) = page {
            bound.clear();
            bound.resize(pairs.len(), None);
            for lane in lanes.iter().filter(|lane| lane.taken) {
                bound[lane.at] = Some(take_aligned(space, now, lane, page, give_up));
            }
        }
        self.lanes = lanes;
        page.is_some()
    }

    /// Marks the lanes that can take one page index together and points them at their blocks;
    /// returns the page index.
    fn find_alignment(&self, space: &FlashSpace, lanes: &mut [Lane]) -> Option<u32> {
        if lanes.len() < 2 {
            return None;
        }
        let wise = self.how == Use::Wise;
        let imposed = self.imposed;
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
            self.follow(space, lanes, lead, wise);
            if afford(space, lanes, lead) {
                return Some(page);
            }
        }
        // Planes that write to one block index and are out of step stay so.
        let index = index_in_plane(space, lanes[0].block);
        if lanes
            .iter()
            .all(|lane| index_in_plane(space, lane.block) == index)
        {
            return None;
        }
        if wise && self.search == Search::Own {
            return Self::begin_together(space, lanes);
        }
        Self::find_common_index(space, lanes, wise, imposed)
    }

    /// Points lanes that are all about to begin a block at the block index of the first of them that is free in the planes of the others, as SSDsim does;
    /// the page index, which is 0.
    fn begin_together(space: &FlashSpace, lanes: &mut [Lane]) -> Option<u32> {
        if lanes.iter().any(|lane| lane.page != 0) {
            return None;
        }
        (0..lanes.len()).find_map(|lead| {
            let index = index_in_plane(space, lanes[lead].block);
            let is_free = |lane: &Lane| counterpart(space, lane, index).filter(|(_, written)| *written == 0);
            let blocks: Option<Vec<u32>> = lanes
                .iter()
                .map(|lane| is_free(lane).map(|(block, _)| block))
                .collect();
            for (lane, block) in lanes.iter_mut().zip(blocks?) {
                (lane.block, lane.taken) = (block, true);
            }
            afford(space, lanes, 0).then_some(0)
        })
    }

    /// Takes the lanes that can go along with the page that `lead` would take by itself.
    fn follow(&self, space: &FlashSpace, lanes: &mut [Lane], lead: usize, wise: bool) {
        let (block, page) = (lanes[lead].block, lanes[lead].page);
        let index = index_in_plane(space, block);
        for (at, lane) in lanes.iter_mut().enumerate() {
            let same_index = !self.same_block || index_in_plane(space, lane.block) == index;
            lane.taken = if at == lead {
                true
            } else if same_index {
                lane.page == page || (!wise && lane.page < page)
            } else if wise {
                false
            } else if let Some(other) =
                counterpart(space, lane, index).filter(|(_, written)| *written <= page)
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
    fn find_common_index(space: &FlashSpace, lanes: &mut [Lane], wise: bool, imposed: bool) -> Option<u32> {
        let lane = lanes[0];
        let own = [lane.block, lanes[1].block];
        let active = space.frontiers.active(lane.plane, lane.frontier);
        let available = |before: bool| {
            space
                .frontiers
                .available_from(lane.plane, 0)
                .filter(move |block| active.is_none_or(|active| (*block < active) == before))
        };
        let mut indices = own
            .into_iter()
            .filter(|_| wise)
            .chain(active.into_iter().flat_map(|_| available(true)))
            .chain(active)
            .chain(available(false))
            .map(|block| index_in_plane(space, block));
        indices.find_map(|index| {
            let (_, first) = counterpart(space, &lanes[0], index)?;
            let mut page = first;
            for lane in lanes.iter_mut() {
                lane.taken = match counterpart(space, lane, index) {
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
            (lanes[0].taken && afford(space, lanes, 0)).then_some(page)
        })
    }
}

/// The page that a program would take by itself; none where it cannot be bound now.
fn lane(
    space: &FlashSpace,
    at: usize,
    step: &Step,
    plane: u32,
    is_superseded: impl Fn(&Step) -> bool,
) -> Option<Lane> {
    let (frontier, host, may_open) = space.frontier_of(step, plane)?;
    if is_superseded(step) {
        return None;
    }
    let active = space.frontiers.active(plane, frontier);
    // Open blocks of collection that nobody else may write to must not pile up: it leaves
    // none for a free one. Open blocks of both may pile up above the reserve only.
    let reserve = space.capacity.watermarks.reserve;
    let spare = space.pools[space.pool_of_plane(plane) as usize].free > reserve;
    let may_open = may_open && (active.is_none() || (space.frontiers.is_of_host(frontier) && spare));
    let block = active.or_else(|| space.frontiers.next(&space.blocks, plane, frontier, may_open))?;
    Some(Lane {
        at,
        plane,
        frontier,
        host,
        may_open,
        block,
        page: u32::from(space.blocks.written[block as usize]),
        taken: false,
    })
}

/// The block of this index in a lane's plane and its pages passed, if the lane may write
/// there.
fn counterpart(space: &FlashSpace, lane: &Lane, index: u32) -> Option<(u32, u32)> {
    let block = lane.plane * space.geometry.blocks_per_plane + index;
    let accepts = space
        .frontiers
        .accepts(&space.blocks, lane.plane, lane.frontier, block, lane.may_open);
    accepts.then(|| (block, u32::from(space.blocks.written[block as usize])))
}

/// Drops lanes of collection that would give up more pages than it gains, and lanes beyond
/// the free blocks that their common pool can give; whether the lead and some other lane are
/// left.
fn afford(space: &FlashSpace, lanes: &mut [Lane], lead: usize) -> bool {
    let page = lanes
        .iter()
        .filter(|lane| lane.taken)
        .map(|lane| space.blocks.written[lane.block as usize])
        .max();
    let page = page.map_or(0, u32::from);
    // Lanes of one pool share what it can afford.
    let mut given_up = 0;
    for lane in lanes.iter_mut().filter(|lane| lane.taken && !lane.host) {
        let skips = page - u32::from(space.blocks.written[lane.block as usize]);
        lane.taken = given_up + skips <= space.affordable_skips(lane.plane, false);
        if lane.taken && space.capacity.planes_per_pool > 1 {
            given_up += skips;
        }
    }
    if space.capacity.planes_per_pool > 1 {
        let pool = space.pool_of_plane(lanes[lead].plane);
        let free = space.pools[pool as usize].free;
        let mut opened = 0;
        for lane in lanes.iter_mut().filter(|lane| lane.taken) {
            if space.blocks.role[lane.block as usize] != BlockRole::Free {
                continue;
            }
            let keeps = lane.host || space.frontiers.active(lane.plane, lane.frontier).is_some();
            let kept = if keeps {
                space.capacity.watermarks.reserve
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

/// The index of a block in its plane.
fn index_in_plane(space: &FlashSpace, block: u32) -> u32 {
    block % space.geometry.blocks_per_plane
}

/// Takes a page of a lane, after giving up those before it.
fn take_aligned(
    space: &mut FlashSpace,
    now: SimTime,
    lane: &Lane,
    page: u32,
    give_up: &mut impl FnMut(u64),
) -> Bound {
    space.activate(now, lane.plane, lane.frontier, lane.block);
    let mut skipped = 0;
    while u32::from(space.blocks.written[lane.block as usize]) < page {
        give_up(space.skip_page(lane.plane, lane.frontier, lane.block, lane.host));
        skipped += 1;
    }
    space.counters.skipped_multi_plane += u64::from(skipped);
    let page = space.take_page(now, lane.plane, lane.frontier, lane.block, lane.host);
    Bound { page, skipped }
}
