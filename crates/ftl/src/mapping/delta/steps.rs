//! The steps that the delta mapping plans.

use wordline_nand::Ppn;

use crate::inflight::NO_TOKEN;
use crate::plan::{Cause, Frontier, Lpn, Plan, Route, Scope, Step, Target, Unit, Work};

/// Appends a read of a page; its mask.
pub(super) fn read(plan: &mut Plan, page: u64, bitmap: u64, cause: Cause, lpn: u64) -> u64 {
    plan.push(Step {
        work: Work::Read {
            page: Ppn(page),
            bitmap,
            route: Route::Controller,
        },
        cause,
        acknowledges: false,
        after: 0,
        lpn: Lpn(lpn),
        token: NO_TOKEN,
    });
    1 << (plan.len() - 1)
}

/// Work of the codec.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coding {
    pub(super) ns: u32,
    /// Sub-pages that leave for the host when it is done.
    pub(super) sectors: u8,
    /// The codecs that do it: those of the channel of the page, or of the drive.
    pub(super) group: u16,
    pub(super) acknowledges: bool,
    pub(super) cause: Cause,
}

/// Appends work of the codec after the steps of a mask; its own mask.
pub(super) fn code(plan: &mut Plan, coding: Coding, after: u64, lpn: u64, token: u32) -> u64 {
    plan.push(Step {
        work: Work::Compute {
            unit: Unit::Codec {
                sectors: coding.sectors,
                group: coding.group,
            },
            amount: coding.ns,
        },
        cause: coding.cause,
        acknowledges: coding.acknowledges,
        after,
        lpn: Lpn(lpn),
        token,
    });
    1 << (plan.len() - 1)
}

/// The program of a page on a frontier.
pub(super) fn program(
    (frontier, scope): (Frontier, Scope),
    sectors: u64,
    cause: Cause,
    lpn: u64,
    token: u32,
) -> Step {
    Step {
        work: Work::Program {
            target: Target::Frontier { frontier, scope },
            sectors: sectors.count_ones() as u8,
            route: Route::Controller,
        },
        cause,
        acknowledges: false,
        after: 0,
        lpn: Lpn(lpn),
        token,
    }
}
