//! Collection: a page is read once for all its current units, and units of several pages are programmed together.
//!
//! Units that were read and fill no page yet stay in the controller until the next pages bring others. The last ones of a
//! victim are joined by the first ones of the next victim, which is chosen for that; only where there is none, or where wear
//! levelling moves one block onto another, the page is padded.

use std::collections::VecDeque;

use wordline_units::SimTime;

use super::UnitFtl;
use super::emptying::{Emptying, Following, Read};
use super::pages::{Change, Pages, Unit};
use crate::config::GcMode;
use crate::inflight::NO_TOKEN;
use crate::jobs::Collector;
use crate::map::{DenseMap, Relocate};
use crate::mapping::page::PageFtl;
use crate::notice::JobState;
use crate::plan::WEAR;
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Target, Work};
use crate::space::{Activity, FlashSpace};
use wordline_nand::{PlaneId, Ppn};

/// Most steps of a plan.
const MOST_STEPS: usize = 64;

/// What moves are planned with.
struct Planner<'a> {
    /// Pages that are programmed together.
    together: usize,
    collector: &'a mut Collector,
    space: &'a mut FlashSpace,
    map: &'a mut DenseMap,
    pages: &'a mut Pages,
    emptying: &'a mut Emptying,
    now: SimTime,
    pool: u32,
    cause: Cause,
}

impl UnitFtl {
    /// The next plan of a pool's job.
    pub(super) fn collect(&mut self, now: SimTime, pool: u32, plan: &mut Plan) -> JobState {
        let Self {
            units:
                PageFtl {
                    space,
                    map,
                    collector,
                    ..
                },
            pages,
            emptying,
            together,
            ..
        } = self;
        let together = *together;
        let emptying = std::cell::RefCell::new(&mut emptying[pool as usize]);
        collector.advance_with(
            space,
            now,
            pool,
            plan,
            |collector, space, now, pool| begin(collector, space, &mut emptying.borrow_mut(), now, pool),
            |collector, space, most, plan| {
                let mut planner = Planner {
                    together: together as usize,
                    collector,
                    space,
                    map,
                    pages,
                    emptying: &mut emptying.borrow_mut(),
                    now,
                    pool,
                    cause: Cause::Gc,
                };
                planner.plan_moves(most, plan)
            },
        )
    }

    /// Plans reads of the pages that hold units which are relocated; their mask.
    pub(super) fn plan_reads(&self, units: &[Unit], cause: Cause, plan: &mut Plan) -> u64 {
        let mut mask = 0;
        let source = |unit: &Unit| match unit.change {
            Change::Move(source) => source,
            Change::Write { .. } => 0,
        };
        let same_page = |one: &Unit, other: &Unit| self.page_of(source(one)) == self.page_of(source(other));
        for group in units.chunk_by(same_page) {
            let sectors = |bitmap, unit: &Unit| bitmap | self.in_page(source(unit), unit.sectors);
            mask |= 1 << plan.len();
            plan.push(read_of_page(
                self.page_of(source(&group[0])),
                group.iter().fold(0, sectors),
                Lpn(group[0].lpn),
                cause,
            ));
        }
        mask
    }
}

/// Begins to empty a block: the one that was read ahead, if there is one; false where there is none.
pub(super) fn begin(
    collector: &mut Collector,
    space: &mut FlashSpace,
    emptying: &mut Emptying,
    now: SimTime,
    pool: u32,
) -> bool {
    match emptying.following.take() {
        Some(Following {
            block,
            next,
            spare,
            read,
        }) => {
            emptying.read = read;
            space.go_on_moving(pool, block, next, None, spare);
            true
        }
        None => collector.begin(space, now, pool),
    }
}

