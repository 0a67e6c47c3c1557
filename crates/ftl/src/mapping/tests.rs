//! Tests of all mappings.

mod costs;
