//! All that a page-level FTL remembers between two commands, to go on from it to the bit.

use super::PageFtl;
use crate::archive::{Archive, ArchiveError, require};

impl PageFtl {
    /// Hands over all that changes while the FTL works, its random streams included; what follows from the configuration is
    /// not among it. Loading is for a fresh FTL of the same configuration.
    ///
    /// # Errors
    /// A write, a relocation or an erase is under way; as for `Archive::part`; what is loaded contradicts itself. An
    /// FTL that was being loaded must not be used then.
    pub fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.map.archive(archive, self.geometry.blocks())?;
        self.blocks.archive(archive)?;
        self.frontiers.archive(archive)?;
        archive.table(&mut self.pools)?;
        archive.part(&mut self.notices)?;
        archive.part(&mut self.hops)?;
        archive.part(&mut self.stuck_pools)?;
        let gives_up = self.skips;
        archive.part(&mut self.skips)?;
        require(
            self.skips || !gives_up,
            "pages that are never given up where they may be",
        )?;
        archive.part(&mut self.facts)?;
        self.victims.archive(archive)?;
        if let Some(limit) = &mut self.wear_limit {
            limit.archive(archive)?;
        }
        if let Some(wear) = &mut self.wear {
            wear.archive(archive)?;
        }
        if archive.is_loading() {
            self.check()
        } else {
            Ok(())
        }
    }
}
