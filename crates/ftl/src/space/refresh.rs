//! What refresh sees of blocks and pools.

use wordline_units::SimTime;

use super::FlashSpace;
use crate::refresh::BlockReport;

impl FlashSpace {
    /// Tells what happened to blocks. What was told of a block before its last erase is left out.
    pub(crate) fn observe_blocks(&mut self, reports: &[BlockReport]) {
        let Some(refresher) = &mut self.refresh else {
            return;
        };
        for report in reports {
            if self.blocks.erases[report.block.index()] == report.erases {
                refresher.observe(report);
            }
        }
    }

    /// Looks for blocks that are due; whether there are any.
    pub(crate) fn look_for_refresh(&mut self, now: SimTime) -> bool {
        let Some(refresher) = &mut self.refresh else {
            return false;
        };
        let blocks = &self.blocks;
        refresher.look(now, &|block| blocks.valid(block));
        let urgencies: Vec<_> = (0..self.pools.len() as u32)
            .map(|pool| refresher.urgency(pool, now))
            .collect();
        for (pool, urgency) in (0..).zip(&urgencies) {
            self.pools[pool as usize].refresh = *urgency;
            if urgency.is_some() {
                self.update_urgency(pool, now);
            }
        }
        urgencies.iter().any(Option::is_some)
    }

    /// Whether a block that was erased keeps data too short to be used again.
    pub(crate) fn is_unusable(&mut self, now: SimTime, block: u32) -> bool {
        let free = self.pools[self.blocks.pool_of(block) as usize].free;
        let kept = self.capacity.watermarks.reserve + 1;
        self.refresh
            .as_mut()
            .is_some_and(|refresher| refresher.retires(now, block, free, kept))
    }
}
