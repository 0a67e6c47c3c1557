//! The wear of all blocks, kept while the FTL works.

use std::sync::Arc;

use wordline_cell::fence::{Lookup, RestHistogram, Stress, WearState};
use wordline_ftl::Bound;
use wordline_ftl::archive::{Archive, ArchiveError, require, require_counts};
use wordline_ftl::functional::Observer;
use wordline_nand::{BlockId, Geometry, Ppn, Violation};
use wordline_units::SimTime;

use super::consistent::{Sizes, require_wear};
use super::fleet::Fleet;

/// Wear of every block, and the rests of every group of planes since they were last taken.
pub(super) struct Wear {
    lookup: Arc<Lookup>,
    /// By how much longer rests count at the temperature.
    pub(super) rest_factor: f64,
    geometry: Geometry,
    blocks_per_group: u32,
    /// Where the last page of a block may be given up: when each block was last programmed, if it was.
    written: Vec<SimTime>,
    pub(super) states: Vec<WearState>,
    /// The same blocks in drives whose cells vary.
    pub(super) fleet: Option<Fleet>,
    /// Before programs, and before erases.
    rests: [Vec<RestHistogram>; 2],
    /// Erases of every group since the start.
    pub(super) erases: Vec<u64>,
}

impl Wear {
    pub(super) fn new(
        lookup: Arc<Lookup>,
        rest_factor: f64,
        geometry: &Geometry,
        groups: u32,
        gives_up: bool,
        states: Vec<WearState>,
    ) -> Self {
        Self {
            lookup,
            rest_factor,
            geometry: *geometry,
            written: vec![SimTime::NEVER; if gives_up { states.len() } else { 0 }],
            blocks_per_group: geometry.blocks() / groups,
            states,
            fleet: None,
            rests: [0, 1].map(|_| vec![RestHistogram::default(); groups as usize]),
            erases: vec![0; groups as usize],
        }
    }

    /// Blocks of a group.
    pub(super) fn blocks_per_group(&self) -> usize {
        self.blocks_per_group as usize
    }

    /// The rests of every group since this was last asked: before programs, and before erases.
    pub(super) fn take_rests(&mut self) -> [Vec<RestHistogram>; 2] {
        let fresh = vec![RestHistogram::default(); self.erases.len()];
        std::mem::replace(&mut self.rests, [fresh.clone(), fresh])
    }

    /// Hands over what changes.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.written)?;
        archive.table(&mut self.states)?;
        for rests in &mut self.rests {
            archive.table(rests)?;
        }
        if let Some(fleet) = &mut self.fleet {
            fleet.archive(archive)?;
        }
        archive.table(&mut self.erases)
    }

    /// Checks what was loaded: wear that cycles can bring, and nothing after `latest`.
    pub(super) fn check(&self, latest: SimTime) -> Result<(), ArchiveError> {
        /// A drive does nothing else for decades.
        const MOST_CYCLES: u32 = 1 << 30;
        let past = |time: SimTime| time <= latest;
        for state in &self.states {
            require_wear([state.equivalent_events()])?;
            require(
                state.cycles() <= MOST_CYCLES,
                "a block with more cycles than there can be",
            )?;
            require(
                state.last_event().is_none_or(past),
                "a block that is stressed in the future",
            )?;
        }
        let mut written = self.written.iter().filter(|time| **time != SimTime::NEVER);
        require(
            written.all(|time| past(*time)),
            "a block that is programmed in the future",
        )?;
        require_wear(self.fleet.iter().flat_map(|fleet| fleet.wear().iter().copied()))?;
        require_counts(&self.erases)
    }

    /// How many there are of what is kept.
    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            blocks: self.states.len(),
            groups: self.erases.len(),
            cells: self.fleet.as_ref().map_or(0, |fleet| fleet.wear().len()),
        }
    }

    fn stress(&mut self, block: usize, stress: Stress, now: SimTime) {
        let group = block / self.blocks_per_group as usize;
        let state = &mut self.states[block];
        let is_first = state.last_event().is_none();
        // the clock never runs back, so that there is a rest before every event but the first
        let rest = state.apply(&self.lookup, stress, now, self.rest_factor);
        let rest = rest.unwrap_or_default();
        if !is_first {
            self.rests[stress as usize][group].record(rest);
        }
        if let Some(fleet) = &mut self.fleet {
            fleet.stress(block, rest);
        }
        if stress == Stress::Erase {
            self.erases[group] += 1;
        }
    }

    /// The program of a block counts when its last page is written; where that is given up, as is seen when the block is
    /// erased, when the last one before it was.
    #[inline]
    fn programmed(&mut self, now: SimTime, page: Ppn) {
        let block = self.geometry.block_of(page);
        if let Some(written) = self.written.get_mut(block.index()) {
            *written = now;
        }
        if self.geometry.page_of_block(page, block) + 1 == self.geometry.pages_per_block {
            self.stress(block.index(), Stress::Program, now);
        }
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
        self.stress(block, Stress::Erase, now);
    }
}

impl Observer for Wear {
    #[inline]
    fn program(&mut self, now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.programmed(now, bound.page);
        Ok(())
    }

    fn copy_back(&mut self, now: SimTime, _source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.programmed(now, bound.page);
        Ok(())
    }

    fn relocate(&mut self, now: SimTime, from: &[Ppn], to: Ppn) -> Result<(), Box<Violation>> {
        // they go to one block, and of these only the last matters
        if let Some(before) = from.len().checked_sub(1) {
            self.programmed(now, Ppn(to.0 + before as u64));
        }
        Ok(())
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

    /// Three cycles of a block, each a minute of writing, a minute of data and a minute erased; whether the last page is
    /// written makes no difference but to where the program falls.
    #[test]
    fn a_block_whose_last_page_is_given_up_counts_as_programmed() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let model = RetentionModel::new(CellParams::nand_80nm(), CellKind::Mlc2, RestAcceleration::Off);
        let lookup = Arc::new(Lookup::new(model.unwrap()));
        let cycled = |pages: u32| {
            let states = vec![WearState::default(); geometry.blocks() as usize];
            let mut wear = Wear::new(Arc::clone(&lookup), 1.0, &geometry, 1, true, states);
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
