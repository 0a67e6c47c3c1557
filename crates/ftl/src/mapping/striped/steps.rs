//! Steps on superblocks as steps on flash, and the pages of programs that are ready.

use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use super::erasing::Erasing;
use super::keys::BadMember;
use super::padding::is_padding;
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

    fn turn(&self, frontier: Frontier) -> u32 {
        self.turns.get(usize::from(frontier.0)).copied().unwrap_or(0)
    }

    fn set_turn(&mut self, frontier: Frontier, group: u32) {
        if let Some(turn) = self.turns.get_mut(usize::from(frontier.0)) {
            *turn = group;
        }
    }
}
