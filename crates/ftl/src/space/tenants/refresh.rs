//! What refresh sees of blocks and pools.

use wordline_units::SimTime;

use super::tenant::Tenant;
use crate::refresh::{BlockReport, Refresher};
use crate::space::Ground;
use crate::state::archive::{Archive, ArchiveError};

impl Tenant for Refresher {
    fn freed(&mut self, _: &mut Ground, block: u32) {
        self.leave(block);
    }

    fn retired(&mut self, _: &mut Ground, block: u32) {
        self.leave(block);
    }

    fn ended_moving(&mut self, ground: &mut Ground, pool: u32) {
        ground.pools[pool as usize].refreshing = false;
    }

    fn latest_time(&self) -> Option<SimTime> {
        Some(self.latest())
    }

    fn archive_times(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.archive(archive)
    }

    /// Those that keep data too short, as far as their pool can spare them.
    fn refuses(&mut self, ground: &Ground, now: SimTime, block: u32) -> bool {
        let free = ground.pools[ground.blocks.pool_of(block) as usize].free;
        let kept = ground.capacity.watermarks.reserve + 1;
        self.retires(now, block, free, kept)
    }
}

impl Refresher {
    /// Tells what happened to blocks. What was told of a block before its last erase is left out.
    pub(crate) fn observe_blocks(&mut self, ground: &Ground, reports: &[BlockReport]) {
        for report in reports {
            if ground.blocks.erases[report.block.index()] == report.erases {
                self.observe(report);
            }
        }
    }
}
