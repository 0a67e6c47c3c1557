//! Policies: what they see of a drive, and one file for each.

pub mod hot_cold;
pub mod mode;
pub mod placement;
pub(crate) mod refresh;
pub mod victim;
pub mod wear;
