//! Saves a study and resumes it.

use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use wordline_cell::fence::VariedCells;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::container;

use super::Engine;
use crate::error::LifetimeError;
use crate::options::LifetimeEvent;
use crate::state::{KIND, StateError};

impl Engine<'_> {
    /// Saves or loads all that changes in a study.
    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.skipped)?;
        archive.part(&mut self.snapshots)?;
        archive.part(&mut self.control)?;
        archive.part(&mut self.skipping)?;
        self.simulation.archive(archive)?;
        archive.end()
    }

    /// A bound on the bytes of a state of the study, so that a file cannot make the program use more memory than that.
    fn most_bytes(&self) -> u64 {
        let wear = self.simulation.wear();
        let geometry = self.simulation.ftl().geometry();
        let (blocks, groups) = (wear.states.len() as u64, wear.erases.len() as u64);
        let of = |cells: &Option<VariedCells>| cells.as_ref().map_or(0, |cells| cells.wear().len()) as u64;
        let cells = of(&wear.fleet) + of(&wear.varied);
        let drives = cells / blocks.max(1);
        let snapshots = self.options.horizon.ns() / self.options.every.ns() + 2;
        let held = self
            .options
            .keep
            .blocks_every
            .map_or(0, |every| snapshots / every + 1);
        // requests of the lookahead, among which there may be many deallocations between two writes
        const REQUESTS: u64 = 1 << 24;
        // both directions of the map, bitmaps and copy-backs
        let of_pages = 48 * geometry.pages();
        // the FTL's tables, wear, two windows, sixteen epochs and a skip
        let of_blocks = blocks * (640 + 16 * drives) + 512 * u64::from(geometry.planes());
        // distributions of rests of 1,044 bytes
        let of_groups = (48 << 10) * groups;
        let of_snapshots = (snapshots + 2 * self.options.temperature.len() as u64) * (384 + 8 * drives);
        REQUESTS + of_pages + of_blocks + of_groups + 2 * of_snapshots + held * (256 + 64 * blocks)
    }

    /// Saves the state between two windows, if the options name a file and a save is due.
    pub(crate) fn save_if_due(&mut self) -> Result<(), LifetimeError> {
        let Some(path) = self.options.keep.state.as_deref() else {
            return Ok(());
        };
        if !self.save_schedule.is_due() {
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
        self.save_schedule.end_save(begun);
        Ok(())
    }

    /// Resumes a saved study.
    pub(crate) fn load(&mut self, path: &Path) -> Result<(), LifetimeError> {
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
        self.temperature.set_time(now);
        self.simulation.wear_mut().rest_factor = self.temperature.rest_factor();
        let progress = self.progress();
        let watch = &mut *self.watch;
        self.simulation
            .replay_pass(&mut || watch(LifetimeEvent::Progress(progress)))
    }
}
