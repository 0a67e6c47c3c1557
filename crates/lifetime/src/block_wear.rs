//! The wear of all blocks, which follows the programs and erases of the FTL.

use std::sync::Arc;

use wordline_cell::fence::{Lookup, RestHistogram, Stress, VariedCells, WearState};
use wordline_drive::{BlockHealth, kept_for};
use wordline_ftl::Bound;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::functional::Observer;
use wordline_nand::{BlockId, Geometry, Ppn, Violation};
use wordline_units::{Duration, SimTime};

use crate::held_blocks::HeldBlocks;

/// Wear of every block, and the rests of every group of planes since the start of the window.
pub(crate) struct BlockWear {
    lookup: Arc<Lookup>,
    /// What a rest is multiplied by at the present temperature, so that it acts as at 30 degC.
    pub(crate) rest_factor: f64,
    geometry: Geometry,
    blocks_per_group: u32,
    /// Time of the last program in each block, `NEVER` before the first; empty unless the last page of a block may be left
    /// unwritten.
    written: Vec<SimTime>,
    pub(crate) states: Vec<WearState>,
    /// How old the data of blocks are, and what the FTL is to be told of them, where it refreshes them.
    pub(crate) health: Option<BlockHealth>,
    /// Their cells, where those of the drive differ from block to block.
    pub(crate) varied: Option<VariedCells>,
    /// How long blocks hold data, where time is skipped.
    pub(crate) held: Option<HeldBlocks>,
    /// The same blocks in drives whose cells vary.
    pub(crate) fleet: Option<VariedCells>,
    /// Rests before programs, and before erases.
    rests: [Vec<RestHistogram>; 2],
    /// Erases of every group since the start of the study.
    pub(crate) erases: Vec<u64>,
}

impl BlockWear {
    pub(crate) fn new(
        lookup: Arc<Lookup>,
        rest_factor: f64,
        geometry: &Geometry,
        groups: u32,
        may_leave_last_page: bool,
        states: Vec<WearState>,
    ) -> Self {
        Self {
            lookup,
            rest_factor,
            geometry: *geometry,
            written: vec![SimTime::NEVER; if may_leave_last_page { states.len() } else { 0 }],
            blocks_per_group: geometry.blocks() / groups,
            states,
            health: None,
            varied: None,
            held: None,
            fleet: None,
            rests: [0, 1].map(|_| vec![RestHistogram::default(); groups as usize]),
            erases: vec![0; groups as usize],
        }
    }

    /// Retention by wear.
    pub(crate) fn lookup(&self) -> Arc<Lookup> {
        Arc::clone(&self.lookup)
    }

    /// For how many seconds at 30 degC a block keeps data that are written now.
    pub(crate) fn keeps(&self, block: usize) -> f64 {
        kept_for(&self.lookup, self.varied.as_ref(), block, &self.states[block])
    }

    /// The same of all blocks, multiplied by `factor`.
    pub(crate) fn retentions(&self, factor: f64) -> Vec<f64> {
        (0..self.states.len())
            .map(|block| self.keeps(block) * factor)
            .collect()
    }

    /// What is told of a block, with its erases and with what says for how long it keeps data.
    fn tell(&mut self, block: BlockId, what: impl FnOnce(&mut BlockHealth, u32, &dyn Fn() -> f64)) {
        let Some(health) = &mut self.health else { return };
        let state = &self.states[block.index()];
        let keeps = || kept_for(&self.lookup, self.varied.as_ref(), block.index(), state);
        what(health, state.cycles(), &keeps);
    }

    /// Has every block told of.
    pub(crate) fn report_all(&mut self) {
        let (lookup, varied, states) = (&self.lookup, self.varied.as_ref(), &self.states);
        if let Some(health) = &mut self.health {
            health.report_all(states, |block| kept_for(lookup, varied, block, &states[block]));
        }
    }

    /// Blocks of a group.
    pub(crate) fn blocks_per_group(&self) -> usize {
        self.blocks_per_group as usize
    }

    /// Takes the rests of every group since the last call: before programs, and before erases.
    pub(crate) fn take_rests(&mut self) -> [Vec<RestHistogram>; 2] {
        let fresh = vec![RestHistogram::default(); self.erases.len()];
        std::mem::replace(&mut self.rests, [fresh.clone(), fresh])
    }

