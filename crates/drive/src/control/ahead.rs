//! Commands that are known ahead: what they will look at is brought into the cache.

use wordline_ftl::{Ahead, Ftl, Inspect, Lpn};
use wordline_nand::BlockId;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Brings what a command that is known ahead will look at into the cache; see `Ftl::prefetch`.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: Lpn) {
        self.ftl.prefetch(lpn, Ahead::Far);
    }

    /// The second step of the same.
    #[inline]
    pub(crate) fn prefetch_next(&self, lpn: Lpn) {
        self.ftl.prefetch(lpn, Ahead::Near);
    }

    /// The block, as the FTL counts them, in which a logical page is.
    #[inline]
    pub(crate) fn block_of(&self, lpn: Lpn) -> Option<BlockId> {
        let page = self.ftl.lookup(lpn)?;
        Some(self.ftl.unit_geometry().block_of(page))
    }
}
