//! Why a drive cannot be served.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use wordline_drive::RunError;
use wordline_workload::WorkloadError;

/// Why a drive cannot be served, or is not served any more.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The drive.
    #[error(transparent)]
    Drive(#[from] RunError),
    /// The trace of what was asked.
    #[error(transparent)]
    Trace(#[from] WorkloadError),
    /// A key or an option that does not go with a live drive: which one, what was found, what is accepted.
    #[error("{0}")]
    Refused(String),
    /// The file of the data.
    #[error("{0}: {1}")]
    Data(PathBuf, #[source] io::Error),
    /// The file of the data belongs to another server.
    #[error("{0}: another server has its data there; name another file, or stop that server")]
    DataInUse(PathBuf),
    /// The file of the data does not fit.
    #[error(
        "{path}: has {length} bytes, more than the {size} that are exported; name another file, or a larger drive or --size"
    )]
    DataTooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        length: u64,
        /// Bytes of the device.
        size: u64,
    },
    /// An address to listen at.
    #[error("{0}: {1}")]
    Socket(String, #[source] io::Error),
    /// Somebody listens there.
    #[error("{0}: another server listens there; name another socket, or stop that server")]
    SocketInUse(String),
    /// The machine refuses something else.
    #[error("{0}: {1}")]
    System(&'static str, #[source] io::Error),
}

impl LiveError {
    /// Whether the user can do something about it: everything but a defect of the simulator.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::Drive(error) => error.is_input(),
            _ => true,
        }
    }
}
