//! What the controllers of packages do for an FTL (`[ftl.local]`): steps of their work in its plans, and moves that stay inside their package.

use wordline_nand::{Geometry, Ppn};

use crate::config::LocalConfig;
use crate::inflight::NO_TOKEN;
use crate::plan::{Cause, Plan, Route, Step, Unit, Work};

/// Sub-pages of a node of a die's table: 4 KiB.
const NODE_SECTORS: u32 = 8;

/// Cycles of the controllers of packages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalWork {
    host_command: u32,
    node_search: u32,
    node_reads: u32,
    page_move: u32,
    erase: u32,
    stale_copy: u32,
    collection: u32,
}

impl LocalWork {
    /// The work of a configuration; none where packages have no controllers.
    pub(crate) fn new(config: &LocalConfig) -> Option<Self> {
        config.enabled.then_some(Self {
            host_command: config.host_command,
            node_search: config.node_search,
            node_reads: config.node_reads,
            page_move: config.page_move,
            erase: config.erase,
            stale_copy: config.stale_copy,
            collection: config.collection,
        })
    }

    /// How pages are moved.
    pub(crate) fn route_of_moves(this: Option<&Self>) -> Route {
        if this.is_some() {
            Route::Package
        } else {
            Route::Controller
        }
    }

    /// Plans a read of the host: the package takes the command, reads nodes of its table and searches them, one after the other, and then reads the page.
    pub(crate) fn plan_read(self, geometry: &Geometry, read: Step, plan: &mut Plan) {
        let Work::Read { page, .. } = read.work else {
            plan.push(read);
            return;
        };
        let nodes = u64::MAX >> (64 - NODE_SECTORS.min(geometry.sectors_per_page()));
        let quiet = Step {
            acknowledges: false,
            ..read
        };
        follow(plan, compute(geometry, page, self.host_command, quiet));
        for _ in 0..self.node_reads {
            let work = Work::Read {
                page,
                bitmap: nodes,
                route: Route::Package,
            };
            let cause = Cause::Mapping;
            follow(plan, Step { work, cause, ..quiet });
            follow(plan, compute(geometry, page, self.node_search, quiet));
        }
        follow(plan, read);
    }

    /// Plans the work on a move of `page`, which `read` begins; the bit of the step.
    pub(crate) fn plan_move(self, geometry: &Geometry, page: Ppn, read: Step, plan: &mut Plan) -> u64 {
        let before = 1 << plan.len();
        plan.push(compute(geometry, page, self.page_move, read));
        before
    }

    /// Plans an erase: the controller of the drive names the package in which a block is to be collected, whose controller does the rest.
    pub(crate) fn plan_erase(self, geometry: &Geometry, first: Ppn, erase: Step, plan: &mut Plan) {
        let work = Work::Compute {
            unit: Unit::Core,
            amount: self.collection,
        };
        plan.push(Step { work, ..erase });
        follow(plan, compute(geometry, first, self.erase, erase));
        follow(plan, erase);
    }

    /// Plans what follows a program of the host: the package enters the page into its table, and the package of the copy that it replaces is told, where that is another one.
    pub(crate) fn after_write(
        self,
        geometry: &Geometry,
        program: &Step,
        (page, replaced): (Ppn, Option<u64>),
        plan: &mut Plan,
    ) {
        let step = Step { after: 0, ..*program };
        plan.push(compute(geometry, page, self.host_command, step));
        let Some(old) = replaced.map(Ppn) else { return };
        let chip = |page: Ppn| geometry.chip_of(geometry.die_of(geometry.plane_of(geometry.block_of(page))));
        if chip(old) != chip(page) {
            let step = Step {
                acknowledges: false,
                ..step
            };
            plan.push(compute(geometry, old, self.stale_copy, step));
        }
    }
}

/// Work of the controller of the package of a page.
fn compute(geometry: &Geometry, page: Ppn, cycles: u32, like: Step) -> Step {
    let die = geometry.die_of(geometry.plane_of(geometry.block_of(page)));
    let chip = geometry.chip_of(die);
    Step {
        work: Work::Local { chip, cycles },
        token: NO_TOKEN,
        ..like
    }
}

/// Adds a step after the last one of a plan, if there is one.
fn follow(plan: &mut Plan, step: Step) {
    let after = plan.len().checked_sub(1).map_or(0, |last| 1 << last);
    plan.push(Step { after, ..step });
}
