//! How a mapping with records is brought to an age: blocks of the mapping are, and what is recorded of them follows.

use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::{Recorded, Records};
use crate::allocation::Order;
use crate::block::{BlockFacts, BlockRole};
use crate::contract::{Ageable, AssignByRule, ProgramTimes, Subjects};
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::space::{FillError, Filling};

impl Ageable for Recorded {
    fn expect_requests(&mut self, pages: u64) {
        if let Some(inner) = self.inner.ageable_mut() {
            inner.expect_requests(pages);
        }
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        match (self.places.region.block_of_region(block), &mut self.records) {
            (Some(own), _) => {
                if let Some(inner) = self.inner.ageable_mut() {
                    inner.set_erase_count(own, erases);
                }
            }
            (None, Records::Journal(journal)) => journal.blocks.entry(block).or_default().1 = erases,
            (None, _) => {}
        }
    }

    /// Blocks that are not the mapping's stay as they are.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Some(block) = self.places.region.block_of_region(filling.block) else {
            return Ok(());
        };
        let all = self.places.region.geometry.pages_per_block;
        let written = filling.written.min(all);
        if let Records::Summaries(summaries) = &mut self.records {
            // a block that is closed before it is full has none
            summaries.set(filling.block, written == all);
        }
        let own = Filling {
            block,
            written,
            ..*filling
        };
        let inner = self.inner.ageable_mut();
        inner.map_or(Ok(()), |inner| inner.consume_block(&own))
    }

    fn finish_fill(&mut self, now: SimTime) {
        if let Some(inner) = self.inner.ageable_mut() {
            inner.finish_fill(now);
        }
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        let inner = self.inner.ageable();
        inner.map_or(Ok(()), |inner| inner.check_filled(pages))
    }

    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        if let Some(inner) = self.inner.ageable_mut() {
            inner.complete_age(order, now, seed)?;
        }
        // blocks that the mapping has filled by itself have their summary pages too
        if let Records::Summaries(summaries) = &mut self.records {
            for own in (0..self.places.region.geometry.blocks()).map(BlockId) {
                let BlockFacts { role, free, .. } = self.inner.block(own);
                if role == BlockRole::Closed && free == 0 {
                    summaries.set(self.places.region.block_of_drive(own), true);
                }
            }
        }
        Ok(())
    }

    /// A closed form fills whole blocks of the whole drive.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        match self.records {
            Records::SpareAreas => self.inner.ageable_mut()?.by_rule(),
            Records::Summaries(_) | Records::Journal(_) => None,
        }
    }
}

impl ProgramTimes for Recorded {
    fn record_program_times(&mut self) {
        if let Some(inner) = self.inner.program_times_mut() {
            inner.record_program_times();
        }
    }

    /// Times of the mapping's blocks; those of the others are not recorded.
    fn take_program_times(&mut self) -> Vec<SimTime> {
        let inner = self.inner.program_times_mut();
        let times = inner.map_or_else(Vec::new, |inner| inner.take_program_times());
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        let of_drive = |block| self.places.region.block_of_region(block);
        let time = |own: BlockId| times.get(own.index()).copied();
        blocks
            .map(|block| of_drive(block).and_then(time).unwrap_or_default())
            .collect()
    }
}
