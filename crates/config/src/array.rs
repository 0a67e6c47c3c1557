//! The array as the drive addresses it, and what of it several parts of a drive are made with.

use wordline_ftl::{AllocationConfig, Level};
use wordline_nand::{ConfigError, Geometry, GeometryError, Method, PageTypes, SuspendRules, Timing};

use crate::{Config, ProgramSuspend};

impl Config {
    /// The array as the drive sees it: where planes are independent, each is what a die is otherwise.
    ///
    /// # Errors
    /// A geometry that cannot be built.
    pub fn array_geometry(&self) -> Result<Geometry, GeometryError> {
        let geometry = Geometry::new(&self.geometry)?;
        Ok(if self.nand.independent_planes {
            geometry.with_independent_planes()
        } else {
            geometry
        })
    }

    /// The allocation for that array: where a chip has one die, its planes go where they are named.
    #[must_use]
    pub fn array_allocation(&self) -> AllocationConfig {
        let mut allocation = self.allocation.clone();
        if self.nand.independent_planes && self.geometry.dies_per_chip == 1 {
            allocation.order = allocation.order.exchanged(Level::Die, Level::Plane);
        }
        allocation
    }

    /// How programs and erases are suspended; it says nothing of whether any is.
    ///
    /// # Errors
    /// Phases that do not fit their operation.
    pub fn suspend_rules(
        &self,
        timing: &Timing,
        page_types: &PageTypes,
    ) -> Result<SuspendRules, ConfigError> {
        let suspension = &self.scheduler.suspension;
        let program = match suspension.program_suspend {
            ProgramSuspend::Ips => Method::PhaseEnd,
            _ => Method::Cancel(suspension.redo),
        };
        SuspendRules::new(&self.timing, &self.nand, timing, page_types, program)
    }
}
