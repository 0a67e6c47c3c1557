//! How mappings and policies are registered: as every crate's rows are.

pub use wordline_keys::{AnyTable, Entry, Keys, Parameters, Registered, Row, Selected, Table};
