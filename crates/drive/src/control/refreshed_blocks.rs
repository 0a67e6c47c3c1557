//! How long the blocks of a drive with a clock keep data, where it refreshes them.

use std::sync::Arc;

use wordline_cell::fence::{CellKind, CellParams, Lookup, RestAcceleration, RetentionModel, Stress};
use wordline_config::Config;
use wordline_ftl::{BlockReport, FtlError, Mapping, Outcome, Step, Subject, Subjects, Work};
use wordline_nand::{BlockId, CellType, Ppn};
use wordline_units::{Duration, SimTime};

use crate::block_health::{BlockHealth, KnownWear, kept_for, without_rests};
use crate::error::RunError;

/// The wear of all blocks, as a lifetime study has it, and what the FTL is told of it.
pub(crate) struct RefreshedBlocks {
    wear: KnownWear,
    /// Time of the last program in each block, `NEVER` before the first of the run.
    written: Vec<SimTime>,
    reports: Vec<BlockReport>,
    interval: Duration,
}

impl RefreshedBlocks {
    /// Those of a drive at its age, whose FTL is told of all blocks; none where nothing is refreshed. Where their wear is not `known`, cells are the mean ones of the model, at 30 degC.
    ///
    /// # Errors
    /// Cells of more than two bits, for which the model has no gap between levels.
    pub(crate) fn new(
        config: &Config,
        ftl: &mut dyn Mapping,
        now: SimTime,
        known: Option<KnownWear>,
    ) -> Result<Option<Self>, RunError> {
        if ftl.part(Subject::Refresh).is_none() {
            return Ok(None);
        }
        let wear = match known {
            Some(wear) => wear,
            None => Self::worn_by_cycles(config, ftl, now)?,
        };
        Ok(Some(Self {
            written: vec![SimTime::NEVER; wear.states.len()],
            wear,
            reports: Vec::new(),
            interval: config.ftl.refresh.interval,
        }))
    }

    /// The wear that erases without rests between them bring.
    fn worn_by_cycles(config: &Config, ftl: &mut dyn Mapping, now: SimTime) -> Result<KnownWear, RunError> {
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
        let states = without_rests(ftl);
        let since = SimTime(now.ns().saturating_sub(config.age.storage.ns()));
        let keeps = |block: usize| kept_for(&lookup, None, block, &states[block]);
        let health =
            BlockHealth::new(ftl, &states, keeps, 1.0, since).counting_reads(config.ftl.refresh.read_limit);
        Ok(KnownWear {
            lookup,
            states,
            health,
            varied: None,
            rest_factor: 1.0,
        })
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
        if let Work::Read { page, .. } | Work::CopyBack { source: page, .. } = step.work
            && self.wear.health.counts_reads()
            && outcome != Outcome::Declined
        {
            self.read(ftl, page);
        }
        match (step.work, page) {
            (Work::Program { .. } | Work::CopyBack { .. }, Some(page)) => {
                let geometry = ftl.geometry();
                let block = geometry.block_of(page);
                self.written[block.index()] = now;
                let is_last = geometry.page_of_block(page, block) + 1 == geometry.pages_per_block;
                if is_last {
                    self.stress(block, Stress::Program, now);
                }
                self.tell(block, |health, cycles, keeps| {
                    health.programmed(now, block, is_last, cycles, keeps);
                });
            }
            (Work::Erase { block }, _) if outcome == Outcome::Good => {
                let written = self.written[block.index()];
                let state = &self.wear.states[block.index()];
                let is_new = state.last_event().is_none_or(|last| last <= written);
                if written != SimTime::NEVER && !state.is_programmed() && is_new {
                    // closed before its last page was written
                    self.stress(block, Stress::Program, written);
                }
                self.stress(block, Stress::Erase, now);
                self.tell(block, |health, cycles, keeps| health.erased(block, cycles, keeps));
            }
            _ if !self.wear.health.counts_reads() => return,
            _ => {}
        }
        self.wear.health.take_reports(&mut self.reports);
        if let Some(refreshing) = ftl.refreshing_mut() {
            refreshing.observe_blocks(&self.reports);
        }
        self.reports.clear();
    }

    fn read(&mut self, ftl: &dyn Mapping, page: Ppn) {
        let block = ftl.geometry().block_of(page);
        self.tell(block, |health, cycles, keeps| health.read(block, cycles, keeps));
    }

    /// Tells of a block, with its erases and with what says for how long it keeps data.
    fn tell(&mut self, block: BlockId, what: impl FnOnce(&mut BlockHealth, u32, &dyn Fn() -> f64)) {
        let KnownWear {
            lookup,
            states,
            health,
            varied,
            ..
        } = &mut self.wear;
        let state = &states[block.index()];
        let keeps = || kept_for(lookup, varied.as_ref(), block.index(), state);
        what(health, state.cycles(), &keeps);
    }

    fn stress(&mut self, block: BlockId, stress: Stress, now: SimTime) {
        let KnownWear {
            lookup,
            states,
            rest_factor,
            varied,
            ..
        } = &mut self.wear;
        // the clock never goes back
        let rest = states[block.index()].apply(lookup, stress, now, *rest_factor);
        if let (Some(varied), Ok(rest)) = (varied, rest) {
            varied.stress(block.index(), rest);
        }
    }
}
