//! What of the records is saved with the state of a drive on which nothing is under way.

use wordline_nand::{BlockId, Geometry, Ppn};

use super::journal::Journal;
use super::places::Places;
use super::slots::Phase;
use super::summaries::Summaries;
use super::versions::Versions;
use crate::recovery::MapRecord;
use crate::state::archive::{Archive, ArchiveError, MOST_COUNTED, require, require_counts};

impl Versions {
    /// # Errors
    /// Programs are under way; a version above that of the newest write.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        archive.part(&mut self.newest)?;
        require_counts(&[self.newest])?;
        archive.table(&mut self.of_page)?;
        let known = self.of_page.iter().all(|version| *version <= self.newest);
        require(known, "a page of a version that no write has had")?;
        archive.part(&mut self.renewed)?;
        let of_pages = |(page, write): (&u64, &u64)| {
            let version = self.of_page.get(*page as usize);
            version.is_some_and(|version| write < version)
        };
        require(
            self.renewed.iter().all(of_pages),
            "a fresh version of a page that has none",
        )
    }
}

impl Summaries {
    /// # Errors
    /// Programs are under way; lists of pages that the drive does not have.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        archive.table(&mut self.states)?;
        archive.part(&mut self.open)?;
        let geometry = self.geometry;
        let page = |place: Ppn| Ppn(place.0 / u64::from(self.per_page));
        let known = self.open.iter().all(|(block, listed)| {
            block.0 < geometry.blocks()
                && listed.under_way.is_empty()
                && listed.pages.iter().all(|(place, _)| {
                    is_page(&geometry, page(*place)) && geometry.block_of(page(*place)) == *block
                })
        });
        require(known, "a summary of a block that the drive does not have")?;
        require(self.is_quiescent(), "a summary page under way")
    }
}

fn is_page(geometry: &Geometry, page: Ppn) -> bool {
    page.0 < geometry.pages()
}

impl Journal {
    /// `user` logical pages are those of the drive, and `data` its array and the mapping's part of it.
    ///
    /// # Errors
    /// Pages are under way; positions, pages or blocks that the drive does not have.
    pub(super) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        user: u64,
        data: (&Geometry, &Places),
    ) -> Result<(), ArchiveError> {
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
        // notice is given again
        self.checkpoints.noticed = None;
        if archive.is_loading() {
            self.check(user, data)?;
        }
        Ok(())
    }

    fn check(&self, user: u64, (geometry, data): (&Geometry, &Places)) -> Result<(), ArchiveError> {
        let Self {
            checkpoints, area, ..
        } = self;
        let counts = [
            self.recorded,
            self.next,
            self.number,
            self.erases,
            self.owed,
            self.writes,
        ];
        require_counts(&counts)?;
        require_counts(&[checkpoints.number, checkpoints.completed, checkpoints.includes])?;
        let length = 2 * area.journal_pages();
        let in_order = checkpoints.committed_from <= checkpoints.journal_from
            && checkpoints.journal_from <= self.next
            && self.next <= self.end
            && self.end <= checkpoints.committed_from + length
            && self.end <= checkpoints.new_end.max(self.end)
            && checkpoints.new_end <= checkpoints.committed_from + length;
        require(in_order, "positions of a journal that are out of order")?;
        let has_pages = match checkpoints.phase {
            Phase::Parts(part) => part <= area.pages,
            Phase::Idle | Phase::Root | Phase::Clean => true,
        };
        let pages_per_block = area.geometry().pages_per_block;
        let of_checkpoints = has_pages
            && checkpoints.slot < 2
            && checkpoints.root.0 < 2
            && checkpoints.root.1 < pages_per_block
            && checkpoints.parts_left == 0
            && checkpoints.erases_left == 0
            && checkpoints.includes <= self.recorded;
        require(of_checkpoints, "a checkpoint that the drive cannot have")?;
        let in_area =
            |block: BlockId| block.0 < geometry.blocks() && area.region.block_of_region(block).is_some();
        let of_area = checkpoints.stale.iter().all(|block| in_area(*block))
            && self
                .blocks
                .iter()
                .all(|(block, (pages, _))| in_area(*block) && *pages <= pages_per_block);
        require(of_area, "blocks of the journal that are not its own")?;
        let known = |record: &MapRecord| match *record {
            MapRecord::Mapped { lpn, page } => {
                lpn.0 < user && is_page(geometry, data.page(page)) && data.of_region(page).is_some()
            }
            MapRecord::Trimmed { lpn, version } => lpn.0 < user && version < MOST_COUNTED,
        };
        let of_records = self.pending.len() as u64 <= self.recorded
            && self.block_records <= data.region.geometry.blocks() as usize
            && self.pending.iter().all(known)
            && self
                .trimmed
                .iter()
                .all(|(lpn, version)| *lpn < user && *version < MOST_COUNTED);
        require(of_records, "records of pages that the drive does not have")?;
        let is_data =
            |block: &BlockId| block.0 < geometry.blocks() && data.region.block_of_region(*block).is_some();
        let of_data = self.watched.list().iter().all(is_data);
        require(
            of_data && self.watched.is_quiescent(),
            "blocks to look at that hold no data",
        )
    }
}
