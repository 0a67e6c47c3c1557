//! What the page mapping has to do with beside mapping pages: subjects of the space that it works on.

use wordline_nand::{BlockId, Mode, PlaneId, Ppn};
use wordline_units::SimTime;

use super::PageFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::block_classes::BlockClasses;
use crate::contract::{Batches, CachedWrites, ClassedBlocks, PageModes, Relocated};
use crate::notice::JobId;
use crate::plan::{Lpn, Step, Target, Work};
use crate::refresh::{BlockReport, RefreshTotals, Refreshing};
use crate::request::TimedRequest;
use crate::space::{GroupCounters, HandleCounters, PlacedWrites};

/// Which subjects the keys of the drive ask for.
impl PageFtl {
    pub(super) const fn has_cache(&self) -> bool {
        self.space.cache.is_some()
    }

    pub(super) fn has_classes(&self) -> bool {
        self.space.block_classes().is_some()
    }

    pub(in crate::mapping) fn has_modes(&self) -> bool {
        self.has_cache() || self.has_classes()
    }

    pub(super) const fn has_placement(&self) -> bool {
        self.space.placement.is_some()
    }

    pub(super) const fn has_refresh(&self) -> bool {
        self.space.refresh.is_some()
    }
}

impl Batches for PageFtl {
    #[inline]
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        self.write_pages(now, requests, kept, turns, written)
    }

    #[inline]
    fn read_at_once(&mut self, now: SimTime, lpn: Lpn, bitmap: u64) -> Option<Ppn> {
        self.read_page(now, lpn, bitmap)
    }

    fn relocate_at_once(
        &mut self,
        now: SimTime,
        job: JobId,
        most: usize,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        let (collector, mut work) = self.work();
        collector.relocate_at_once(&mut work, now, (job.pool(), most), turns, relocated);
    }
}

impl PlacedWrites for PageFtl {
    fn handles(&self) -> Vec<(u16, HandleCounters)> {
        let placement = self.space.placement.as_ref();
        placement.map_or_else(Vec::new, |placement| placement.handles().collect())
    }

    fn reclaim_groups(&self) -> Vec<GroupCounters> {
        let placement = self.space.placement.as_ref();
        placement.map_or_else(Vec::new, |placement| placement.groups().to_vec())
    }

    fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.space.release_handle(now, handle);
    }

    fn restart_counts(&mut self) {
        if let Some(placement) = &mut self.space.placement {
            placement.restart_counts();
        }
    }
}

impl Refreshing for PageFtl {
    fn totals(&self) -> RefreshTotals {
        let refresher = self.space.refresh.as_ref();
        refresher.map_or_else(RefreshTotals::default, |refresher| refresher.totals())
    }

    fn observe_blocks(&mut self, reports: &[BlockReport]) {
        self.space.observe_blocks(reports);
    }

    fn look_for_refresh(&mut self, now: SimTime) -> bool {
        self.space.look_for_refresh(now)
    }

    fn next_refresh_look(&self) -> Option<SimTime> {
        self.space.refresh.as_ref()?.next_look()
    }

    fn restart_counts(&mut self) {
        if let Some(refresher) = &mut self.space.refresh {
            refresher.reset_totals();
        }
    }
}

impl CachedWrites for PageFtl {
    fn full_since(&self) -> Option<SimTime> {
        self.space.cache.as_ref()?.full_since
    }

    fn restart_counts(&mut self) {
        if let Some(cache) = &mut self.space.cache {
            cache.full_since = None;
        }
    }
}

/// Modes are a matter of blocks here: of those in the SLC cache, or of a class. Those of single pages are kept around the mapping.
impl PageModes for PageFtl {
    fn mode_names(&self) -> &[String] {
        match &self.space.cache {
            Some(cache) => &cache.names,
            None => self.space.block_classes().map_or(&[], BlockClasses::names),
        }
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        self.space.mode_of(page)
    }

    fn block_mode(&self, block: BlockId) -> Option<Mode> {
        Some(self.space.mode_of(self.space.geometry.page(block, 0)))
    }
}

impl ClassedBlocks for PageFtl {
    fn class_of(&self, step: &Step) -> u8 {
        match step.work {
            Work::Program {
                target: Target::Frontier { frontier, .. },
                ..
            } => self.space.frontiers.class_of(frontier),
            _ => 0,
        }
    }

    fn free_pages_of_class(&self, plane: PlaneId, class: u8) -> u32 {
        self.space.free_pages_of_class(plane.0, class)
    }
}
