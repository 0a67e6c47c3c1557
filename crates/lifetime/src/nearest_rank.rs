//! Percentiles by nearest rank.

/// The place of a percentile among so many sorted values, by nearest rank.
pub(crate) fn nearest_rank(percent: usize, values: usize) -> usize {
    (percent * values).div_ceil(100).max(1) - 1
}
