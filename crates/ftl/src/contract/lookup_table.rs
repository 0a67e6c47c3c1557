//! The table of a mapping.

use crate::table_cost::TableCost;

/// A mapping that says what its table costs.
pub trait LookupTable {
    /// What a controller takes to know where the logical pages are, worked out afresh.
    fn table_cost(&self) -> TableCost;
}
