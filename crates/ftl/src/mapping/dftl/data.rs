//! The FTL of the data as DFTL sees it: a page-level one, whose logical pages are pages of flash or units smaller than these.

use crate::allocation::RoundRobin;
use crate::config::{FlashRules, MappingInput, array_of_units};
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::inflight::PendingProgram;
use crate::mapping::page::PageFtl;
use crate::mapping::unit::UnitFtl;
use crate::plan::Step;
use crate::request::TimedRequest;
use wordline_nand::{PlaneId, Ppn};
use wordline_units::SimTime;

/// What the program of a step brings to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brought {
    /// Writes of the host.
    Writes,
    /// What the job of a pool moves.
    Moves(u32),
}

/// A page-level FTL whose map DFTL keeps on flash.
pub(crate) trait DataFtl: Mapping + Sized {
    /// The FTL of the blocks for data.
    ///
    /// # Errors
    /// What it refuses.
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError>;

    /// Whether nothing is under way.
    fn is_at_rest(&self) -> bool;

    /// What the program of a step that is not done yet brings, with its logical pages; none of another step.
    fn brought(&self, step: &Step, pages: &mut Vec<u64>) -> Option<Brought>;

    /// [`crate::contract::Ftl::write_at_once`], where the entry of each request takes effect with it.
    fn write_each_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        busy: &dyn Fn(PlaneId) -> bool,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize;
}

impl DataFtl for PageFtl {
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        Self::from_input(input, rules)
    }

    fn is_at_rest(&self) -> bool {
        self.is_quiescent()
    }

    #[inline]
    fn brought(&self, step: &Step, pages: &mut Vec<u64>) -> Option<Brought> {
        let brought = match self.pending(step.token)? {
            PendingProgram::Write { .. } => Brought::Writes,
            PendingProgram::Move { pool, .. } => Brought::Moves(pool),
            PendingProgram::Vacant(_) => return None,
        };
        pages.push(step.lpn.0);
        Some(brought)
    }

    #[inline]
    fn write_each_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        busy: &dyn Fn(PlaneId) -> bool,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        crate::contract::Ftl::write_at_once(self, now, requests, busy, turns, written)
    }
}

impl DataFtl for UnitFtl {
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let units = array_of_units(input.geometry, input.config)?;
        Self::new(units, input, rules)
    }

    fn is_at_rest(&self) -> bool {
        self.is_quiescent()
    }

    fn brought(&self, step: &Step, pages: &mut Vec<u64>) -> Option<Brought> {
        let (pool, units) = self.programmed_by(step)?;
        pages.extend(units);
        Some(pool.map_or(Brought::Writes, Brought::Moves))
    }

    /// None: a unit that waits in its register for others takes effect with them, and its entry is then changed.
    fn write_each_at_once(
        &mut self,
        _now: SimTime,
        _requests: &[TimedRequest],
        _busy: &dyn Fn(PlaneId) -> bool,
        _turns: &mut RoundRobin,
        _written: &mut Vec<Ppn>,
    ) -> usize {
        0
    }
}
