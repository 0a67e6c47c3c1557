//! What of the records is saved with the state of a drive on which nothing is under way.

use super::journal::Journal;
use super::summaries::Summaries;
use super::versions::Versions;
use crate::state::archive::{Archive, ArchiveError};

impl Versions {
    /// # Errors
    /// Programs are under way.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        archive.part(&mut self.newest)?;
        archive.table(&mut self.of_page)?;
        archive.part(&mut self.renewed)
    }
}

impl Summaries {
    /// # Errors
    /// Programs are under way.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        archive.table(&mut self.states)?;
        archive.part(&mut self.open)
    }
}

impl Journal {
    /// # Errors
    /// Pages are under way.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        for count in [
            &mut self.recorded,
            &mut self.next,
            &mut self.end,
            &mut self.number,
        ] {
            archive.part(count)?;
        }
        for count in [&mut self.erases, &mut self.owed, &mut self.writes] {
            archive.part(count)?;
        }
        archive.part(&mut self.pending)?;
        archive.part(&mut self.block_records)?;
        archive.part(&mut self.watched)?;
        archive.part(&mut self.checkpoints)?;
        archive.part(&mut self.trimmed)?;
        archive.part(&mut self.blocks)?;
        archive.part(&mut self.is_short)?;
        if self.area.can_fail() {
            archive.part(&mut self.substitutes)?;
        }
        // notice is given again
        self.checkpoints.noticed = None;
        Ok(())
    }
}
