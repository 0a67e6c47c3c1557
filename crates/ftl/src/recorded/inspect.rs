//! What is seen of a mapping with records, and how it is saved.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::{Recorded, Records};
use crate::block::{BlockFacts, BlockRole};
use crate::contract::{Identity, Inspect, Persist};
use crate::counters::FtlCounters;
use crate::plan::{Lpn, Scope, Step};
use crate::state::archive::{Archive, ArchiveError, Extent};

impl Recorded {
    /// The state of a block of journal, checkpoints or root.
    fn own_block(&self, block: BlockId) -> BlockFacts {
        let (pages, erases) = match &self.records {
            Records::Journal(journal) => journal.blocks.get(&block).copied().unwrap_or_default(),
            _ => (0, 0),
        };
        let is_bad = matches!(&self.records, Records::Journal(journal) if journal.is_bad(block));
        let per_page = self.places.per_page;
        let (pages, all) = (pages * per_page, self.geometry.pages_per_block * per_page);
        BlockFacts {
            role: match pages {
                _ if is_bad => BlockRole::Bad,
                0 => BlockRole::Free,
                _ if pages < all => BlockRole::Open,
                _ => BlockRole::Closed,
            },
            valid: 0,
            invalid: pages,
            free: all - pages,
            skipped: 0,
            erase_count: erases,
        }
    }
}

impl Inspect for Recorded {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.inner.lookup(lpn).map(|place| self.places.of_drive(place))
    }

    fn mapped_pages(&self) -> u64 {
        self.inner.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.inner.owner(self.places.of_region(page)?)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        self.inner
            .units_of(&self.places.region.step_of_region(*step), units);
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.inner.valid_sectors(lpn)
    }

    /// A summary page is one that holds nothing current.
    fn block(&self, block: BlockId) -> BlockFacts {
        let Some(own) = self.places.region.block_of_region(block) else {
            return self.own_block(block);
        };
        let mut facts = self.inner.block(own);
        if let Records::Summaries(summaries) = &self.records {
            let count = if summaries.has(block) {
                &mut facts.invalid
            } else {
                &mut facts.free
            };
            *count += self.places.per_page;
        }
        facts
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.inner.home(lpn)
    }

    fn counters(&self) -> FtlCounters {
        let mut counters = self.inner.counters();
        if let Records::Journal(journal) = &self.records {
            counters.erases += journal.erases;
            counters.retired_blocks += journal.retired_blocks();
            counters.checkpoints = journal.completed();
        }
        counters
    }

    fn reset_counters(&mut self) {
        self.inner.reset_counters();
        if let Records::Journal(journal) = &mut self.records {
            journal.restart_counts();
        }
    }
}

impl Persist for Recorded {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.held.is_empty() {
            return Err(ArchiveError::Busy);
        }
        self.begin();
        self.inner.archive(now, extent, archive)?;
        if extent == Extent::Everything {
            archive.part(&mut self.told)?;
        }
        self.versions.archive(archive)?;
        match &mut self.records {
            Records::SpareAreas => Ok(()),
            Records::Summaries(summaries) => summaries.archive(archive),
            Records::Journal(journal) => journal.archive(archive),
        }
    }

    fn latest(&self) -> SimTime {
        self.inner.latest()
    }

    fn identity(&self) -> Identity {
        Identity {
            recovery: self.kind,
            ..self.inner.identity()
        }
    }
}
