//! What the FTL is told of the blocks that it refreshes: since when they hold data, and how long they keep them.

use wordline_cell::fence::{Lookup, Representative, WearState};
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::{BlockReport, BlockRole, Mapping};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

/// Reports of blocks that have not been told yet.
pub struct BlockHealth {
    /// What retention at 30 degC is multiplied by for the temperature of the study.
    factor: f64,
    /// When the first page of each block was programmed; `NEVER` where it is erased.
    since: Vec<SimTime>,
    reports: Vec<BlockReport>,
}

impl BlockHealth {
    /// Of a drive whose data all count as written at `since`; tells its FTL of every block.
    pub fn new(
        ftl: &mut dyn Mapping,
        states: &[WearState],
        lookup: &Lookup,
        factor: f64,
        since: SimTime,
    ) -> Self {
        let mut health = Self {
            factor,
            since: vec![SimTime::NEVER; states.len()],
            reports: Vec::new(),
        };
        for (state, block) in states.iter().zip(0..) {
            let block = BlockId(block);
            if ftl.block(block).role != BlockRole::Free {
                health.since[block.index()] = since;
            }
            health.report(block, state, lookup);
        }
        ftl.observe_blocks(&health.reports);
        health.reports.clear();
        health
    }

    fn report(&mut self, block: BlockId, state: &WearState, lookup: &Lookup) {
        let since = self.since[block.index()];
        let seconds = lookup.retention_of(state, Representative::LastCycle) * self.factor;
        self.reports.push(BlockReport {
            block,
            erases: state.cycles(),
            since: (since != SimTime::NEVER).then_some(since),
            // a cast saturates
            retention: Duration((seconds * 1e9) as u64),
        });
    }

    /// A page of a block was programmed. What the program of the last one adds to its wear is told too.
    #[inline]
    pub fn programmed(
        &mut self,
        now: SimTime,
        block: BlockId,
        is_last: bool,
        state: &WearState,
        lookup: &Lookup,
    ) {
        let since = &mut self.since[block.index()];
        let is_first = *since == SimTime::NEVER;
        if is_first {
            *since = now;
        }
        if is_first || is_last {
            self.report(block, state, lookup);
        }
    }

    /// A block was erased.
    pub fn erased(&mut self, block: BlockId, state: &WearState, lookup: &Lookup) {
        self.since[block.index()] = SimTime::NEVER;
        self.report(block, state, lookup);
    }

    /// Takes the reports that have not been told, in `reports`, which is empty.
    pub fn take_reports(&mut self, reports: &mut Vec<BlockReport>) {
        std::mem::swap(&mut self.reports, reports);
    }

    /// Saves or loads what changes; reports are told before.
    ///
    /// # Errors
    /// As for `Archive::table`.
    pub fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.since)
    }
}
