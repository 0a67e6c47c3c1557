//! What the host wants to be on flash while it waits in page registers.

use wordline_ftl::{FlushMark, Flushing, Ftl};
use wordline_units::SimTime;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Has what waits in page registers programmed; the FTL may make a plan.
    pub(crate) fn flush(&mut self, now: SimTime) -> Flushing {
        self.is_called = true;
        self.ftl.flush(now + self.epoch, &mut self.plan)
    }

    /// Whether a request waits until what left the page registers before `mark` is on flash; it is told by
    /// [`Self::take_flushed`] when that is so.
    pub(crate) fn awaits_flush(&mut self, request: u32, mark: FlushMark) -> bool {
        let waits = !self.ftl.is_flushed(mark);
        if waits {
            self.flushes.push((request, mark));
        }
        waits
    }

    /// Whether requests wait for what left the page registers.
    #[inline]
    pub(crate) fn has_flushes(&self) -> bool {
        !self.flushes.is_empty()
    }

    /// A request for which all that left the page registers is on flash.
    pub(crate) fn take_flushed(&mut self) -> Option<u32> {
        let is_over = |(_, mark): &(u32, FlushMark)| self.ftl.is_flushed(*mark);
        let at = self.flushes.iter().position(is_over)?;
        Some(self.flushes.swap_remove(at).0)
    }
}
