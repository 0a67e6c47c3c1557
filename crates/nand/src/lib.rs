//! HOW LONG an operation takes, and whether the medium allows it.
//!
//! Geometry and addresses, bus and array timing, page types, ISPP phases and the restrictions of
//! the medium. Knows nothing of mappings, queues or hosts.

mod address;
mod geometry;

pub use address::{BlockId, ChannelId, ChipId, DieId, PageAddress, PlaneId, Ppn};
pub use geometry::{Geometry, GeometryConfig, GeometryError};
