//! What the page mapping has to do with beside mapping pages: subjects of the space that it works on.

use wordline_nand::{BlockId, Mode, PlaneId, Ppn};
use wordline_units::SimTime;

use super::PageFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::contract::{Batches, CachedWrites, ClassedBlocks, PageModes, Relocated};
use crate::jobs::look_for_refresh;
use crate::notice::JobId;
use crate::plan::{Lpn, Step, Target, Work};
use crate::refresh::{BlockReport, RefreshTotals, Refreshing};
use crate::request::TimedRequest;
use crate::space::{GroupCounters, HandleCounters, PlacedWrites, release_handle};

/// Which subjects the keys of the drive ask for.
impl PageFtl {
    pub(super) const fn has_cache(&self) -> bool {
        self.space.tenants.cache.is_some()
    }

    pub(super) fn has_classes(&self) -> bool {
        self.space.tenants.classes.is_some()
    }

    pub(in crate::mapping) fn has_modes(&self) -> bool {
        self.has_cache() || self.has_classes()
    }

    pub(in crate::mapping) const fn has_placement(&self) -> bool {
        self.space.tenants.placement.is_some()
    }

    pub(super) const fn has_refresh(&self) -> bool {
        self.space.tenants.refresh.is_some()
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
        let placement = self.space.tenants.placement.as_ref();
        placement.map_or_else(Vec::new, |placement| placement.handles().collect())
    }

    fn reclaim_groups(&self) -> Vec<GroupCounters> {
        let placement = self.space.tenants.placement.as_ref();
        placement.map_or_else(Vec::new, |placement| placement.groups().to_vec())
    }

    fn release_handle(&mut self, now: SimTime, handle: u16) {
        release_handle(&mut self.space, now, handle);
    }

    fn restart_counts(&mut self) {
        if let Some(placement) = &mut self.space.tenants.placement {
            placement.restart_counts();
        }
    }
}

impl Refreshing for PageFtl {
    fn totals(&self) -> RefreshTotals {
        let refresher = self.space.tenants.refresh.as_ref();
        refresher.map_or_else(RefreshTotals::default, |refresher| refresher.totals())
    }

    fn observe_blocks(&mut self, reports: &[BlockReport]) {
        if let Some(refresher) = &mut self.space.tenants.refresh {
            refresher.observe_blocks(&self.space.ground, reports);
        }
    }

    fn look_for_refresh(&mut self, now: SimTime) -> bool {
        look_for_refresh(&mut self.space, now)
    }

    fn next_refresh_look(&self) -> Option<SimTime> {
        self.space.tenants.refresh.as_ref()?.next_look()
    }

    fn restart_counts(&mut self) {
        if let Some(refresher) = &mut self.space.tenants.refresh {
            refresher.reset_totals();
        }
    }
}

impl CachedWrites for PageFtl {
    fn full_since(&self) -> Option<SimTime> {
        self.space.tenants.cache.as_ref()?.full_since
    }

    fn restart_counts(&mut self) {
        if let Some(cache) = &mut self.space.tenants.cache {
            cache.full_since = None;
        }
    }
}

/// Modes are a matter of blocks here: of those in the SLC cache, or of a class. Those of single pages are kept around the mapping.
impl PageModes for PageFtl {
    fn mode_names(&self) -> &[String] {
        self.space.tenants.mode_names()
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        self.space.tenants.mode_of(&self.space.ground, page)
    }

    fn block_mode(&self, block: BlockId) -> Option<Mode> {
        Some(self.page_mode(self.space.geometry.page(block, 0)))
    }
}

impl ClassedBlocks for PageFtl {
    fn class_of(&self, step: &Step) -> u8 {
        match step.work {
            Work::Program {
                target: Target::Frontier { frontier, .. },
                ..
            } => self.space.frontiers.kind_of(frontier),
            _ => 0,
        }
    }

    fn free_pages_of_class(&self, plane: PlaneId, class: u8) -> u32 {
        let classes = self.space.tenants.classes.as_ref();
        classes.map_or(0, |classes| {
            classes.free_pages(&self.space.ground, plane.0, class)
        })
    }
}
