//! The tables of mappings and policies: a row each.

mod mappings;
mod policies;

pub use mappings::{
    build, check_filled, exported_pages, mappings, unit_geometry, uses_host_memory, zone_layout,
};
pub use policies::policies;
