//! A study under way, in a file: a study resumed from it gives what an uninterrupted one gives, to the bit.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use thiserror::Error;
use wordline_config::Config;
use wordline_ftl::archive::ArchiveError;
use wordline_ftl::container::{ContainerError, Kind};

use crate::options::{Keep, LifetimeOptions};

pub(crate) const KIND: Kind = Kind {
    magic: b"WLYEARS\n",
    version: 15,
    name: "the state of a lifetime study",
};

/// Saving may take at most one part in so many of the time of a study.
const SAVING_ONE_IN: u32 = 20;

/// Why a study cannot be resumed.
#[derive(Debug, Error)]
pub enum StateError {
    /// The file cannot be written or read, or is of another kind.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// It belongs to another study.
    #[error(
        "{path} is the state of another study: {found} there, {expected} here; accepted is the same drive, workload and \
         options"
    )]
    OtherStudy {
        /// The file.
        path: PathBuf,
        /// Identity of its study.
        found: String,
        /// Identity of this study.
        expected: String,
    },
    /// Its content fits no drive of this configuration.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        error: ArchiveError,
    },
}

/// What makes a study this one: a hash of the drive, the workload and all options that have an influence on what is
/// found, in 32 hexadecimal digits. A trace enters it by its name.
#[must_use]
pub fn identity(config: &Config, options: &LifetimeOptions) -> String {
    let found = LifetimeOptions {
        keep: Keep::default(),
        ..options.clone()
    };
    // as text: numbers are printed so that every bit of theirs counts
    let text = format!("{config:?}\n{found:?}");
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// When the state was saved last, and how long that took: the next save follows when it costs little of the time since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SaveSchedule {
    last: Option<(Instant, Duration)>,
}

impl SaveSchedule {
    /// Whether the state is to be saved now.
    pub(crate) fn is_due(self) -> bool {
        self.last
            .is_none_or(|(at, cost)| at.elapsed() >= cost * SAVING_ONE_IN)
    }

    /// A save that began then has ended.
    pub(crate) fn end_save(&mut self, begun: Instant) {
        self.last = Some((Instant::now(), begun.elapsed()));
    }
}
