//! The programs of pages that the FTL itself writes.

use wordline_nand::{Geometry, PlaneId};

use crate::plan::{Cause, Frontier, Lpn, Route, Scope, Step, Target, Work};

/// The frontier of pages of the FTL's own, which no mapping has.
const OWN: Frontier = Frontier(u8::MAX);

/// The program of a page of the FTL's own, which is chosen when it starts.
pub(super) const fn own_program(geometry: &Geometry, plane: PlaneId, lpn: Lpn, token: u32) -> Step {
    Step {
        work: Work::Program {
            target: Target::Frontier {
                frontier: OWN,
                scope: Scope::Plane(plane),
            },
            sectors: geometry.sectors_per_page() as u8,
            route: Route::Controller,
        },
        cause: Cause::Metadata,
        acknowledges: false,
        after: 0,
        lpn,
        token,
    }
}

/// Whether a step is of the FTL's own: one of these programs, whatever cause it was given since, or an erase of the area.
pub(super) fn is_own(step: &Step) -> bool {
    match step.work {
        Work::Program {
            target: Target::Frontier { frontier, .. },
            ..
        } => frontier == OWN,
        _ => step.cause == Cause::Metadata,
    }
}
