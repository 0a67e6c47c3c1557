//! A skip in one step, with which two half steps are compared.

use serde::{Deserialize, Serialize};
use wordline_cell::fence::WearState;

use crate::nearest_rank::nearest_rank;

/// Percentiles of wear that are compared; they are those of retention at 1, 10, 50 and 90.
const COMPARED_PERCENTILES: [usize; 4] = [99, 90, 50, 10];

/// A skip in one step, computed for comparison with the two half steps under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FullStep {
    /// When it ends, in nanoseconds since the start of the study.
    pub(crate) end: u64,
    /// Wear at the compared percentiles then.
    pub(crate) wear: [f64; COMPARED_PERCENTILES.len()],
    /// Share of the wear at its end that it added.
    pub(crate) wear_share: f64,
    /// Relative standard error of the rate by which it advanced wear.
    pub(crate) standard_error: f64,
}

/// Wear at the compared percentiles, by nearest rank.
pub(crate) fn percentiles(states: &[WearState]) -> [f64; COMPARED_PERCENTILES.len()] {
    let mut wear: Vec<f64> = states.iter().map(WearState::equivalent_events).collect();
    wear.sort_by(f64::total_cmp);
    COMPARED_PERCENTILES.map(|percent| {
        let rank = nearest_rank(percent, wear.len());
        wear.get(rank).copied().unwrap_or_default()
    })
}
