//! What collection has to work with.

use wordline_config::Config;
use wordline_ftl::analytic::beside_reserve;
use wordline_ftl::{Mapping, Pool, Subjects};
use wordline_nand::Geometry;

use super::Blocks;
use crate::features::Features;
use crate::kernel::Drive;

/// The array as collection sees it.
pub(super) fn collected_geometry(ftl: &dyn Mapping) -> &Geometry {
    let collected = ftl.collected_space();
    collected.map_or_else(|| ftl.unit_geometry(), |collected| collected.collected_geometry())
}

/// The reserve correction of write amplification (FTL specification, section 9.2): mapped pages over the pages that data
/// can occupy, with `free` mean free blocks in each pool and half of each open block deducted. `None` where the drive was
/// mostly empty for so long that less than its data now occupy is left by that.
pub(super) fn effective_utilization<F: Features>(
    config: &Config,
    drive: &Drive<F>,
    blocks: &Blocks,
    free: f64,
) -> Option<f64> {
    let geometry = collected_geometry(drive.control().ftl());
    let pools = match config.ftl.gc.pool {
        Pool::Plane => geometry.planes(),
        Pool::Die => geometry.dies(),
        Pool::Chip => geometry.chips(),
        Pool::Channel => geometry.channels,
        Pool::Drive => 1,
    };
    let free = f64::from(pools) * free;
    let together = drive.array().geometry().blocks() / geometry.blocks();
    let open = u32::try_from(blocks.open).unwrap_or(u32::MAX) / together;
    beside_reserve(
        blocks.census.mapped,
        geometry.pages(),
        geometry.pages_per_block,
        free,
        open,
    )
    .ok()
}
