//! What mappings of whole logical blocks share: their capacity, and the steps of a merge (FTL specification, section 1).
//!
//! A logical block stays in the plane that its number gives (`allocation.order`), and each plane is a pool.

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};

use crate::config::{
    FtlConfig, GcFrontier, GcMode, HotConfig, MappingInput, PlacementConfig, Pool, RecoveryKind,
};
use crate::error::FtlError;
use crate::inflight::NO_TOKEN;
use crate::map::Relocate;
use crate::plan::GC;
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Target, Work};
use crate::space::Capacity;

/// Copies of one plan: two steps each, and a plan holds 64.
pub(super) const MOST_COPIES: u32 = 32;
/// Erases of one plan.
const MOST_ERASES: usize = 32;

/// The keys that every mapping of whole blocks reads.
pub(super) const READS: &[&str] = match READS_WITH_FAILURES.split_last() {
    Some((_, others)) => others,
    None => READS_WITH_FAILURES,
};

/// The same of one that knows when too many of its blocks are bad.
pub(super) const READS_WITH_FAILURES: &[&str] = &[
    "ftl.gc.basis",
    "ftl.gc.hard",
    "ftl.gc.low",
    "ftl.gc.high",
    "ftl.gc.reserve_blocks",
    "ftl.gc.mode",
    "ftl.gc.idle",
    "ftl.wear.dynamic",
    "ftl.trim",
    "allocation.order",
    "allocation.active_block",
    "ftl.failures",
];

/// How such a mapping can be built anew after a power cut.
pub(super) const RECOVERS: &[RecoveryKind] = &[
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

/// Blocks in reserve of a plane with which a merge that the power cuts off can be done again: the one that it had taken, which a host write may keep, and one more.
const LEAST_RESERVE: u32 = 2;

/// Checks that merges which the power cuts off can be done again.
///
/// # Errors
/// They cannot.
pub(super) fn check_reserve(input: &MappingInput<'_>) -> Result<(), FtlError> {
    let reserve = input.config.gc.reserve_blocks;
    if input.config.recovery.kind == RecoveryKind::None || reserve >= LEAST_RESERVE {
        return Ok(());
    }
    let accepted = format!(
        "at least {LEAST_RESERVE} with ftl.recovery.kind and ftl.mapping = \"{}\": a merge that the power cuts off may keep the block that it took",
        input.config.mapping.name()
    );
    Err(FtlError::new("ftl.gc.reserve_blocks", reserve, accepted))
}

/// Free blocks of a plane that are kept for a merge which the power has cut off: with fewer no host write is placed, as the sources of a merge may not be erased yet.
pub(super) fn kept_free(input: &MappingInput<'_>) -> u32 {
    match input.config.recovery.kind {
        RecoveryKind::None => 0,
        _ => LEAST_RESERVE - 1,
    }
}

/// The keys that such a mapping does not read, as it needs them: pools are planes.
pub(super) fn own_config(config: &FtlConfig) -> FtlConfig {
    let mut own = config.clone();
    (own.gc.pool, own.gc.frontier) = (Pool::Plane, GcFrontier::Shared);
    own.hot = HotConfig::default();
    own.placement = PlacementConfig::default();
    own
}

/// The capacity of a drive, in whole logical blocks.
///
/// # Errors
/// A mode of collection without a merge; as for [`Capacity::of_whole_blocks`].
pub(super) fn capacity(input: &MappingInput<'_>) -> Result<Capacity, FtlError> {
    if input.config.gc.mode == GcMode::Partial {
        let accepted = format!(
            "\"foreground\", \"background\" or \"preemptible\" with ftl.mapping = \"{}\"",
            input.config.mapping.name()
        );
        return Err(FtlError::new("ftl.gc.mode", "\"partial\"", accepted));
    }
    Capacity::of_whole_blocks(input.geometry, &own_config(input.config))
}

/// Checks that merges can reach their goal while a share of the exported pages holds data.
///
/// # Errors
/// As for [`check_filled`].
pub(super) fn check_filled_share(input: &MappingInput<'_>, fill: f64) -> Result<(), FtlError> {
    let capacity = capacity(input)?;
    let pages = (capacity.user_pages as f64 * fill).round() as u64;
    check_filled(&capacity, input.geometry, pages)
}

/// Checks that merges can reach their goal: they free all blocks of a plane but one for each logical block that holds data.
///
/// # Errors
/// They cannot.
pub(super) fn check_filled(capacity: &Capacity, geometry: &Geometry, pages: u64) -> Result<(), FtlError> {
    let planes = u64::from(geometry.planes());
    let logical_blocks = pages
        .div_ceil(u64::from(geometry.pages_per_block))
        .div_ceil(planes);
    let most = u64::from(geometry.blocks_per_plane).saturating_sub(logical_blocks);
    capacity.check_high(most as u32, pages, || {
        format!(
            "a plane has {} blocks, and {logical_blocks} logical blocks hold data",
            geometry.blocks_per_plane
        )
    })
}

/// A count that is at least `least`.
///
/// # Errors
/// It is not.
pub(super) fn check_at_least(key: &'static str, found: u32, least: u32) -> Result<u32, FtlError> {
    if found < least {
        return Err(FtlError::new(key, found, format!("at least {least}")));
    }
    Ok(found)
}

/// Plans the erases of dead blocks, as many as a plan may have; how many.
pub(super) fn plan_erases(dead: &mut Vec<u32>, cause: Cause, plan: &mut Plan) -> u32 {
    let erases = dead.drain(..dead.len().min(MOST_ERASES));
    let before = plan.len();
    plan.extend(erases.map(|block| Step {
        work: Work::Erase {
            block: BlockId(block),
        },
        cause,
        acknowledges: false,
        after: 0,
        lpn: Lpn(0),
        token: NO_TOKEN,
    }));
    (plan.len() - before) as u32
}

/// The steps of a copy, after those of the mask `before` since programs of a block go in order; the mask for the next one.
pub(super) fn copy_steps(
    pages: &impl Relocate,
    (plane, source): (u32, u64),
    (token, cause): (u32, Cause),
    by_copy_back: bool,
    before: u64,
    plan: &mut Plan,
) -> u64 {
    let lpn = pages.owner(source).unwrap_or_default();
    let bitmap = pages.sectors(lpn);
    let target = Target::Frontier {
        frontier: GC,
        scope: Scope::Plane(PlaneId(plane)),
    };
    let step = |work, after, token| Step {
        work,
        cause,
        acknowledges: false,
        after,
        lpn: Lpn(lpn),
        token,
    };
    if by_copy_back {
        let copy_back = Work::CopyBack {
            source: Ppn(source),
            target,
            new_sectors: 0,
        };
        plan.push(step(copy_back, before, token));
    } else {
        let read = Work::Read {
            page: Ppn(source),
            bitmap,
            route: Route::Controller,
        };
        plan.push(step(read, 0, NO_TOKEN));
        let program = Work::Program {
            target,
            sectors: bitmap.count_ones() as u8,
            route: Route::Controller,
        };
        plan.push(step(program, before | 1 << (plan.len() - 1), token));
    }
    1 << (plan.len() - 1)
}
