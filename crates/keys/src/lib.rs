//! What every section of a configuration says of its keys: rows (policies, mappings) that are chosen by name and bring keys of
//! their own, conditions under which keys have an effect, and values that are refused.

mod conditions;
pub mod limits;
mod refused;
mod rows;
mod selected;

pub use conditions::{Rule, Section, When};
pub use refused::RefusedValue;
pub use rows::{AnyTable, Entry, Keys, Registered, Row, Table};
pub use selected::{Parameters, Selected};
