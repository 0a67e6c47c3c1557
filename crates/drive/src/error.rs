//! Why a run could not be finished.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use wordline_cell::fence::ParamError;
use wordline_config::{ChipProblem, ConfigError, LATEST, ReliabilityError};
use wordline_ftl::functional::FunctionalError;
use wordline_ftl::snapshot::SnapshotError;
use wordline_ftl::{AgeError, FtlError, PlanError, RecoveryError};
use wordline_nand::GeometryError;
use wordline_units::{Celsius, SimTime, grouped};
use wordline_workload::{SourceError, WorkloadError};

/// Why a run could not be started or finished.
#[derive(Debug, Error)]
pub enum RunError {
    /// The configuration is not acceptable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The array cannot be built.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The timing or the page types of the array make no sense.
    #[error(transparent)]
    Array(#[from] wordline_nand::ConfigError),
    /// The drive cannot have its chip.
    #[error("power.chip: {0}")]
    Chip(#[from] ChipProblem),
    /// The drive cannot have its reliability.
    #[error(transparent)]
    Reliability(#[from] ReliabilityError),
    /// The retention of its blocks cannot be computed.
    #[error(transparent)]
    Retention(#[from] ParamError),
    /// The FTL cannot be built.
    #[error(transparent)]
    Ftl(#[from] FtlError),
    /// The drive cannot be aged as asked.
    #[error(transparent)]
    Age(AgeError),
    /// The drive's state could not be saved.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The file of the timeline cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Timeline {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The maps of the drive would not fit into memory.
    #[error(
        "{}", grouped(&format!("the maps of a drive of {pages} pages need about {needed_mb} MB of memory and {available_mb} MB are \
         available: make `geometry` smaller, or pages (geometry.page_size) or mapping units (ftl.mapping_unit) larger"))
    )]
    Memory {
        /// Physical pages of the drive.
        pages: u64,
        /// Estimate in 10^6 B.
        needed_mb: u64,
        /// What the system has, in 10^6 B.
        available_mb: u64,
    },
    /// What the auditor knows of the pages of the drive would not fit into memory.
    #[error(
        "an audit of {pages} pages needs about {needed_mb} MB of memory beside the drive and {available_mb} MB are available: run without \
         `--audit`, or make `geometry` smaller"
    )]
    AuditMemory {
        /// Physical pages of the drive.
        pages: u64,
        /// Estimate in 10^6 B.
        needed_mb: u64,
        /// What the system has, in 10^6 B.
        available_mb: u64,
    },
    /// The warm-up leaves nothing to be measured.
    #[error("{key} = {length}: {problem}")]
    WarmUp {
        /// What sets it.
        key: &'static str,
        /// How long it is.
        length: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The workload cannot be opened.
    #[error(transparent)]
    Workload(WorkloadError),
    /// Requests could not be executed without a clock.
    #[error("between two windows: {0}")]
    Functional(FunctionalError),
    /// What the buffer held could not be written before the state of the drive was saved.
    #[error("before the state is saved: {0}")]
    Flush(FunctionalError),
    /// The workload of a tenant cannot be opened.
    #[error("tenant `{tenant}`: {problem}")]
    Tenant {
        /// Its name.
        tenant: String,
        /// What is wrong.
        problem: String,
    },
    /// The workload broke off.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The FTL asked the medium for something that it forbids: a defect of ours.
    #[error("at {at}: the FTL broke a rule of the medium: {violation}")]
    Medium {
        /// When.
        at: SimTime,
        /// Which rule, and where.
        violation: String,
    },
    /// The auditor found a broken rule: a defect of ours.
    #[error("audit: {0}")]
    Audit(String),
    /// The drive does not hold, or has not brought, what was written to it: a defect of ours.
    #[error("data: {0}")]
    Data(String),
    /// Nothing can happen any more, although requests are unfinished.
    #[error(
        "at {at}: {requests} requests are unfinished and {waiting} flash operations wait, but no block can be \
         reclaimed: every block that garbage collection may take is full of valid pages; give the drive more \
         spare space (ftl.over_provisioning) or write less of it"
    )]
    Stalled {
        /// When.
        at: SimTime,
        /// Requests unfinished.
        requests: u64,
        /// Flash operations queued.
        waiting: u32,
    },
    /// Events pass, and nothing that they could be for moves: a defect of ours.
    #[error("at {at}: no request, flash operation or job has moved for {events} events; {waiting}")]
    NothingMoves {
        /// When.
        at: SimTime,
        /// Events since anything moved.
        events: u64,
        /// What waits for what.
        waiting: String,
    },
    /// The drive is too warm to take up the commands that it holds back, and will be for ever.
    #[error(
        "at {at}: the drive is stopped by its temperature and will never be colder than {coldest}: {held} commands are held back until it is below \
         {needed} (thermal.cctemp less thermal.hysteresis), and what it takes while it holds them back (power.controller where other commands of \
         their requests are in the drive, as with host.max_transfer, or else power.idle; power.dram) warms it by more than that \
         (thermal.resistance) above thermal.ambient; lower one of these, or raise thermal.cctemp"
    )]
    TooHot {
        /// When.
        at: SimTime,
        /// Commands that are held back.
        held: u64,
        /// The temperature that it comes to.
        coldest: Celsius,
        /// The temperature below which it takes up commands.
        needed: Celsius,
    },
    /// So many blocks have failed that collection has no page left to move data to.
    #[error(
        "at {at}: {requests} requests are unfinished and {waiting} flash operations wait, and collection has no page to \
         move data to: {failures} programs and erases have failed, {unreadable} blocks are not read any more, and \
         {retired} blocks are retired; lower the shares \
         of ftl.failures, give the drive more in reserve (ftl.gc.reserve_blocks) or more spare space \
         (ftl.over_provisioning), or have it read-only earlier (ftl.failures.min_spare)"
    )]
    WornOut {
        /// When.
        at: SimTime,
        /// Requests unfinished.
        requests: u64,
        /// Flash operations queued.
        waiting: u32,
        /// Programs and erases that have failed.
        failures: u64,
        /// Blocks that are not read any more, as too many of their pages could not be.
        unreadable: u64,
        /// Blocks that are not used any more.
        retired: u64,
    },
    /// The drive cannot be built anew from what a power cut left on its flash.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// Ageing took more time than the clock is made for.
    #[error(
        "the drive would be {age} old, which is more than {}, what the clock is made for: shorten age.time_per_write \
         or age.storage",
        LATEST
    )]
    TooOld {
        /// How old it would be.
        age: SimTime,
    },
    /// Simulated time has passed what the clock is made for.
    #[error(
        "at {at}: simulated time has passed {}, which is more than the clock is made for: shorten the steps or the \
         pauses of the drive and its workload",
        LATEST
    )]
    Endless {
        /// When the last event before that was.
        at: SimTime,
    },
    /// The FTL broke the contract of plans: a defect of ours.
    #[error("at {at}: the FTL broke the contract of plans: {problem}")]
    Plan {
        /// When.
        at: SimTime,
        /// How.
        problem: PlanError,
    },
    /// The FTL planned a step that this drive has no unit for: a defect of ours.
    #[error("at {at}: the FTL planned a step that this drive has no unit for: {step}")]
    NoUnit {
        /// When.
        at: SimTime,
        /// The step.
        step: String,
    },
    /// The user stopped it before there was anything to sum up, or did not let the requests under way end.
    #[error("interrupted")]
    Interrupted,
}

impl From<AgeError> for RunError {
    fn from(error: AgeError) -> Self {
        match error {
            AgeError::Interrupted => Self::Interrupted,
            error => Self::Age(error),
        }
    }
}

impl From<WorkloadError> for RunError {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Interrupted => Self::Interrupted,
            error => Self::Workload(error),
        }
    }
}

impl RunError {
    /// Whether the fault lies in what the user gave, not in Wordline.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            Self::Medium { .. }
                | Self::Audit(_)
                | Self::Data(_)
                | Self::Plan { .. }
                | Self::NoUnit { .. }
                | Self::NothingMoves { .. }
                | Self::Interrupted
        )
    }
}
