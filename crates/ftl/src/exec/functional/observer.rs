//! Who is told of every operation of the functional mode.

use wordline_nand::{BlockId, Medium, Ppn, Violation};
use wordline_units::SimTime;

use crate::plan::Bound;

/// Is told of every flash operation just before the FTL is told that it is done, and of the time. An error
/// stops the run.
pub trait Observer {
    /// A page is read.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn read(&mut self, _now: SimTime, _page: Ppn) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A page is programmed.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn program(&mut self, _now: SimTime, _bound: Bound) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A page is copied inside its plane.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn copy_back(&mut self, _now: SimTime, _source: Ppn, _bound: Bound) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// Pages are moved one after the other, each read and programmed, to successive pages of a block from `to` on.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn relocate(&mut self, now: SimTime, from: &[Ppn], to: Ppn) -> Result<(), Box<Violation>> {
        for (from, to) in from.iter().zip(to.0..) {
            self.read(now, *from)?;
            let page = Ppn(to);
            self.program(now, Bound { page, skipped: 0 })?;
        }
        Ok(())
    }

    /// Pages are copied inside their plane one after the other, to successive pages of a block from `to` on.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn copy_back_run(&mut self, now: SimTime, from: &[Ppn], to: Ppn) -> Result<(), Box<Violation>> {
        for (from, to) in from.iter().zip(to.0..) {
            let page = Ppn(to);
            self.copy_back(now, *from, Bound { page, skipped: 0 })?;
        }
        Ok(())
    }

    /// A block is erased.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn erase(&mut self, _now: SimTime, _block: BlockId) -> Result<(), Box<Violation>> {
        Ok(())
    }
}

/// Nobody.
impl Observer for () {}

/// Enforces the restrictions of flash.
impl Observer for Medium {
    fn read(&mut self, _now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        Self::read(self, &[page])
    }

    fn program(&mut self, _now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        Self::program(self, &[bound.page])
    }

    fn copy_back(&mut self, _now: SimTime, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        Self::copy_back(self, &[(source, bound.page)])
    }

    fn erase(&mut self, _now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        Self::erase(self, &[block])
    }
}
