//! What every floor of Wordline shares: simulated time, byte sizes, transfer rates, physical quantities, seeded
//! random streams and permutations, fast division, memory that is looked up at random, and the words that users misspell. Quantities
//! carry their unit in configuration (`"25 us"`, `"16 KiB"`, `"333 MT/s"`) and are newtypes in code; shares are numbers or
//! percentages (`0.07`, `"7%"`).

mod divider;
mod grouped;
mod large_pages;
mod nearest;
mod parse;
mod permutation;
mod physical;
mod prefetch;
mod quantity;
mod seed;
mod share;
mod time;

pub use divider::Divider;
pub use grouped::grouped;
pub use large_pages::ask_for_large_pages;
pub use nearest::{did_you_mean, nearest, with_meant_choice};
pub use parse::ParseError;
pub use permutation::Permutation;
pub use physical::{
    ByteRate, Celsius, Concentration, Current, Energy, HeatCapacity, Length, PhysicalError, Power,
    Temperature, ThermalResistance, Voltage,
};
pub use prefetch::prefetch;
pub use quantity::{ByteSize, Frequency, TransferRate};
pub use seed::{Seed, Stream};
pub use share::{Share, optional_share, share};
pub use time::{Duration, SimTime};

/// Bytes in a sector, the unit in which hosts address a drive.
pub const SECTOR_BYTES: u32 = 512;
