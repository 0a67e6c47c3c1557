//! Mappings: one file or folder each.

pub(crate) mod page;
