//! Ageing and saving: what is done to the data is done to the map on flash.

use rand::Rng;
use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::Dftl;
use super::data::DataFtl;
use super::outdated::Outdated;
use super::row::DFTL;
use crate::allocation::Order;
use crate::contract::{Ageable, AssignByRule, Ftl, Identity, Inspect, Persist, ProgramTimes};
use crate::error::FtlError;
use crate::exec::functional::{Functional, FunctionalError, FunctionalOptions};
use crate::plan::Lpn;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};

/// Random writes of translation pages, in multiples of their blocks' pages, that bring these blocks to a steady state.
const STEADY_FACTOR: u64 = 3;

impl<D: DataFtl> Dftl<D> {
    /// The FTL that a block belongs to, and its number there.
    fn aged_part(&mut self, block: BlockId) -> (&mut dyn Ageable, BlockId) {
        match self.region.block_of_region(block) {
            Some(own) => (&mut self.data, own),
            None => {
                let own = self.table.region.block_of_region(block).unwrap_or(block);
                (&mut self.table.ftl, own)
            }
        }
    }

    /// Translation pages that flash lacks although they have entries.
    pub(super) fn lacking(&self) -> Vec<u64> {
        let is_lacking = |page: &u64| {
            let has_data = |lpn| self.data.lookup(Lpn(lpn)).is_some();
            self.table.ftl.lookup(Lpn(*page)).is_none() && self.entries_of(*page as u32).any(has_data)
        };
        (0..self.table.ftl.user_pages()).filter(is_lacking).collect()
    }

    /// The blocks of both parts in the order of the drive.
    fn merged<T: Copy + Default>(&self, data: &[T], table: &[T]) -> Vec<T> {
        let mut all = vec![T::default(); self.geometry.blocks() as usize];
        for (region, part) in [(&self.region, data), (&self.table.region, table)] {
            for (own, value) in (0..).map(BlockId).zip(part) {
                all[region.block_of_drive(own).index()] = *value;
            }
        }
        all
    }
}

impl<D: DataFtl> Ageable for Dftl<D> {
    fn expect_requests(&mut self, pages: u64) {
        self.data.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        let (part, own) = self.aged_part(block);
        part.set_erase_count(own, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let (part, block) = self.aged_part(filling.block);
        part.consume_block(&Filling { block, ..*filling })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.data.finish_fill(now);
        self.table.ftl.finish_fill(now);
    }

    /// Writes the translation pages that flash lacks: all of them where data were assigned by rule, and then their blocks are
    /// brought to a steady state; those that only the cache of a saved drive had, as when that drive was shut down.
    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        if self.cache.is_none() {
            return Ok(());
        }
        let lacking = self.lacking();
        let random = if self.table.ftl.mapped_pages() == 0 && !lacking.is_empty() {
            STEADY_FACTOR * self.table.region.geometry.pages()
        } else {
            0
        };
        let options = FunctionalOptions {
            order,
            ..FunctionalOptions::default()
        };
        let mut stream = seed.stream("age.map");
        let mut functional = Functional::new(&mut self.table.ftl, options);
        functional.advance_to(now);
        for page in &lacking {
            functional.write(Lpn(*page))?;
        }
        for _ in 0..random {
            let page = lacking[(stream.next_u64() % lacking.len() as u64) as usize];
            functional.write(Lpn(page))?;
        }
        functional.finish_jobs()?;
        self.table.ftl.reset_counters();
        Ok(())
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.data.check_filled(pages)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.data.by_rule()
    }
}

impl<D: DataFtl> Persist for Dftl<D> {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.data.archive(now, extent, archive)?;
        self.table.ftl.archive(now, extent, archive)?;
        if extent == Extent::Content {
            return Ok(());
        }
        if let Some(cache) = &mut self.cache {
            cache.archive(archive)?;
        }
        Outdated::archive(&mut self.outdated, archive)?;
        archive.part(&mut self.counters)
    }

    fn latest(&self) -> SimTime {
        self.data.latest().max(self.table.ftl.latest())
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(DFTL.entry.name)
    }
}

impl<D: DataFtl> ProgramTimes for Dftl<D> {
    fn record_program_times(&mut self) {
        self.data.pages_mut().record_program_times();
        self.table.ftl.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        let (data, table) = (
            self.data.pages_mut().take_program_times(),
            self.table.ftl.take_program_times(),
        );
        self.merged(&data, &table)
    }
}
