//! Steps on superblocks as steps on flash, and the pages of programs that are ready.

use wordline_nand::{PlaneId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use super::erasing::Erasing;
use super::padding::is_padding;
use crate::contract::Ftl;
use crate::inflight::NO_TOKEN;
use crate::plan::{Bind, Bound, Cause, Frontier, Lpn, Plan, Route, Scope, Step, Target, Work};

impl StripedFtl {
    /// Steps of the FTL of the superblocks become steps on flash, but for erases.
    pub(super) fn to_flash(&self, steps: &mut Plan) {
        for step in steps {
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
    }

    /// Moves steps to a plan, with erases of all members for that of a superblock. A plan has nothing else then.
    pub(super) fn expand_erases(&mut self, steps: &mut Plan, plan: &mut Plan) {
        for step in steps.drain(..) {
            let Work::Erase { block: superblock } = step.work else {
                plan.push(step);
                continue;
            };
            self.erasing.insert(superblock, Erasing::new(self.layout.width()));
            let members = self.layout.members(superblock);
            plan.extend(members.map(|block| Step {
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

    /// The next page of the open superblock of a program's frontier: in the group whose turn it is, until a superpage is full, or in the next one that has
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
        let groups = match scope {
            Scope::Plane(group) => group.0..group.0 + 1,
            _ => 0..self.layout.superblocks().planes(),
        };
        let count = groups.len() as u32;
        let first = self.turn(frontier);
        for turn in 0..count {
            let group = groups.start + (first + turn) % count;
            match self.pages.bind(now, &own, PlaneId(group)) {
                Bind::Page(bound) => {
                    if count > 1 {
                        let is_last = self.layout.ends_superpage(bound.page);
                        self.set_turn(frontier, (group + u32::from(is_last)) % count);
                    }
                    return Bind::Page(self.take_page(step, bound.page, plan));
                }
                Bind::Declined => return Bind::Declined,
                Bind::NoSpace => {}
            }
        }
        Bind::NoSpace
    }

    /// A step has got a page of a superblock: the page of flash. With the last one of a superpage comes the program of its parity.
    fn take_page(&mut self, step: &Step, page: Ppn, plan: &mut Plan) -> Bound {
        let place = self.layout.page_of_flash(page);
        if self.layout.has_parity() {
            self.recovery.begin_program(place);
        }
        if self.layout.ends_superpage(page)
            && let Some((parity, superpage)) = self.layout.parity_of(page)
        {
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
    fn program_of_parity(&self, page: Ppn, superpage: u64, acknowledges: bool) -> Step {
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

    fn turn(&self, frontier: Frontier) -> u32 {
        self.turns.get(usize::from(frontier.0)).copied().unwrap_or(0)
    }

    fn set_turn(&mut self, frontier: Frontier, group: u32) {
        if let Some(turn) = self.turns.get_mut(usize::from(frontier.0)) {
            *turn = group;
        }
    }
}
