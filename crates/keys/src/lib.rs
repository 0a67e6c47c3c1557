//! What every section of a configuration says of its keys: rows (policies, mappings) that are chosen by name and bring keys of
//! their own, and values that are refused.

mod refused;
mod rows;
mod selected;

pub use refused::RefusedValue;
pub use rows::{AnyTable, Entry, Keys, Registered, Row, Table};
pub use selected::{Parameters, Selected};
