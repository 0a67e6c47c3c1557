//! Many drives at once, whose cells vary from block to block (section 12 of the specification).
//!
//! No policy looks at retention, so that the FTL does the same in every drive: it runs once, and the wear of the blocks of all
//! drives follows its events.

use wordline_cell::fence::{Place, Representative, Variation, VariedCells, WearState};
use wordline_config::ConfigError;
use wordline_metrics::available_memory_bytes;

use crate::nearest_rank::nearest_rank;

/// Drives that are studied together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetOptions {
    /// How many.
    pub drives: u32,
    /// How their cells vary from block to block.
    pub variation: Variation,
}

/// Drives that can be studied together.
const MOST_DRIVES: u64 = 10_000;
/// Blocks of all of them.
const MOST_BLOCKS: u64 = 1 << 26;
/// Bytes of a block of a drive, with what a skip adds to it, which may be undone.
const BLOCK_BYTES: u64 = (size_of::<Place>() + 2 * size_of::<f64>()) as u64;

impl FleetOptions {
    /// # Errors
    /// No drive, or more drives of so many blocks than can be studied or than fit into the available memory.
    pub(crate) fn check(&self, blocks: u32) -> Result<(), ConfigError> {
        let room = available_memory_bytes().map_or(u64::MAX, |bytes| bytes / BLOCK_BYTES);
        let most = MOST_DRIVES.min(MOST_BLOCKS.min(room) / u64::from(blocks.max(1)));
        if (1..=most).contains(&u64::from(self.drives)) {
            return Ok(());
        }
        let problem = format!("accepted are numbers from 1 to {most} for drives of {blocks} blocks");
        Err(ConfigError::key(
            None,
            format!("drives = {}", self.drives),
            problem,
        ))
    }
}

/// The tenth percentile of retention at 30 degC of each drive, in seconds, by nearest rank.
pub(crate) fn tenths(cells: &VariedCells, states: &[WearState]) -> Vec<f64> {
    let rests: Vec<f64> = states
        .iter()
        .map(|state| state.rest(Representative::LastCycle))
        .collect();
    let rank = nearest_rank(10, states.len());
    (0..cells.drives())
        .map(|drive| {
            let mut retentions: Vec<f64> = rests
                .iter()
                .enumerate()
                .map(|(block, rest)| cells.retention(block, drive, *rest))
                .collect();
            let (_, tenth, _) = retentions.select_nth_unstable_by(rank, f64::total_cmp);
            *tenth
        })
        .collect()
}
