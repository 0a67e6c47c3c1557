//! How long the blocks of a drive with a clock keep data, where it refreshes them.

use std::sync::Arc;

use wordline_cell::fence::{
    CellKind, CellParams, Lookup, RestAcceleration, RetentionModel, Stress, WearState,
};
use wordline_config::Config;
use wordline_ftl::{BlockReport, FtlError, Mapping, Outcome, Step, Work};
use wordline_nand::{BlockId, CellType, Ppn};
use wordline_units::{Duration, SimTime};

use crate::block_health::BlockHealth;
use crate::error::RunError;

/// The wear of all blocks, as a lifetime study has it, and what the FTL is told of it.
pub(crate) struct RefreshedBlocks {
    lookup: Arc<Lookup>,
    states: Vec<WearState>,
    /// Time of the last program in each block, `NEVER` before the first of the run.
    written: Vec<SimTime>,
    health: BlockHealth,
    reports: Vec<BlockReport>,
    interval: Duration,
}

impl RefreshedBlocks {
    /// Those of a drive at its age, whose FTL is told of all blocks; none where nothing is refreshed. Cells are the mean ones of the model, at 30 degC.
    ///
    /// # Errors
    /// Cells of more than two bits, for which the model has no gap between levels.
    pub(crate) fn new(
        config: &Config,
        ftl: &mut dyn Mapping,
        now: SimTime,
    ) -> Result<Option<Self>, RunError> {
        if ftl.refresh().is_none() {
            return Ok(None);
        }
        let cell = match config.geometry.cell_type {
            CellType::Slc => CellKind::Slc,
            CellType::Mlc => CellKind::Mlc2,
            CellType::Tlc | CellType::Qlc => {
                let accepted = "\"none\" with cells of three or four bits, whose retention is not known";
                return Err(
                    FtlError::new("ftl.refresh.policy", config.ftl.refresh.policy.name(), accepted).into(),
                );
            }
        };
        let model = RetentionModel::new(CellParams::nand_80nm(), cell, RestAcceleration::Off)?;
        let lookup = Arc::new(Lookup::new(model));
        let states: Vec<WearState> = (0..ftl.geometry().blocks())
            .map(|block| {
                let cycles = ftl.block(BlockId(block)).erase_count;
                WearState::worn(2.0 * f64::from(cycles), cycles)
            })
            .collect();
        let since = SimTime(now.ns().saturating_sub(config.age.storage.ns()));
        let health = BlockHealth::new(ftl, &states, &lookup, 1.0, since);
        Ok(Some(Self {
            lookup,
            written: vec![SimTime::NEVER; states.len()],
            states,
            health,
            reports: Vec::new(),
            interval: config.ftl.refresh.interval,
        }))
    }

    /// Time between two looks at the queues.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// A step has ended at a time of the FTL, which is told what that means for its block.
    pub(crate) fn done(
        &mut self,
        ftl: &mut dyn Mapping,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
    ) {
        match (step.work, page) {
            (Work::Program { .. } | Work::CopyBack { .. }, Some(page)) => {
                let geometry = ftl.geometry();
                let block = geometry.block_of(page);
                self.written[block.index()] = now;
                let is_last = geometry.page_of_block(page, block) + 1 == geometry.pages_per_block;
                if is_last {
                    self.stress(block, Stress::Program, now);
                }
                let state = &self.states[block.index()];
                self.health.programmed(now, block, is_last, state, &self.lookup);
            }
            (Work::Erase { block }, _) if outcome == Outcome::Good => {
                let written = self.written[block.index()];
                let state = &self.states[block.index()];
                let is_new = state.last_event().is_none_or(|last| last <= written);
                if written != SimTime::NEVER && !state.is_programmed() && is_new {
                    // closed before its last page was written
                    self.stress(block, Stress::Program, written);
                }
                self.stress(block, Stress::Erase, now);
                let state = &self.states[block.index()];
                self.health.erased(block, state, &self.lookup);
            }
            _ => return,
        }
        self.health.take_reports(&mut self.reports);
        ftl.observe_blocks(&self.reports);
        self.reports.clear();
    }

    fn stress(&mut self, block: BlockId, stress: Stress, now: SimTime) {
        // the clock never goes back
        let _ = self.states[block.index()].apply(&self.lookup, stress, now, 1.0);
    }
}