    /// Saves or loads what changes.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.written)?;
        archive.table(&mut self.states)?;
        if let Some(health) = &mut self.health {
            health.archive(archive)?;
        }
        if let Some(held) = &mut self.held {
            held.archive(archive)?;
        }
        for rests in &mut self.rests {
            archive.table(rests)?;
        }
        for cells in [&mut self.varied, &mut self.fleet].into_iter().flatten() {
            archive.table(cells.wear_mut())?;
        }
        archive.table(&mut self.erases)
    }

    fn stress(&mut self, block: usize, stress: Stress, now: SimTime) {
        let group = block / self.blocks_per_group as usize;
        let state = &mut self.states[block];
        let last = state.last_event();
        let is_first = last.is_none();
        let skipped = match &self.health {
            Some(health) if stress == Stress::Erase && state.is_programmed() => health.skipped()[block],
            _ => 0,
        };
        // the clock never goes back, so that every event but the first has a rest before it
        let rest = last.map_or(0.0, |last| {
            Duration(now.since(last).ns().saturating_add(skipped)).as_secs() * self.rest_factor
        });
        state.apply_after(&self.lookup, stress, now, rest);
        if !is_first {
            self.rests[stress as usize][group].record(rest);
        }
        for cells in [&mut self.varied, &mut self.fleet].into_iter().flatten() {
            cells.stress(block, rest);
        }
        if stress == Stress::Erase {
            self.erases[group] += 1;
        }
    }

    /// A page was programmed. The program of its block counts when the last page is written; where that page is left unwritten,
    /// which shows when the block is erased, it counts at the time of the last page written.
    #[inline]
    fn programmed(&mut self, now: SimTime, page: Ppn) {
        let block = self.geometry.block_of(page);
        if let Some(written) = self.written.get_mut(block.index()) {
            *written = now;
        }
        let is_last = self.geometry.page_of_block(page, block) + 1 == self.geometry.pages_per_block;
        if is_last {
            self.stress(block.index(), Stress::Program, now);
        }
        self.tell(block, |health, cycles, keeps| {
            health.programmed(now, block, is_last, cycles, keeps);
        });
    }

    fn erased(&mut self, now: SimTime, block: usize) {
        if let Some(written) = self.written.get(block)
            && *written != SimTime::NEVER
            && !self.states[block].is_programmed()
            && self.states[block]
                .last_event()
                .is_none_or(|last| last <= *written)
        {
            self.stress(block, Stress::Program, *written);
        }
        if let (Some(held), Some(health)) = (&mut self.held, &self.health)
            && let Some(age) = health.age(block, now)
        {
            held.erased(block, age, health.retention(block));
        }
        self.stress(block, Stress::Erase, now);
        let block = BlockId(block as u32);
        self.tell(block, |health, cycles, keeps| health.erased(block, cycles, keeps));
    }
}

impl BlockWear {
    /// A page was read, which counts where reads disturb blocks.
    #[inline]
    fn sensed(&mut self, page: Ppn) {
        if self.health.as_ref().is_some_and(BlockHealth::counts_reads) {
            let block = self.geometry.block_of(page);
            self.tell(block, |health, cycles, keeps| health.read(block, cycles, keeps));
        }
    }
}

impl Observer for BlockWear {
    #[inline]
    fn read(&mut self, _now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        self.sensed(page);
        Ok(())
    }

    #[inline]
    fn program(&mut self, now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.programmed(now, bound.page);
        Ok(())
    }

    fn copy_back(&mut self, now: SimTime, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.sensed(source);
        self.programmed(now, bound.page);
        Ok(())
    }

    fn relocate(&mut self, now: SimTime, from: &[Ppn], to: Ppn) -> Result<(), Box<Violation>> {
        for page in from {
            self.sensed(*page);
        }
        // all go to one block, where only the last one counts
        if let Some(before) = from.len().checked_sub(1) {
            self.programmed(now, Ppn(to.0 + before as u64));
        }
        Ok(())
    }

    fn copy_back_run(&mut self, now: SimTime, from: &[Ppn], to: Ppn) -> Result<(), Box<Violation>> {
        self.relocate(now, from, to)
    }

    fn erase(&mut self, now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.erased(now, block.index());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wordline_cell::fence::{CellKind, CellParams, RestAcceleration, RetentionModel};
    use wordline_nand::GeometryConfig;

    use super::*;

    /// Three cycles of a block; in each it is programmed, holds data for two minutes and is erased for one. Whether its last
    /// page is written makes no difference.
    #[test]
    fn a_block_whose_last_page_is_left_unwritten_counts_as_programmed() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let model = RetentionModel::new(CellParams::nand_80nm(), CellKind::Mlc2, RestAcceleration::Off);
        let lookup = Arc::new(Lookup::new(model.unwrap()));
        let cycled = |pages: u32| {
            let states = vec![WearState::default(); geometry.blocks() as usize];
            let mut wear = BlockWear::new(Arc::clone(&lookup), 1.0, &geometry, 1, true, states);
            let block = BlockId(3);
            for cycle in 0..3 {
                let now = SimTime(180_000_000_000 * cycle);
                for page in 0..pages {
                    let page = geometry.page(block, page);
                    wear.program(now, Bound { page, skipped: 0 }).unwrap();
                }
                wear.erase(SimTime(now.ns() + 120_000_000_000), block).unwrap();
            }
            (wear.states[3], wear.take_rests())
        };
        let whole = cycled(geometry.pages_per_block);
        assert_eq!(whole.0.cycles(), 3);
        assert_eq!(cycled(geometry.pages_per_block - 1), whole);
        // nothing written: an erase alone
        assert!(cycled(0).0.equivalent_events() < whole.0.equivalent_events());
    }
}
