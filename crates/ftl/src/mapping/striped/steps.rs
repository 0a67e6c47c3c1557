//! Steps on superblocks as steps on flash, and the pages of programs that are ready.

use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::SimTime;

use super::erasing::Erasing;
use super::keys::BadMember;
use super::{StripedFtl, is_padding};
use crate::contract::Ftl;
use crate::inflight::NO_TOKEN;
use crate::plan::{Bind, Bound, Cause, Frontier, Lpn, Plan, Route, Scope, Step, Target, Work};

impl StripedFtl {
    /// Steps of the FTL of the superblocks become steps on flash, but for erases.
    pub(super) fn put_on_flash(&mut self, steps: &mut Plan) {
        for step in &mut *steps {
            match &mut step.work {
                Work::Read { page, .. } => *page = self.layout.page_of_flash(*page),
                Work::Program { target, .. } => {
                    if let Target::Frontier { frontier, scope } = *target {
                        *target = Target::Stripe { frontier, scope };
                    }
                }
                _ => {}
            }
        }
        self.avoid_reads(steps);
    }

    /// Moves steps to a plan, with erases of all members for that of a superblock, those left out that are not to be used again. A plan has nothing else then.
    pub(super) fn expand_erases(&mut self, steps: &mut Plan, plan: &mut Plan) {
        for step in steps.drain(..) {
            let Work::Erase { block: superblock } = step.work else {
                plan.push(step);
                continue;
            };
            let failed = self.damage.members(superblock);
            let present = || self.layout.members(superblock);
            let is_sound = |member: u32| failed >> member & 1 == 0;
            // a superblock that is retired is erased as a whole, and one without a sound member will be
            let is_whole =
                self.damage.way == BadMember::Retire || !present().any(|(member, _)| is_sound(member));
            let members: Vec<BlockId> = present()
                .filter(|(member, _)| is_whole || is_sound(*member))
                .map(|(_, block)| block)
                .collect();
            self.erasing
                .insert(superblock, Erasing::new(step, members.len() as u32));
            plan.extend(members.into_iter().map(|block| Step {
                work: Work::Erase { block },
                ..step
            }));
        }
    }

    /// A step on flash as the FTL of the superblocks has planned it.
    pub(super) fn to_superblocks(&self, step: &Step) -> Step {
        let mut own = *step;
        match &mut own.work {
            Work::Read { page, .. } => *page = self.layout.page_of_superblock(*page).unwrap_or(*page),
            Work::Program { target, .. } => {
                if let Target::Stripe { frontier, scope } = *target {
                    *target = Target::Frontier { frontier, scope };
                }
            }
            _ => {}
        }
        own
    }

    /// The next page of the open superblock of a program's frontier: of an incomplete superpage, if there is one, or else of the group with the fewest programs under way that has
    /// a page.
    pub(super) fn place_step(&mut self, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        if self.recovery.awaits(step) {
            return Bind::Declined;
        }
        if is_padding(step) {
            return match self.place_padding(now, step) {
                Bind::Page(bound) => Bind::Page(self.take_page(step, bound.page, plan)),
                bind => bind,
            };
        }
        let own = self.to_superblocks(step);
        let Work::Program {
            target: Target::Frontier { frontier, scope },
            ..
        } = own.work
        else {
            return Bind::Declined;
        };
        let bind = match scope {
            Scope::Plane(group) => self.pages.bind(now, &own, group),
            _ => self.place_in_turn(now, &own, frontier),
        };
        match bind {
            Bind::Page(bound) => Bind::Page(self.take_page(step, bound.page, plan)),
            bind => bind,
        }
    }

    /// The page of a program that may go to any group.
    fn place_in_turn(&mut self, now: SimTime, own: &Step, frontier: Frontier) -> Bind {
        let turn = self.turns.of(frontier);
        if self.has_incomplete_superpage(turn, frontier) {
            let bind = self.place_in_group(now, own, (turn, frontier));
            if bind != Bind::NoSpace {
                return bind;
            }
        }
        let order = self.turns.take_order(frontier);
        let mut bind = Bind::NoSpace;
        for group in &order {
            bind = self.place_in_group(now, own, (*group, frontier));
            if bind != Bind::NoSpace {
                break;
            }
        }
        self.turns.give_back_order(order);
        bind
    }

    /// The page of a program in a group; the next one in turn follows the last page of a superpage.
    fn place_in_group(&mut self, now: SimTime, own: &Step, (group, frontier): (u32, Frontier)) -> Bind {
        let bind = self.pages.bind(now, own, PlaneId(group));
        if let Bind::Page(bound) = bind {
            let is_last = self.layout.ends_superpage(bound.page);
            let groups = self.layout.superblocks().planes();
            self.turns.set(frontier, (group + u32::from(is_last)) % groups);
        }
        bind
    }

    /// Whether the open superblock of a frontier in a group has a superpage with some of its pages.
    fn has_incomplete_superpage(&self, group: u32, frontier: Frontier) -> bool {
        let open = self.pages.space.frontiers.active(group, frontier);
        open.is_some_and(|superblock| {
            let written = u32::from(self.pages.space.blocks.written[superblock as usize]);
            !written.is_multiple_of(self.layout.data())
        })
    }

    /// A step has got a page of a superblock: the page of flash. With the last one of a superpage comes the program of its parity.
    fn take_page(&mut self, step: &Step, page: Ppn, plan: &mut Plan) -> Bound {
        let place = self.layout.page_of_flash(page);
        self.turns.begin_program(self.layout.group_of(place));
        if self.layout.has_parity() {
            self.recovery.begin_program(place);
        }
        if !self.layout.ends_superpage(page) {
            return Bound {
                page: place,
                skipped: 0,
            };
        }
        let superblock = self.layout.superblocks().block_of(page);
        let missing = self.layout.data() - self.layout.data_of(superblock);
        if missing > 0 {
            self.pages.space.take_absent(superblock.0, missing as u16);
        }
        if let Some((parity, superpage)) = self.layout.parity_of(page) {
            self.turns.begin_program(self.layout.group_of(parity));
            self.recovery.begin_program(parity);
            if self.pads {
                self.recovery.await_parity(superpage);
            }
            plan.push(self.program_of_parity(parity, superpage, is_padding(step)));
        }
        Bound {
            page: place,
            skipped: 0,
        }
    }

    /// The program of the parity of a superpage, all of whose other pages are placed.
    pub(super) fn program_of_parity(&self, page: Ppn, superpage: u64, acknowledges: bool) -> Step {
        Step {
            work: Work::Program {
                target: Target::Page(page),
                sectors: self.geometry().sectors_per_page() as u8,
                route: Route::Controller,
            },
            cause: Cause::Parity,
            acknowledges,
            after: 0,
            lpn: Lpn(self.user_pages() + superpage),
            token: NO_TOKEN,
        }
    }
}
