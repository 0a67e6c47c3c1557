//! The steps of a collection: moves of pages, and the erase of their block.

use wordline_nand::{BlockId, PlaneId, Ppn};

use super::collect::Move;
use super::{Collector, Relocate};
use crate::inflight::{InFlight, NO_TOKEN, PendingProgram};
use crate::plan::{Cause, Lpn, Plan, Scope, Step, Target, Work as StepWork, count_sectors};
use crate::space::{Activity, FlashSpace};

impl Collector {
    pub(crate) fn plan_move<R: Relocate>(
        space: &FlashSpace,
        pages: &R,
        inflight: &mut InFlight,
        relocation: Move,
        plan: &mut Plan,
    ) {
        let Move {
            pool,
            lpn,
            source,
            onto,
        } = relocation;
        let token = inflight.add(PendingProgram::Move { source, pool });
        let plane = space.blocks.plane_of(space.blocks.block_of(source));
        let same_plane = onto.is_none_or(|block| space.blocks.plane_of(block) == plane);
        let folds_inside = || {
            space
                .tenants
                .cache
                .as_ref()
                .is_some_and(|cache| cache.folds_inside)
        };
        let stays_inside = !space.is_folding(pool) || folds_inside();
        if same_plane && stays_inside && space.copy_back.allows(source) {
            let scope = Scope::Plane(PlaneId(plane));
            let frontier = relocation.frontier(space);
            plan.push(Step {
                work: StepWork::CopyBack {
                    source: Ppn(source),
                    target: Target::Frontier { frontier, scope },
                    new_sectors: 0,
                },
                cause: relocation.cause(space),
                acknowledges: false,
                after: 0,
                lpn: Lpn(lpn),
                token,
            });
        } else {
            Self::move_through_controller(space, pages, relocation, token, plan);
        }
    }

    /// A read to the controller and a program from there: to that of the package where packages have one.
    pub(super) fn move_through_controller<R: Relocate>(
        space: &FlashSpace,
        pages: &R,
        relocation: Move,
        token: u32,
        plan: &mut Plan,
    ) {
        let Move {
            pool,
            lpn,
            source,
            onto,
        } = relocation;
        let scope = match onto {
            Some(block) => Scope::Plane(PlaneId(space.blocks.plane_of(block))),
            None => space.pool_scope(pool),
        };
        let bitmap = pages.sectors(lpn);
        pages.prefetch_owner(lpn);
        let route = space.tenants.route_of_moves();
        let mut read = Step {
            work: StepWork::Read {
                page: Ppn(source),
                bitmap,
                route,
            },
            cause: relocation.cause(space),
            acknowledges: false,
            after: 0,
            lpn: Lpn(lpn),
            token: NO_TOKEN,
        };
        read.after = space
            .tenants
            .plan_before_move(&space.geometry, Ppn(source), read, plan);
        let program = Step {
            work: StepWork::Program {
                target: Target::Frontier {
                    frontier: relocation.frontier(space),
                    scope,
                },
                sectors: count_sectors(bitmap) as u8,
                route,
            },
            after: 1 << plan.len(),
            token,
            ..read
        };
        plan.push(read);
        plan.push(program);
    }

    /// Plans the erase of a victim whose pages have all been moved.
    pub(super) fn plan_erase(space: &mut FlashSpace, pool: u32, plan: &mut Plan) -> bool {
        let Activity::Moving { victim, onto, .. } = space.pools[pool as usize].activity else {
            return false;
        };
        if let Some(block) = onto {
            let plane = space.blocks.plane_of(block);
            space.end_wear_block(plane);
        }
        let wear = onto.is_some();
        space.pools[pool as usize].activity = Activity::Erasing { victim, wear };
        let erase = Step {
            work: StepWork::Erase {
                block: BlockId(victim),
            },
            cause: match (space.pools[pool as usize].refreshing, wear) {
                _ if space.is_folding(pool) => Cause::Fold,
                (true, _) => Cause::Refresh,
                (false, true) => Cause::Wear,
                (false, false) => Cause::Gc,
            },
            acknowledges: false,
            after: 0,
            lpn: Lpn(0),
            token: NO_TOKEN,
        };
        let first = Ppn(space.first_page(victim));
        space.tenants.plan_erase(&space.geometry, first, erase, plan);
        true
    }
}
