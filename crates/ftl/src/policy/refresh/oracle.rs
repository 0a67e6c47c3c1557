//! The bound of what refresh can do.

use super::edf::EDF;
use super::{RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "oracle"`.
pub(crate) const ORACLE: RefreshRow = RefreshRow::new(
    "oracle",
    "At its deadline, at no cost in time, wear and space: an upper bound.",
    match EDF.rule {
        Some(rule) => Some(RefreshRule {
            is_free: true,
            ..rule
        }),
        None => None,
    },
);
