//! The bound of what refresh can do.

use super::remaining::REMAINING;
use super::{RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "oracle"`.
pub(crate) const ORACLE: RefreshRow = RefreshRow::new(
    "oracle",
    "As `remaining`, at the moment at which a block is due, at no cost in time, wear and space: an upper bound.",
    match REMAINING.rule {
        Some(rule) => Some(RefreshRule {
            is_free: true,
            ..rule
        }),
        None => None,
    },
);
