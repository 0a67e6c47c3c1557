//! Configuration: the sections of a drive and a workload, and the loader that resolves them from
//! presets, files and overrides.
//!
//! The schema stands once, in serde types with doc comments: here, and in the crates that the
//! sections belong to. Validation, JSON Schema, the reference page and Python's keyword
//! overrides are derived from it.
//!
//! What a configuration means for the parts of a drive together, and what is therefore checked before anything is built,
//! is here too: the array as the drive addresses it (`array`), its chip (`chip`), cells and code (`reliability`). The drive
//! builds the same from it, and nothing of the drive is imported: a kind of policy whose rows are read here stands in a crate below.
//!
//! Which keys have no effect in combination with others follows from the rows of mappings and policies, and for the other
//! keys from the rules that each section's type declares (`RULES` of `Section`).

mod array;
mod block_classes;
mod bounds;
mod capacity;
mod cell;
mod check;
mod chip;
mod compat;
mod compose;
mod conflict;
pub mod conflicts;
mod error;
mod firmware;
mod hold_up;
mod host;
mod ineffective_keys;
mod key_index;
mod load;
mod merged;
mod modes;
mod power;
mod power_limits;
mod presets;
mod reading;
mod recovery;
mod reference;
mod refresh;
mod reliability;
mod remarks;
mod request_metadata;
mod run;
mod scheduler;
mod schema;
mod share_counts;
mod slc_cache;
mod source;
mod table;
mod tenant;
#[cfg(test)]
mod tests;
mod thermal;
mod zones;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_buffer::BufferConfig;
use wordline_cell::{RberConfig, VthConfig};
use wordline_ecc::EccConfig;
use wordline_ftl::{
    AgeConfig, AllocationConfig, FailuresConfig, FtlConfig, GcConfig, LocalConfig, PageModesConfig,
    RecoveryConfig, RefreshConfig, SlcCacheConfig,
};
use wordline_keys::{Rule, Section};
use wordline_metrics::OutputConfig;
use wordline_nand::{CommandsConfig, GeometryConfig, NandConfig, RestrictionsConfig, TimingConfig};
use wordline_workload::WorkloadConfig;

pub use cell::CellSection;
pub use chip::ChipProblem;
pub use compat::CompatConfig;
pub use compose::DriveSource;
pub use error::ConfigError;
pub use firmware::FirmwareConfig;
pub use host::{
    Acknowledge, Arbitration, EmmcBus, EmmcConfig, HostConfig, InterfaceKind, NvmeConfig, PcieConfig,
    SataConfig, UfsConfig,
};
pub use load::{Resolved, check_workload, resolve};
pub use modes::ModeConfig;
pub use power::{Pattern, PowerConfig};
pub use power_limits::IdleState;
pub use presets::presets;
pub use reading::resolve_trace;
pub use reference::reference;
pub use reliability::ReliabilityError;
pub use request_metadata::RequestMetadata;
pub use run::{LATEST, RunConfig, WarmUp};
pub use scheduler::{
    BusyGrain, ChannelOrder, ProgramSuspend, ProgramUnderWrites, ReadInFlight, Reference, SchedulerConfig,
    SuspensionConfig,
};
pub use schema::schema;
pub use tenant::{Priority, TenantConfig};
pub use thermal::ThermalConfig;

/// What the sections say of keys that have an effect only under conditions; a section comes before those in it.
const RULES: &[(&str, &[Rule])] = &[
    ("timing", TimingConfig::RULES),
    ("commands", CommandsConfig::RULES),
    ("nand", NandConfig::RULES),
    ("allocation", AllocationConfig::RULES),
    ("ftl.gc", GcConfig::RULES),
    ("ftl.failures", FailuresConfig::RULES),
    ("ftl.recovery", RecoveryConfig::RULES),
    ("ftl.refresh", RefreshConfig::RULES),
    ("ftl.modes", PageModesConfig::RULES),
    ("ftl.slc_cache", SlcCacheConfig::RULES),
    ("ftl.local", LocalConfig::RULES),
    ("age", AgeConfig::RULES),
    ("scheduler", SchedulerConfig::RULES),
    ("firmware", FirmwareConfig::RULES),
    ("buffer", BufferConfig::RULES),
    ("host", HostConfig::RULES),
    ("ecc", EccConfig::RULES),
    ("cell", CellSection::RULES),
    ("cell.vth", VthConfig::RULES),
    ("cell.rber", RberConfig::RULES),
    ("power", PowerConfig::RULES),
    ("thermal", ThermalConfig::RULES),
    ("compat", CompatConfig::RULES),
    ("workload", WorkloadConfig::RULES),
    ("tenants.<name>", TenantConfig::RULES),
];

/// A drive and its workload. Every section may be left out; every key has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Seed of the random streams of drive and ageing: the same seed gives the same bytes.
    pub seed: u64,
    /// The array.
    pub geometry: GeometryConfig,
    /// How long the steps of an operation take.
    pub timing: TimingConfig,
    /// Advanced commands that the drive uses.
    pub commands: CommandsConfig,
    /// What the medium does not allow.
    pub restrictions: RestrictionsConfig,
    /// Features of the flash die beyond the basic commands.
    pub nand: NandConfig,
    /// Modes in which pages can be programmed beside the normal one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<ModeConfig>,
    /// Where logical pages are placed.
    pub allocation: AllocationConfig,
    /// The flash translation layer.
    pub ftl: FtlConfig,
    /// The state that the run starts from.
    pub age: AgeConfig,
    /// Which ready flash operation starts next.
    pub scheduler: SchedulerConfig,
    /// The controller's CPU.
    pub firmware: FirmwareConfig,
    /// The write buffer.
    pub buffer: BufferConfig,
    /// How host commands enter the drive.
    pub host: HostConfig,
    /// Which code protects the pages.
    pub ecc: EccConfig,
    /// Error model of the cells.
    pub cell: CellSection,
    /// Energy of the run.
    pub power: PowerConfig,
    /// Temperature of the drive.
    pub thermal: ThermalConfig,
    /// What another simulator does that hardware does not.
    pub compat: CompatConfig,
    /// Where host commands come from.
    pub workload: WorkloadConfig,
    /// Several workloads at the same time, by name, each with its own queue, instead of
    /// `[workload]`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tenants: BTreeMap<String, TenantConfig>,
    /// Which part of a run is measured.
    #[serde(skip_serializing_if = "RunConfig::is_default")]
    pub run: RunConfig,
    /// What the run records.
    pub output: OutputConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 1,
            geometry: GeometryConfig::default(),
            timing: TimingConfig::default(),
            commands: CommandsConfig::default(),
            restrictions: RestrictionsConfig::default(),
            nand: NandConfig::default(),
            modes: Vec::new(),
            allocation: AllocationConfig::default(),
            ftl: FtlConfig::default(),
            age: AgeConfig::default(),
            scheduler: SchedulerConfig::default(),
            firmware: FirmwareConfig::default(),
            buffer: BufferConfig::default(),
            host: HostConfig::default(),
            ecc: EccConfig::default(),
            cell: CellSection::default(),
            power: PowerConfig::default(),
            thermal: ThermalConfig::default(),
            compat: CompatConfig::default(),
            workload: WorkloadConfig::default(),
            tenants: BTreeMap::new(),
            run: RunConfig::default(),
            output: OutputConfig::default(),
        }
    }
}
