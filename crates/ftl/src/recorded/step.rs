//! The programs of pages that the FTL itself writes.

use wordline_nand::{Geometry, PlaneId};

use crate::plan::{Cause, Frontier, Lpn, Route, Scope, Step, Target, Work};

/// The frontier of pages of the FTL's own, which no mapping has.
const OWN: Frontier = Frontier(u8::MAX);

/// The frontier of copies of lower pages.
const COPIES: Frontier = Frontier(u8::MAX - 1);

/// The program of a page of the FTL's own, which is chosen when it starts.
pub(super) const fn own_program(geometry: &Geometry, plane: PlaneId, lpn: Lpn, token: u32) -> Step {
    program(geometry, plane, OWN, Cause::Metadata, (lpn, token))
}

/// The program of a copy of a lower page.
pub(super) const fn copy_program(geometry: &Geometry, plane: PlaneId, lpn: Lpn, token: u32) -> Step {
    program(geometry, plane, COPIES, Cause::Backup, (lpn, token))
}

const fn program(
    geometry: &Geometry,
    plane: PlaneId,
    frontier: Frontier,
    cause: Cause,
    (lpn, token): (Lpn, u32),
) -> Step {
    Step {
        work: Work::Program {
            target: Target::Frontier {
                frontier,
                scope: Scope::Plane(plane),
            },
            sectors: geometry.sectors_per_page() as u8,
            route: Route::Controller,
        },
        cause,
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

/// Whether a step makes copies of lower pages: their programs, the reads before these, and erases of their blocks.
pub(super) fn is_of_backup(step: &Step) -> bool {
    step.cause == Cause::Backup
}
