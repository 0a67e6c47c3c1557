//! Superpages that a flush completes with pages of no data, so that their parity is on flash (FTL specification, 6.2: `parity.partial = pad`).

use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::SimTime;

use super::{NO_OWNER, StripedFtl};
use crate::contract::{Flushing, Ftl};
use crate::inflight::NO_TOKEN;
use crate::plan::{Bind, Cause, Frontier, Outcome, Plan, Route, Scope, Step, Target, Work};

/// Steps of a plan.
const MOST_STEPS: usize = 64;

impl StripedFtl {
    /// Plans the programs that complete the superpages of the open superblocks of host writes, those left out that an earlier flush completes.
    pub(super) fn plan_padding(&mut self, plan: &mut Plan) -> Flushing {
        let open = self.incomplete_superpages();
        for (group, frontier, number, missing) in open {
            if self.recovery.awaits_parity(number) {
                continue;
            }
            if plan.len() + missing as usize > MOST_STEPS {
                return Flushing {
                    mark: self.recovery.parity_mark(),
                    goes_on: true,
                };
            }
            self.recovery.await_parity(number);
            let step = Step {
                work: Work::Program {
                    target: Target::Stripe {
                        frontier,
                        scope: Scope::Plane(group),
                    },
                    sectors: self.geometry().sectors_per_page() as u8,
                    route: Route::Controller,
                },
                cause: Cause::Padding,
                acknowledges: true,
                after: 0,
                lpn: NO_OWNER,
                token: number as u32,
            };
            plan.extend((0..missing).map(|_| step));
        }
        Flushing {
            mark: self.recovery.parity_mark(),
            goes_on: false,
        }
    }

    /// The superpages of the open superblocks of host writes that have some of their pages: group, frontier, number, and pages that are missing.
    fn incomplete_superpages(&self) -> Vec<(PlaneId, Frontier, u64, u32)> {
        let (frontiers, data) = (&self.pages.space.frontiers, self.layout.data());
        let of_host = (0..frontiers.count()).map(Frontier);
        let of_host: Vec<Frontier> = of_host
            .filter(|frontier| frontiers.is_of_host(*frontier))
            .collect();
        let groups = 0..self.layout.superblocks().planes();
        let open = groups.flat_map(|group| of_host.iter().map(move |frontier| (group, *frontier)));
        open.filter_map(|(group, frontier)| {
            let superblock = frontiers.active(group, frontier)?;
            let written = u32::from(self.pages.space.blocks.written[superblock as usize]);
            let number = self.layout.numbers_of(BlockId(superblock)).start + u64::from(written / data);
            let rest = written % data;
            let missing = self.layout.data_of(BlockId(superblock)).saturating_sub(rest);
            (rest > 0).then_some((PlaneId(group), frontier, number, missing))
        })
        .collect()
    }

    /// The next page of the superpage that a step is to complete; none where the host has filled it.
    pub(super) fn place_padding(&mut self, now: SimTime, step: &Step) -> Bind {
        let own = self.to_superblocks(step);
        let Work::Program {
            target:
                Target::Frontier {
                    frontier,
                    scope: Scope::Plane(group),
                },
            ..
        } = own.work
        else {
            return Bind::Declined;
        };
        let wanted = (group, frontier, u64::from(step.token));
        let mut open = self.incomplete_superpages().into_iter();
        if !open.any(|(group, frontier, number, _)| (group, frontier, number) == wanted) {
            return Bind::Declined;
        }
        let untold = Step {
            token: NO_TOKEN,
            ..own
        };
        self.pages.bind(now, &untold, group)
    }

    /// A page without data was programmed, or could not be.
    pub(super) fn end_padding(&mut self, now: SimTime, page: Option<Ppn>, outcome: Outcome) {
        let Some(page) = page.and_then(|page| self.layout.page_of_superblock(page)) else {
            return;
        };
        let superblock = self.layout.superblocks().block_of(page);
        if outcome == Outcome::Failed {
            self.pages.space.fail_program(now, page.0);
        } else {
            self.recovery.counters.padded += 1;
            self.pages.space.end_program(now, superblock.0);
        }
    }
}
