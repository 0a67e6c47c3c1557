//! The data buffer of a controller as far as it needs no drive: its section of the configuration, and which page, or group
//! of pages, leaves it next.
//!
//! A policy knows slots: where the pages are kept, which requests they serve and how they get to flash is the drive's
//! affair. Each operation of a policy is O(1) or O(log n), amortised.

mod config;
mod policy;
mod registry;

pub use config::{BufferConfig, BufferUnit, WhenFull, WriteBack};
pub use policy::{Access, BufferPolicy, BufferRow, BuildBuffer, Eviction, Frame, Links, List, check_share};
pub use registry::policies;
