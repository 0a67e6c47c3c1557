//! HOW LONG an operation takes, and whether the medium allows it.
//!
//! Geometry and addresses, bus and array timing, page types, ISPP phases and the restrictions of
//! the medium. Knows nothing of mappings, queues or hosts.

mod address;
mod cell_type;
mod commands;
mod config;
mod error;
mod geometry;
mod interface;
mod medium;
mod mode;
mod page_layout;
mod page_types;
mod phase;
mod program_order;
mod restrictions;
mod suspension;
mod timing;
mod violation;

pub use address::{BlockId, ChannelId, ChipId, DieId, PageAddress, PlaneId, Ppn};
pub use cell_type::CellType;
pub use commands::{CommandsConfig, Search, UnusedKey, Use};
pub use config::{NandConfig, SuspendStyle, SuspendSupport, VendorConfig};
pub use error::ConfigError;
pub use geometry::{Geometry, GeometryConfig, GeometryError};
pub use interface::{ByteTime, INTERFACES, Interface};
pub use medium::{Medium, PageState};
pub use mode::{MAX_MODES, Mode};
pub use page_layout::PageLayout;
pub use page_types::{MAX_PAGE_TYPES, PageType, PageTypes};
pub use phase::{Phase, Shape};
pub use program_order::{ProgramOrder, WordLines};
pub use restrictions::RestrictionsConfig;
pub use suspension::{Method, Progress, Redo, Span, Stack, Stage, SuspendRules, Suspendable, VendorTimes};
pub use timing::{
    ArrayStep, CommandCycles, Operation, Part, PerPageType, Select, Timing, TimingConfig, TimingModel,
};
pub use violation::{Access, Rule, Violation};
