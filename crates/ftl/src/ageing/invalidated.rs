//! Method A: part of every plane is consumed, without live data (SSDsim).

use wordline_nand::{BlockId, PlaneId};
use wordline_units::SimTime;

use super::{AgeConfig, AgeError, Aged, fillable};
use crate::contract::Mapping;
use crate::plan::HOST;
use crate::space::Filling;

/// In every plane, block by block until `ratio` of its pages are consumed, the first
/// min(b, ceil(ratio b + 1)) pages of each block are programmed and invalid. The block is closed
/// then, its last pages free: collection can erase it at once and has nothing to move, as in
/// SSDsim, where any block but the active one is a candidate.
pub(super) fn age(ftl: &mut dyn Mapping, config: &AgeConfig) -> Result<Aged, AgeError> {
    let geometry = *ftl.geometry();
    let b = geometry.pages_per_block;
    // Products that miss a whole number by the rounding of the ratio are that number.
    let ceil = |value: f64| (value - 1e-9).ceil().max(0.0);
    let per_block = b.min(ceil(config.ratio * f64::from(b) + 1.0) as u32);
    let wanted = ceil(config.ratio * geometry.pages_per_plane() as f64) as u64;
    let blocks = wanted
        .div_ceil(u64::from(per_block))
        .min(u64::from(geometry.blocks_per_plane)) as u32;
    let ageable = fillable(ftl)?;
    for plane in (0..geometry.planes()).map(PlaneId) {
        for index in 0..blocks {
            let block: BlockId = geometry.block(plane, index);
            ageable.consume_block(&Filling {
                block,
                written: per_block,
                frontier: HOST,
                erase_count: config.initial_cycles,
                closed_order: index,
            })?;
        }
    }
    ageable.finish_fill(SimTime::ZERO);
    let pages = u64::from(blocks) * u64::from(per_block);
    Ok(Aged {
        notes: vec![format!(
            "Preconditioned by invalidation: {per_block} of {b} pages of {blocks} of {} blocks of every plane are consumed \
             ({pages} pages), none with live data, so the first collections move nothing.",
            geometry.blocks_per_plane
        )],
        now: SimTime::ZERO,
        amplification: None,
    })
}
