//! What the page mapping has to do with beside mapping pages: subjects of the space that it works on.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::contract::{Batches, CachedWrites, Relocated};
use crate::notice::JobId;
use crate::plan::Lpn;
use crate::refresh::{BlockReport, RefreshTotals, Refreshing};
use crate::request::TimedRequest;
use crate::space::{GroupCounters, HandleCounters, PlacedWrites};

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
