//! Why a lifetime study could not be finished.

use thiserror::Error;
use wordline_cell::fence::ParamError;
use wordline_config::ConfigError;
use wordline_drive::RunError;
use wordline_ftl::archive::ArchiveError;
use wordline_ftl::functional::FunctionalError;
use wordline_workload::{SourceError, WorkloadError};

use crate::state::StateError;

/// Why a lifetime study could not be started or finished.
#[derive(Debug, Error)]
pub enum LifetimeError {
    /// The options of the study, or the configuration of its drive, are not acceptable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The cell is none that the model describes.
    #[error("cell: {0}")]
    Cell(#[from] ParamError),
    /// The drive cannot be built or brought to its age.
    #[error(transparent)]
    Drive(RunError),
    /// The functional mode cannot go on.
    #[error(transparent)]
    Functional(#[from] FunctionalError),
    /// The workload cannot be opened.
    #[error(transparent)]
    Workload(WorkloadError),
    /// The workload ended with an error.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The state of the study cannot be saved or resumed from.
    #[error(transparent)]
    State(#[from] StateError),
    /// The state of the FTL cannot be copied for a sample with a clock.
    #[error("the drive of a study cannot be copied: {0}")]
    Copy(#[from] ArchiveError),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl From<RunError> for LifetimeError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Self::Interrupted,
            error => Self::Drive(error),
        }
    }
}

impl From<WorkloadError> for LifetimeError {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Interrupted => Self::Interrupted,
            error => Self::Workload(error),
        }
    }
}

impl LifetimeError {
    /// Whether the fault lies in what the user gave, not in Wordline.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::Drive(error) => error.is_input(),
            Self::Functional(error) => !matches!(
                error,
                FunctionalError::Stuck(_) | FunctionalError::Plan(_) | FunctionalError::Medium(_)
            ),
            Self::Interrupted | Self::Copy(_) => false,
            Self::Config(_) | Self::Cell(_) | Self::Workload(_) | Self::Source(_) | Self::State(_) => true,
        }
    }
}
