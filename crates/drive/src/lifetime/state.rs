//! A study under way, in a file: to go on from it gives what an uninterrupted study gives, to the bit.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use thiserror::Error;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::container::{self, ContainerError, Kind};

use super::engine::Engine;
use super::options::{Keep, LifetimeEvent, LifetimeOptions};
use crate::config::Config;
use crate::error::RunError;

pub(super) const KIND: Kind = Kind {
    magic: b"WLYEARS\n",
    version: 5,
    name: "the state of a lifetime study",
};

/// Saving may take one part in so many of the time of a study.
const SPARING: u32 = 20;

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
    /// What is in it fits no drive of this configuration.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: PathBuf,
        /// How that shows.
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
    // as text: what is printed of a number tells all of its bits
    let text = format!("{config:?}\n{found:?}");
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// When the state was last saved, and how long that took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    last: Option<(Instant, Duration)>,
}

impl Pace {
    fn is_due(self) -> bool {
        self.last.is_none_or(|(at, cost)| at.elapsed() >= cost * SPARING)
    }
}

impl Engine<'_> {
    /// Hands over all that changes in a study.
    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.skipped)?;
        archive.part(&mut self.looks)?;
        archive.part(&mut self.control)?;
        archive.part(&mut self.method)?;
        self.simulation.archive(archive)?;
        archive.end()?;
        if archive.is_loading() {
            self.check()
        } else {
            Ok(())
        }
    }

    /// Bytes that no state of the study reaches, so that a file cannot claim more memory than the study may.
    fn most_bytes(&self) -> u64 {
        let sizes = self.simulation.wear().sizes();
        let geometry = self.simulation.ftl().geometry();
        let (blocks, drives) = (sizes.blocks as u64, sizes.drives() as u64);
        let looks = self.options.horizon.ns() / self.options.every.ns() + 2;
        let held = self
            .options
            .keep
            .blocks_every
            .map_or(0, |every| looks / every + 1);
        // requests known ahead, of which the deallocations between two writes may be many
        const REQUESTS: u64 = 1 << 24;
        // both directions of the map, bitmaps and copy-backs
        let of_pages = 48 * geometry.pages();
        // the FTL's tables, wear, two windows, sixteen epochs and a skip
        let of_blocks = blocks * (512 + 16 * drives) + 512 * u64::from(geometry.planes());
        // distributions of rests of 1,044 bytes
        let of_groups = (48 << 10) * sizes.groups as u64;
        let of_looks = (looks + 2 * self.options.temperature.len() as u64) * (256 + 8 * drives);
        REQUESTS + of_pages + of_blocks + of_groups + 2 * of_looks + held * (256 + 64 * blocks)
    }

    /// Saves the state between two windows, if that is asked for and due.
    pub(super) fn save_now_and_then(&mut self) -> Result<(), RunError> {
        let Some(path) = self.options.keep.state.as_deref() else {
            return Ok(());
        };
        if !self.pace.is_due() {
            return Ok(());
        }
        let begun = Instant::now();
        container::write(path, KIND, |out| {
            let mut archive = Archive::saving(out);
            let mut identity = self.identity.clone();
            archive
                .part(&mut identity)
                .and_then(|()| self.archive(&mut archive))
                .map_err(io::Error::other)
        })
        .map_err(StateError::File)?;
        self.pace.last = Some((Instant::now(), begun.elapsed()));
        Ok(())
    }

    /// Takes up a saved study.
    pub(super) fn load(&mut self, path: &Path) -> Result<(), RunError> {
        let file = container::open(path, KIND).map_err(StateError::File)?;
        let mut from = file.take(self.most_bytes());
        let content = |error| StateError::Content {
            path: path.to_owned(),
            error,
        };
        let mut archive = Archive::loading(&mut from);
        let mut found = String::new();
        archive.part(&mut found).map_err(content)?;
        if found != self.identity {
            let path = path.to_owned();
            let expected = self.identity.clone();
            return Err(StateError::OtherStudy {
                path,
                found,
                expected,
            }
            .into());
        }
        self.archive(&mut archive).map_err(content)?;
        let now = self.now();
        self.climate.go_to(now);
        self.simulation.wear_mut().rest_factor = self.climate.rests();
        let progress = self.progress();
        let watch = &mut *self.watch;
        self.simulation
            .catch_up(&mut || watch(LifetimeEvent::Progress(progress)))
    }
}
