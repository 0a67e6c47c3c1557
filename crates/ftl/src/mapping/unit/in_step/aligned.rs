//! The pages of a multi-plane program: those of one row of a multi-plane block.

use wordline_nand::{BlockId, PlaneId};
use wordline_units::SimTime;

use super::InStepFtl;
use crate::contract::Ftl;
use crate::plan::{Bind, Bound, Frontier, Step, Target, Work};

/// Where the open multi-plane block of a frontier goes on.
#[derive(Clone, Copy, Debug)]
struct Position {
    block: u32,
    row: u32,
    /// The plane of the next page.
    plane: u32,
}

impl InStepFtl {
    /// Binds the programs of one frontier to the rest of a row. Where there are programs for a whole row, and it has begun with fewer, the rest of the row
    /// is given up: otherwise all rows to come would be programmed in two commands.
    pub(super) fn bind_row(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let space = &self.merged.units.space;
        let pairs = &*space.tenants.place_pairs(pairs, |step| self.merged.placed(step));
        let planes = self.layout.planes() as usize;
        let Some((first, plane)) = pairs.iter().find(|(step, _)| !self.merged.is_superseded(step)) else {
            return false;
        };
        let (die, frontier) = (self.layout.plane_of_merged(*plane), frontier_of(first));
        let host = first.cause.is_of_host();
        // collection may write where the host may not
        let joins = |step: &Step| {
            frontier_of(step) == frontier
                && step.cause.is_of_host() == host
                && !self.merged.is_superseded(step)
        };
        let chosen: Vec<usize> = (0..pairs.len())
            .filter(|at| joins(&pairs[*at].0))
            .take(planes)
            .collect();
        if chosen.len() == planes {
            self.begin_row(now, die, first);
        }
        let Some(Position { plane, .. }) = self.position(die, first) else {
            return false;
        };
        let count = chosen.len().min(planes - plane as usize);
        if count < 2 {
            return false;
        }
        bound.clear();
        bound.resize(pairs.len(), None);
        for (taken, at) in chosen[..count].iter().enumerate() {
            match self.merged.bind(now, &pairs[*at].0, die) {
                Bind::Page(page) => bound[*at] = Some(self.bound_on_flash(page.page)),
                // without a page for the first there is none for the others
                _ if taken == 0 => return false,
                _ => break,
            }
        }
        true
    }

    /// Where a program would go; none where it finds no page.
    fn position(&self, die: PlaneId, step: &Step) -> Option<Position> {
        let space = &self.merged.units.space;
        let (frontier, _, may_open) = space.frontier_of(step, die.0)?;
        let next = || space.frontiers.next(&space.blocks, die.0, frontier, may_open);
        let block = space.frontiers.active(die.0, frontier).or_else(next)?;
        let pages = u32::from(space.blocks.written[block as usize]) / self.merged.per_page;
        Some(Position {
            block,
            row: pages / self.layout.planes(),
            plane: pages % self.layout.planes(),
        })
    }

    /// Gives up the rest of a row that has begun, if there is another row and the pool can afford it.
    fn begin_row(&mut self, now: SimTime, die: PlaneId, step: &Step) {
        let Some(Position { block, row, plane }) =
            self.position(die, step).filter(|position| position.plane > 0)
        else {
            return;
        };
        let (per_page, planes) = (self.merged.per_page, self.layout.planes());
        let pages = self.merged.units.space.blocks.pages_of(block);
        let is_last = (row + 1) * planes * per_page >= pages;
        let host = step.cause.is_of_host();
        let units = (planes - plane) * per_page;
        let space = &mut self.merged.units.space;
        let Some((frontier, ..)) = space.frontier_of(step, die.0) else {
            return;
        };
        // the host would not find the first page of the next row
        let waits = host && space.owes_plans(die.0);
        if is_last || waits || units > space.affordable_skips(die.0, host) {
            return;
        }
        space.activate(now, die.0, frontier, block);
        for _ in 0..units {
            let unit = space.skip_page(die.0, frontier, block, host);
            self.merged.units.map.skip(unit);
        }
        space.counters.skipped_multi_plane += u64::from(planes - plane);
        for plane in plane..planes {
            let page = self.layout.merged().page(BlockId(block), row * planes + plane);
            let block = self.layout.flash().block_of(self.layout.page_of_flash(page));
            *self.given_up.entry(block).or_default() += 1;
        }
    }
}

/// The frontier that a step is programmed to, if it is to one.
fn frontier_of(step: &Step) -> Option<Frontier> {
    match step.work {
        Work::Program {
            target: Target::Frontier { frontier, .. },
            ..
        } => Some(frontier),
        _ => None,
    }
}