impl Planner<'_> {
    /// Plans programs of so many pages at most with the next units of the victim; false where none is left.
    fn plan_moves(&mut self, most: u32, plan: &mut Plan) -> bool {
        let Activity::Moving {
            victim,
            mut next,
            onto,
        } = self.space.pools[self.pool as usize].activity
        else {
            return false;
        };
        let per_page = self.space.geometry.pages_per_program as usize;
        self.cause = match onto {
            Some(_) => Cause::Wear,
            None if self.space.is_folding(self.pool) => Cause::Fold,
            None => Cause::Gc,
        };
        let mut planned = 0;
        while planned < most && plan.len() + per_page < MOST_STEPS {
            let mut units = Vec::with_capacity(per_page);
            let mut after = 0;
            let mut read = std::mem::take(&mut self.emptying.read);
            next = self.gather(victim, next, &mut read, &mut units, &mut after, plan);
            self.emptying.read = read;
            let completes = self.cause == Cause::Gc && planned % self.together as u32 != 0;
            if units.is_empty() && !completes {
                break;
            }
            // a block of the SLC cache is folded alone: the next one may have to wait for room
            if units.len() < per_page && self.cause == Cause::Gc {
                self.gather_from_following(victim, &mut units, &mut after, plan);
            }
            if units.is_empty() {
                break;
            }
            self.space.counters.padding.moved_units += (per_page - units.len()) as u64;
            let target = self.target(victim, onto);
            let token = self
                .pages
                .add_moved(target, self.cause, self.pool, units.into_iter());
            let program = self.pages.page_mut(token).program(token, after);
            plan.push(program);
            planned += 1;
        }
        if self.together > 1 {
            start_together(plan);
        }
        let waiting = self
            .emptying
            .following
            .as_mut()
            .map(|following| &mut following.read);
        for read in [Some(&mut self.emptying.read), waiting]
            .into_iter()
            .flatten()
            .flatten()
        {
            // the next plan begins when this one is done
            read.step = 0;
        }
        let pool = self.pool as usize;
        self.space.pools[pool].activity = Activity::Moving { victim, next, onto };
        self.space.pools[pool].moves += planned;
        if self.space.gc.mode == GcMode::Partial && planned > 0 {
            self.space.spend_credit(self.pool, planned);
        }
        planned > 0
    }

    /// Takes units of a block until there are enough for a page, those that were read before first; plans reads of whole pages.
    /// Where to go on.
    fn gather(
        &mut self,
        block: u32,
        mut next: u32,
        read: &mut VecDeque<Read>,
        units: &mut Vec<Unit>,
        after: &mut u64,
        plan: &mut Plan,
    ) -> u32 {
        let per_page = self.space.geometry.pages_per_program as usize;
        let written = u32::from(self.space.blocks.written[block as usize]);
        while units.len() < per_page {
            if let Some(Read { unit, step }) = read.pop_front() {
                if unit.is_current(self.map) {
                    units.push(unit);
                    *after |= step;
                }
            } else if next < written {
                self.read_page(block, next, read, plan);
                next += per_page as u32;
            } else {
                break;
            }
        }
        next
    }

    /// Fills a page up with units of the block after the victim.
    fn gather_from_following(
        &mut self,
        victim: u32,
        units: &mut Vec<Unit>,
        after: &mut u64,
        plan: &mut Plan,
    ) {
        let mut following = match self.emptying.following.take() {
            Some(following) => following,
            None => match self.collector.take_victim(self.space, self.now, self.pool) {
                Some(block) => {
                    self.space.blocks.exclude_candidate(block);
                    let spare = self.space.blocks.pages_of(block) - self.space.blocks.valid(block);
                    Following {
                        block,
                        next: 0,
                        spare,
                        read: VecDeque::new(),
                    }
                }
                None => return,
            },
        };
        let (ground, tenants) = (&self.space.ground, &self.space.tenants);
        if !tenants.may_move_together(ground, victim, following.block) {
            self.emptying.following = Some(following);
            return;
        }
        following.next = self.gather(
            following.block,
            following.next,
            &mut following.read,
            units,
            after,
            plan,
        );
        self.emptying.following = Some(following);
    }

    /// Plans the read of the current units of a page, if it has any.
    fn read_page(&mut self, block: u32, next: u32, read: &mut VecDeque<Read>, plan: &mut Plan) {
        let geometry = self.space.geometry;
        let first = self.space.first_page(block) + u64::from(next);
        let step = 1 << plan.len();
        let (mut bitmap, mut lead) = (0, None);
        for slot in 0..u64::from(geometry.pages_per_program) {
            let source = first + slot;
            let Some(lpn) = self.map.owner_to_move(source) else {
                continue;
            };
            let sectors = self.map.sectors(lpn);
            self.map.prefetch_owner(lpn);
            bitmap |= sectors << (slot * u64::from(geometry.sectors_per_page()));
            lead = lead.or(Some(Lpn(lpn)));
            let change = Change::Move(source);
            let unit = Unit { lpn, sectors, change };
            read.push_back(Read { unit, step });
        }
        if let Some(lead) = lead {
            let page = Ppn(first / u64::from(geometry.pages_per_program));
            plan.push(read_of_page(page, bitmap, lead, self.cause));
        }
    }

    /// Where the units of a block go.
    fn target(&self, victim: u32, onto: Option<u32>) -> Target {
        let space = &self.space;
        match onto {
            Some(block) => Target::Frontier {
                frontier: WEAR,
                scope: Scope::Plane(PlaneId(space.blocks.plane_of(block))),
            },
            None => Target::Frontier {
                frontier: space.frontier_of_moves(victim),
                scope: space.pool_scope(self.pool),
            },
        }
    }
}

/// Has the programs of a plan follow all its reads, so that they can start together.
fn start_together(plan: &mut Plan) {
    plan.sort_by_key(|step| matches!(step.work, Work::Program { .. }));
    let reads = plan
        .iter()
        .filter(|step| matches!(step.work, Work::Read { .. }))
        .count();
    for step in &mut plan[reads..] {
        step.after = (1 << reads) - 1;
    }
}

/// The read of a page whose units are relocated.
fn read_of_page(page: Ppn, bitmap: u64, lead: Lpn, cause: Cause) -> Step {
    Step {
        work: Work::Read {
            page,
            bitmap,
            route: Route::Controller,
        },
        cause,
        acknowledges: false,
        after: 0,
        lpn: lead,
        token: NO_TOKEN,
    }
}
