//! What operations without a clock do to the reliability of pages.

use wordline_ftl::Bound;
use wordline_ftl::functional::Observer;
use wordline_nand::{BlockId, Mode, Ppn, Violation};
use wordline_units::SimTime;

use super::Reliability;

/// The same as a drive with a clock does when a command starts (`play_on_cells`), but for reads: they disturb their block, and
/// nobody asks what it takes to correct them. Times are those of the drive's life, and all pages are in the normal mode.
impl Observer for &mut Reliability {
    fn read(&mut self, _now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        self.pages.count_read(page);
        Ok(())
    }

    fn program(&mut self, now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.programmed(bound.page, now);
        Ok(())
    }

    fn copy_back(&mut self, now: SimTime, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.copied_back(source, bound.page, Mode::NORMAL, now);
        Ok(())
    }

    fn erase(&mut self, _now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.pages.erase(block);
        Ok(())
    }
}
