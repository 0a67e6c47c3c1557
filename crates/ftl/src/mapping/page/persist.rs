//! What a page-level FTL saves and loads.

use wordline_units::SimTime;

use super::PageFtl;
use super::row::PAGE;
use crate::contract::{Identity, Persist};
use crate::state::archive::{Archive, ArchiveError, Extent};

impl Persist for PageFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.map.archive(archive, self.space.geometry.blocks())?;
        self.space.archive_blocks(archive)?;
        if archive.is_loading() {
            for lpn in 0..self.map.logical_pages() {
                if let Some(page) = self.map.lookup(lpn) {
                    self.space.validate_loaded(page);
                }
            }
        }
        self.space.archive_work(now, extent, archive)?;
        if extent == Extent::Everything {
            self.collector.archive(archive)?;
            self.separation.archive(archive)?;
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(PAGE.entry.name)
    }
}
