//! The FTL of the data as DFTL sees it: a page-level one, whose logical pages are pages of flash or units smaller than these.

use crate::config::{FlashRules, MappingInput, array_of_units};
use crate::contract::{Ageable, Batches, Mapping, PageModes, Recoverable};
use crate::error::FtlError;
use crate::inflight::PendingProgram;
use crate::mapping::page::PageFtl;
use crate::mapping::unit::UnitFtl;
use crate::plan::Step;

/// What the program of a step brings to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brought {
    /// Writes of the host.
    Writes,
    /// What the job of a pool moves.
    Moves(u32),
}

/// A page-level FTL whose map DFTL keeps on flash.
pub(crate) trait DataFtl: Mapping + Ageable + Batches + PageModes + Recoverable + Sized {
    /// The FTL of the blocks for data.
    ///
    /// # Errors
    /// What it refuses.
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError>;

    /// The page-level FTL that it is, or that has its units for logical pages.
    fn pages(&self) -> &PageFtl;

    /// The same, to be changed.
    fn pages_mut(&mut self) -> &mut PageFtl;

    /// Whether nothing is under way.
    fn is_at_rest(&self) -> bool;

    /// What the program of a step that is not done yet brings, with its logical pages; none of another step.
    fn brought(&self, step: &Step, pages: &mut Vec<u64>) -> Option<Brought>;

    /// Logical pages that wait in the controller for others, with which they will be programmed.
    fn waiting(&self, pages: &mut Vec<u64>);
}

impl DataFtl for PageFtl {
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        Self::from_input(input, rules)
    }

    fn pages(&self) -> &PageFtl {
        self
    }

    fn pages_mut(&mut self) -> &mut PageFtl {
        self
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
    fn waiting(&self, _pages: &mut Vec<u64>) {}
}

impl DataFtl for UnitFtl {
    fn of_data(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let units = array_of_units(input.geometry, input.config)?;
        Self::new(units, input, rules)
    }

    fn pages(&self) -> &PageFtl {
        self.units()
    }

    fn pages_mut(&mut self) -> &mut PageFtl {
        self.units_mut()
    }

    fn is_at_rest(&self) -> bool {
        self.is_quiescent()
    }

    fn brought(&self, step: &Step, pages: &mut Vec<u64>) -> Option<Brought> {
        let (pool, units) = self.programmed_by(step)?;
        pages.extend(units);
        Some(pool.map_or(Brought::Writes, Brought::Moves))
    }

    fn waiting(&self, pages: &mut Vec<u64>) {
        pages.extend(self.units_in_registers());
    }
}
