//! Why a drive cannot be aged.

use thiserror::Error;

use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::snapshot::SnapshotError;
use crate::space::FillError;

/// Why a drive cannot be aged.
#[derive(Debug, Error)]
pub enum AgeError {
    /// A value is out of range, or the drive has no room for its data.
    #[error(transparent)]
    Refused(#[from] FtlError),
    /// The drive was not fresh.
    #[error("only a fresh drive can be aged: {0}")]
    Fill(#[from] FillError),
    /// Overwriting came to a halt.
    #[error("ageing by overwriting: {0}")]
    Functional(#[from] FunctionalError),
    /// A saved state could not be loaded.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}
