//! A copy of an FTL at a time of a study.

use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::{BlockRole, Extent, JobNotice, Mapping};
use wordline_nand::BlockId;
use wordline_units::SimTime;

/// The state of an FTL, for another FTL of the same drive.
pub(crate) struct CopiedFtl {
    /// Time of the FTL.
    pub(crate) now: SimTime,
    /// Blocks that are not bad.
    pub(crate) blocks: u32,
    /// Jobs that want to be asked.
    pub(crate) jobs: Vec<JobNotice>,
    extent: Extent,
    bytes: Vec<u8>,
}

impl CopiedFtl {
    /// That of an FTL now.
    ///
    /// # Errors
    /// As for `Mapping::archive`.
    pub(crate) fn of(
        ftl: &mut dyn Mapping,
        jobs: Vec<JobNotice>,
        now: SimTime,
        extent: Extent,
    ) -> Result<Self, ArchiveError> {
        let mut bytes = Vec::new();
        ftl.archive(now, extent, &mut Archive::saving(&mut bytes))?;
        let is_good = |block: &u32| ftl.block_use(BlockId(*block)).role != BlockRole::Bad;
        let blocks = (0..ftl.geometry().blocks()).filter(is_good).count() as u32;
        Ok(Self {
            now,
            blocks,
            jobs,
            extent,
            bytes,
        })
    }

    /// Brings an FTL without a past to this state.
    ///
    /// # Errors
    /// As for `Mapping::archive`: an FTL of another drive.
    pub(crate) fn load(&self, ftl: &mut dyn Mapping) -> Result<(), ArchiveError> {
        ftl.archive(self.now, self.extent, &mut Archive::loading(&mut &self.bytes[..]))
    }
}
