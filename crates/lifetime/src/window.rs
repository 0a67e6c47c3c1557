//! What is measured in a window of simulated time.

use serde::{Deserialize, Serialize};
use wordline_cell::fence::RestHistogram;

/// Parts of a window; the spread of the erases over them gives their standard error.
pub(crate) const BATCHES: usize = 8;

/// A window of simulated time. A *group* consists of planes among which a page may go to any: in the long run its blocks
/// are erased equally often.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Window {
    /// Its length in nanoseconds.
    pub(crate) length: f64,
    /// Pages that the host wrote, and pages programmed.
    pub(crate) written: u64,
    pub(crate) programmed: u64,
    /// Erases of each block, but for those after a refresh where time is skipped.
    pub(crate) erases: Vec<u32>,
    /// Erases after a refresh.
    pub(crate) refreshes: u64,
    /// Equivalent events that each block gained.
    pub(crate) gains: Vec<f64>,
    /// Erases of each group, by batch.
    pub(crate) batches: Vec<[u64; BATCHES]>,
    /// Programs of each block.
    pub(crate) programs: Vec<u32>,
    /// Rests of each group: before programs, and before erases.
    pub(crate) rests: [Vec<RestHistogram>; 2],
}

impl Window {
    pub(crate) fn write_amplification(&self) -> f64 {
        self.programmed as f64 / self.written.max(1) as f64
    }

    /// Erases of the median block.
    pub(crate) fn median_erases(&self) -> u32 {
        let mut erases = self.erases.clone();
        let middle = erases.len() / 2;
        let (_, median, _) = erases.select_nth_unstable(middle);
        *median
    }

    /// Erases of all blocks but for those after a refresh.
    pub(crate) fn all_erases(&self) -> u64 {
        self.erases.iter().copied().map(u64::from).sum()
    }

    /// Mean and variance of the erases of a group in a batch.
    fn group(&self, group: usize) -> (f64, f64) {
        let batches = self.batches[group].map(|count| count as f64);
        let mean = batches.iter().sum::<f64>() / BATCHES as f64;
        let spread = batches
            .iter()
            .map(|count| (count - mean) * (count - mean))
            .sum::<f64>();
        (mean, spread / (BATCHES - 1) as f64)
    }

    /// Whether a later window agrees with this one: write amplification within 1 %, and the erase rates of at least nineteen
    /// in twenty groups within three standard errors, by the method of batch means.
    pub(crate) fn is_like(&self, later: &Self) -> bool {
        let change = later.write_amplification() / self.write_amplification() - 1.0;
        let differing = (0..self.batches.len())
            .filter(|group| {
                let ((mean, spread), (after, later_spread)) = (self.group(*group), later.group(*group));
                // erases in a batch are whole numbers: a difference of one half is none
                let error = ((spread + later_spread) / BATCHES as f64).sqrt() + 0.5;
                (after / later.length * self.length - mean).abs() > 3.0 * error
            })
            .count();
        change.abs() < 0.01 && differing * 20 <= self.batches.len()
    }
}
