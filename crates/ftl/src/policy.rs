//! Policies: what they see of a drive, and one file for each.

pub(crate) mod victim;
pub(crate) mod wear;
