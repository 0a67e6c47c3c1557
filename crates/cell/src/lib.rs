//! How reliable the data in a cell are: threshold voltages, raw bit error rates, wear, retention.
//!
//! Pure functions of parameters and state; nothing here knows of drives or traces. A drive needs `CellConfig` and
//! `Reliability`; everything else is for those who ask the physics itself.

mod age;
mod cell;
mod classes;
mod config;
mod disturb;
mod error;
mod error_retention;
pub mod fence;
mod file;
pub mod gauss;
mod heat;
mod ispp;
mod pages;
mod power;
mod power_law;
mod reliability;
mod solve;
mod step_table;
mod variation;
mod vth;
mod vth_shift;

pub use age::{AgeHook, age_hook};
pub use cell::{Cell, References};
pub use classes::BlockClass;
pub use config::{CellConfig, ProgramConfig, RberConfig, RberModel, VthConfig};
pub use disturb::{Disturbances, LaterPrograms, ProgramDisturb, ReadDisturb};
pub use error::CellError;
pub use error_retention::ErrorRetention;
pub use file::{BlockConfig, CellFile, LIBRARY, reference};
pub use heat::HeatLaw;
pub use ispp::Ispp;
pub use pages::{MAX_BITS, PageRates, Reading, label, page_of_boundary};
pub use power_law::{EarlyLoss, PowerLaw};
pub use reliability::{PageState, Reliability};
pub use solve::{Family, SIGMA_BRACKET, STEP_BRACKET};
pub use step_table::{StepTable, Wanted};
pub use variation::{Distribution, Variation, VariationConfig};
pub use vth::{Erased, Programmed, crossing};
pub use vth_shift::{ShiftConfig, VthShift};
