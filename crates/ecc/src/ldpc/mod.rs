//! LDPC codes with soft sensing: a page that is noisy is sensed with more reference voltages.
//!
//! After K. Zhao et al., LDPC-in-SSD (FAST 2013), and J. Cui et al., DLV (IEEE TCAD 2018).

mod config;
mod information;
mod level;
mod read;
mod start_ages;
mod start_tables;
mod thresholds;
mod times;

pub use config::{LdpcConfig, StartConfig, StartRule, ThresholdsConfig, ThresholdsRule};
pub use information::information;
pub use level::{LEVELS, Level};
pub use read::{Ldpc, Read, Start};
pub use start_ages::{
    ENTRIES, InitialAges, InitialRule, MOST_DAYS, Relax, StartAges, StartAgesConfig, needed_from,
};
pub use start_tables::StartTables;
pub use thresholds::Thresholds;
pub use times::{Retry, SensingTimes};
