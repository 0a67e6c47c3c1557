//! Who is told of every operation of the functional mode.

use wordline_nand::{BlockId, Medium, Ppn, Violation};

use crate::contract::Bound;

/// Is told of every flash operation just before the FTL is told that it is done. An error stops
/// the run.
pub trait Observer {
    /// A page is read.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn read(&mut self, _page: Ppn) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A page is programmed.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn program(&mut self, _bound: Bound) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A page is copied inside its plane.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn copy_back(&mut self, _source: Ppn, _bound: Bound) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A block is erased.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn erase(&mut self, _block: BlockId) -> Result<(), Box<Violation>> {
        Ok(())
    }
}

/// Nobody.
impl Observer for () {}

/// Enforces the restrictions of flash.
impl Observer for Medium {
    fn read(&mut self, page: Ppn) -> Result<(), Box<Violation>> {
        Self::read(self, &[page])
    }

    fn program(&mut self, bound: Bound) -> Result<(), Box<Violation>> {
        Self::program(self, &[bound.page])
    }

    fn copy_back(&mut self, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        Self::copy_back(self, &[(source, bound.page)])
    }

    fn erase(&mut self, block: BlockId) -> Result<(), Box<Violation>> {
        Self::erase(self, &[block])
    }
}
