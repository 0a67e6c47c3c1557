//! Which plane a logical page goes to: static orders and dynamic allocation (Hu et al. 2011).

mod channel_turns;
mod config;
mod dynamic_order;
mod kept_dies;
mod order;
mod placement;
mod round_robin;
mod static_order;

pub use channel_turns::ChannelTurns;
pub use config::{ActiveBlock, AllocationConfig, AllocationMode, DynamicMode, Planes};
pub use dynamic_order::DynamicOrder;
pub use kept_dies::KeptDies;
pub use order::{Level, Order, OrderError};
pub(crate) use placement::HostPlacement;
pub use round_robin::RoundRobin;
pub use static_order::StaticOrder;
