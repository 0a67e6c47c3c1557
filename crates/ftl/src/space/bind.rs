//! Binding: the page for a program that is about to start.

use wordline_nand::{PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::{Activity, FlashSpace, GC, HOST, WEAR};
use crate::block::BlockRole;
use crate::config::{GcFrontier, GcMode};
use crate::plan::{Bind, Bound};
use crate::plan::{Frontier, Step, Target, Work};

impl FlashSpace {
    /// Binds one program or copy-back whose data are still current. `give_up` is told each page that is given up.
    #[inline]
    pub(crate) fn bind(
        &mut self,
        now: SimTime,
        step: &Step,
        plane: PlaneId,
        give_up: &mut impl FnMut(u64),
    ) -> Bind {
        let (target, source) = match step.work {
            Work::Program { target, .. } => (target, None),
            Work::CopyBack { source, target, .. } => (target, Some(source.0)),
            _ => return Bind::Declined,
        };
        let asked = match target {
            Target::Frontier { frontier, .. } => frontier,
            Target::Page(page) => return Bind::Page(Bound { page, skipped: 0 }),
            // what is placed before it starts is not bound
            Target::Stripe { .. } => return Bind::Declined,
        };
        let host = step.cause.is_of_host();
        let frontier = self.frontier_in(plane.0, asked, host);
        // a copy-back holds the block of its source, which collection may be waiting to erase
        if host && source.is_none() && self.is_host_ahead(plane.0, frontier) {
            return Bind::NoSpace;
        }
        match source {
            None => match self.open_block(now, self.pool_of_plane(plane.0), plane.0, frontier, host) {
                Some(block) => {
                    let page = self.take_page(now, plane.0, frontier, block, host);
                    Bind::Page(Bound { page, skipped: 0 })
                }
                // the block that wear levelling chose is no more: any other of the pool will do
                None if asked == WEAR && frontier != asked => Bind::Declined,
                None if self.is_of_cache(frontier) => {
                    self.await_fold(now, plane.0);
                    Bind::NoSpace
                }
                None => self.no_space(now, plane.0, host),
            },
            Some(source) => self.bind_copy_back(now, plane.0, frontier, source, host, give_up),
        }
    }

    /// The frontier that a program writes to in a plane now, whether it is of the host, and whether it may open a block there; none where it may not write, or goes to no frontier.
    #[inline]
    pub(crate) fn frontier_of(&self, step: &Step, plane: u32) -> Option<(Frontier, bool, bool)> {
        let Work::Program {
            target: Target::Frontier { frontier, .. },
            ..
        } = step.work
        else {
            return None;
        };
        let host = step.cause.is_of_host();
        let frontier = self.frontier_in(plane, frontier, host);
        let (may_open, may_write) = self.may_open_for(self.pool_of_plane(plane), frontier, host);
        let may_open = may_open && !self.folds_elsewhere(plane, frontier, host);
        let may_write = may_write && !(host && self.is_host_ahead(plane, frontier));
        may_write.then_some((frontier, host, may_open))
    }

    /// Algorithm CB (allocation specification, 4.2): the destination has the parity of the
    /// source. Wise: otherwise no copy-back. Blind: otherwise the page is given up, where that
    /// can be afforded.
    pub(crate) fn bind_copy_back(
        &mut self,
        now: SimTime,
        plane: u32,
        frontier: Frontier,
        source: u64,
        host: bool,
        give_up: &mut impl FnMut(u64),
    ) -> Bind {
        // cells of one mode cannot be copied into cells of another, which the SLC cache has
        if host
            && self.cache.is_some()
            && self.is_of_cache(frontier) != self.blocks.is_slc(self.blocks.block_of(source))
        {
            return Bind::Declined;
        }
        let parity = self.page_index(source) % 2;
        let mut skipped = 0;
        loop {
            let Some(block) = self.open_block(now, self.pool_of_plane(plane), plane, frontier, host) else {
                // Not here: a move may find room elsewhere in its pool; and a host update must not
                // hold on to its source block while collection wants to erase it.
                self.no_space(now, plane, host);
                return Bind::Declined;
            };
            let next = u32::from(self.blocks.written[block as usize]);
            if !self.copy_back.same_parity || next % 2 == parity {
                let page = self.take_page(now, plane, frontier, block, host);
                return Bind::Page(Bound { page, skipped });
            }
            if self.copy_back.how != Use::Blind || self.affordable_skips(plane, host) == 0 {
                return Bind::Declined;
            }
            give_up(self.skip_page(plane, frontier, block, host));
            self.counters.skipped_copy_back += 1;
            // Only pages of the block that is programmed count as skipped on the way to it.
            skipped = u32::from(self.blocks.role[block as usize] == BlockRole::Open);
        }
    }

    /// The frontier to write to in a plane: as asked, but where the block that wear levelling
    /// chose is full or failed, go on as collection does; host writes go to the SLC cache while it has room; and where blocks have classes and there is no page of the class, in another.
    #[inline]
    pub(crate) fn frontier_in(&self, plane: u32, asked: Frontier, host: bool) -> Frontier {
        let frontier = if asked == WEAR && self.frontiers.active(plane, WEAR).is_none() {
            self.cold_frontier()
        } else {
            asked
        };
        // what has a placement handle has open blocks of its own, in the normal mode
        if host
            && let Some(cache) = &self.cache
            && !self.frontiers.units.is_of_writes(frontier)
        {
            return self.frontier_of_write(cache, plane, frontier);
        }
        if self.frontiers.classes.is_none() {
            return frontier;
        }
        self.frontier_with_page(plane, frontier, host)
    }

    fn page_index(&self, page: u64) -> u32 {
        let block = self.blocks.block_of(page);
        (page - self.first_page(block)) as u32
    }

    /// Whether a program may open a free block of the pool, and may write at all.
    ///
    /// Progress: host writes open no block once only the reserve is free. With shared frontiers
    /// they also keep off the open blocks while the reserve is broken into. So when collection
    /// starts, the reserve gives it b pages or more for the at most b valid pages of its victim,
    /// nobody else takes them, and the erase makes the reserve whole again. Each victim with an
    /// invalid page brings at least one page, so space above the reserve appears in the end.
    ///
    /// While collection has no victim it needs no reserve beyond the block that it starts with:
    /// host writes go on in the open blocks, whose closing gives it victims.
    #[inline]
    pub(crate) fn may_open(&self, pool: u32, host: bool) -> (bool, bool) {
        let state = &self.pools[pool as usize];
        let (free, reserve) = (state.free, self.capacity.watermarks.reserve);
        if !host {
            return (free > 0, true);
        }
        let shared = self.gc.frontier == GcFrontier::Shared;
        // what is folded takes a block at most, which may not come back as a free one
        let claimed = u32::from(self.cache.is_some() && self.is_folding(pool));
        let needs_reserve = || !(state.stuck && state.activity == Activity::Idle && free > 0);
        (
            free > reserve + claimed,
            !(free < reserve && shared && needs_reserve()),
        )
    }

    /// The same of the programs of a frontier: nobody else writes to the open blocks of the SLC cache.
    #[inline]
    pub(super) fn may_open_for(&self, pool: u32, frontier: Frontier, host: bool) -> (bool, bool) {
        match &self.cache {
            Some(cache) if cache.frontier == frontier => (self.may_cache(cache, pool), true),
            _ => self.may_open(pool, host),
        }
    }

    /// Whether an open block of a frontier has a page for its next program in another plane of a pool, and none has in this one.
    pub(crate) fn has_page_elsewhere(&self, plane: u32, frontier: Frontier) -> bool {
        let has_page = |plane: u32| {
            let next = || self.frontiers.next(&self.blocks, plane, frontier, false);
            self.frontiers.active(plane, frontier).or_else(next).is_some()
        };
        let planes = self.capacity.planes_per_pool;
        let first = self.pool_of_plane(plane) * planes;
        !has_page(plane) && (first..first + planes).any(has_page)
    }

    /// The block that a frontier writes to next in a plane of a pool, made its active block.
    #[inline]
    pub(crate) fn open_block(
        &mut self,
        now: SimTime,
        pool: u32,
        plane: u32,
        frontier: Frontier,
        host: bool,
    ) -> Option<u32> {
        let (may_open, may_write) = self.may_open_for(pool, frontier, host);
        if !may_write {
            return None;
        }
        self.frontiers.active(plane, frontier).or_else(|| {
            let may_open = may_open && !self.folds_elsewhere(plane, frontier, host);
            self.open_next(now, plane, frontier, may_open)
        })
    }

    /// Opens another block of a plane, a free one where that is allowed.
    #[inline(never)]
    fn open_next(&mut self, now: SimTime, plane: u32, frontier: Frontier, free: bool) -> Option<u32> {
        let block = self.frontiers.next(&self.blocks, plane, frontier, free)?;
        self.activate(now, plane, frontier, block);
        Some(block)
    }

    /// Opens a free block of a plane that no frontier writes to by itself.
    pub(crate) fn open_free_block(&mut self, now: SimTime, plane: u32, frontier: Frontier) -> Option<u32> {
        let block = self.frontiers.next_free(&self.blocks, plane, frontier)?;
        self.activate(now, plane, frontier, block);
        self.frontiers.close_active(plane, frontier);
        Some(block)
    }

    /// Makes a block the active one of a frontier.
    pub(crate) fn activate(&mut self, now: SimTime, plane: u32, frontier: Frontier, block: u32) {
        if self.frontiers.open(&mut self.blocks, plane, frontier, block) {
            if let Some(placement) = &mut self.placement {
                placement.opened(block, frontier, &mut self.counters.placement);
            }
            let pool = self.pool_of_plane(plane);
            let is_kept = self.cache_opened(pool, frontier, block);
            self.pools[pool as usize].free -= u32::from(!is_kept);
            self.update_urgency(pool, now);
        }
    }

    /// Takes the next page of an active block: programmed, and without valid data until done.
    #[inline]
    pub(super) fn take_page(
        &mut self,
        now: SimTime,
        plane: u32,
        frontier: Frontier,
        block: u32,
        host: bool,
    ) -> Ppn {
        let page = self.next_page(block);
        self.blocks.written[block as usize] += 1;
        self.blocks.begin_program(block);
        if self.blocks.is_full(block) {
            self.close_filled(plane, frontier, block);
        }
        if host {
            self.count_cached(now, frontier, u64::from(self.geometry.pages_per_program));
            self.count_host_program(now, self.pool_of_plane(plane));
        }
        page
    }

    /// Takes the pages that are programmed together with one that was bound.
    pub(crate) fn take_rest(&mut self, plane: u32, frontier: Frontier, first: u64) {
        let rest = self.geometry.pages_per_program as u16 - 1;
        if rest == 0 {
            return;
        }
        let block = self.blocks.block_of(first);
        self.blocks.written[block as usize] += rest;
        if self.blocks.is_full(block) {
            self.close_filled(plane, frontier, block);
        }
    }

    /// Passes pages of an open block that it does not have.
    pub(crate) fn take_absent(&mut self, block: u32, pages: u16) {
        self.blocks.written[block as usize] += pages;
        if self.blocks.is_full(block) {
            let frontier = Frontier(self.blocks.frontier[block as usize]);
            self.close_filled(self.blocks.plane_of(block), frontier, block);
        }
    }

    /// No page of an active block is left.
    #[inline]
    fn close_filled(&mut self, plane: u32, frontier: Frontier, block: u32) {
        self.frontiers.close_active(plane, frontier);
        self.blocks.close(block);
        self.queue_closed(block);
    }

    /// The next pages of an open block are programmed at once and hold current data: the first of them, and whether the
    /// block is full.
    #[inline]
    pub(crate) fn program_at_once(&mut self, now: SimTime, block: u32, pages: u16) -> (u64, bool) {
        self.blocks.validate(block, pages);
        self.blocks.record_program_time(block, now.ns());
        let first = self.first_page(block);
        let written = &mut self.blocks.written[block as usize];
        let page = first + u64::from(*written);
        *written += pages;
        (page, self.blocks.is_full(block))
    }

    /// Closes a block that was filled at once.
    #[inline(never)]
    pub(crate) fn close_full(&mut self, now: SimTime, plane: u32, frontier: Frontier, block: u32) {
        self.close_filled(plane, frontier, block);
        self.report_foldable(now, block);
        self.report_candidate(now, block);
    }

    /// The host writes a page to a pool.
    #[inline]
    pub(crate) fn count_host_program(&mut self, now: SimTime, pool: u32) {
        let state = &mut self.pools[pool as usize];
        self.counters.host_programs += 1;
        self.counters.free_blocks_sum += u64::from(state.free);
        if self.gc.mode.waits_for_pauses() || self.gc.mode == GcMode::Partial || self.cache.is_some() {
            self.record_host_program(now, pool);
        }
    }

    #[inline(never)]
    fn record_host_program(&mut self, now: SimTime, pool: u32) {
        self.pools[pool as usize].last_host = now;
        if self.gc.mode == GcMode::Partial {
            self.earn_credit(pool, now);
        }
    }

    /// Pages that may be given up in a plane: by relocations fewer than the victim has invalid
    /// ones, or collection would gain nothing and never end; by host writes any number while the
    /// pool does not live on its reserve.
    pub(crate) fn affordable_skips(&self, plane: u32, host: bool) -> u32 {
        let pool = &self.pools[self.pool_of_plane(plane) as usize];
        if !host {
            pool.slack
        } else if pool.free > self.capacity.watermarks.reserve {
            u32::MAX
        } else {
            0
        }
    }

    /// Gives up the next page of an active block, and says which it is.
    pub(crate) fn skip_page(&mut self, plane: u32, frontier: Frontier, block: u32, host: bool) -> u64 {
        if !host {
            let pool = self.pool_of_plane(plane);
            self.pools[pool as usize].slack -= 1;
        }
        let page = self.blocks.written[block as usize];
        self.blocks.written[block as usize] = page + 1;
        if self.blocks.is_full(block) {
            self.close_filled(plane, frontier, block);
        }
        self.first_page(block) + u64::from(page)
    }

    /// A plane has no page for a program; for a host program collection becomes urgent.
    #[cold]
    fn no_space(&mut self, now: SimTime, plane: u32, host: bool) -> Bind {
        if host {
            self.counters.no_space += 1;
            let pool = self.pool_of_plane(plane);
            // The review clears the mark where the plane, not its pool, is out of blocks: then
            // other planes of the pool serve the write, and nothing needs to hurry.
            self.pools[pool as usize].starved = true;
            self.pools[pool as usize].awaits_fold = self.cache.is_some() && self.is_folding(pool);
            self.update_urgency(pool, now);
        }
        Bind::NoSpace
    }

    /// The frontier to which collection moves the pages of a block: where they have no open blocks of their own, they keep
    /// their temperature or take the next colder one. Those of a placement handle may be kept apart.
    #[inline]
    pub(crate) fn frontier_of_moves(&self, victim: u32) -> Frontier {
        if let Some(placement) = &self.placement
            && let Some(frontier) =
                placement.frontier_of_moves(self.blocks.pool_of(victim), victim, self.gc.frontier)
        {
            return frontier;
        }
        let former = Frontier(self.blocks.frontier[victim as usize]);
        match self.gc.frontier {
            GcFrontier::Separate => GC,
            GcFrontier::Shared => self.frontiers.of_moved(former, self.capacity.cools_when_moved),
        }
    }

    /// The frontier of cold pages for which wear levelling has no block any more.
    pub(super) const fn cold_frontier(&self) -> Frontier {
        match self.gc.frontier {
            GcFrontier::Separate => GC,
            GcFrontier::Shared => self.frontiers.coldest,
        }
    }

    /// Whether all writes of the host may go to any open block of theirs.
    fn has_one_kind_of_writes(&self) -> bool {
        self.capacity.temperatures == 1 && self.capacity.handles.count == 0
    }

    /// Closes the open block of a pool that has the fewest current pages among those that are not being written, if collection
    /// gains from it; whether there is one. Pages of one temperature can be written to all such blocks.
    #[cold]
    pub(crate) fn close_parked(&mut self, pool: u32) -> bool {
        if self.has_one_kind_of_writes() {
            return false;
        }
        let planes = self.capacity.planes_per_pool;
        let open = (pool * planes..(pool + 1) * planes)
            .flat_map(|plane| self.frontiers.available_from(plane, 0))
            .filter(|block| {
                self.blocks.role[*block as usize] == BlockRole::Open && !self.blocks.is_slc(*block)
            });
        let emptiest = open.min_by_key(|block| self.blocks.valid(*block));
        let gained = emptiest.filter(|block| {
            self.blocks.valid(*block) + self.geometry.pages_per_program <= self.geometry.pages_per_block
        });
        if let Some(block) = gained {
            self.frontiers.close_early(&mut self.blocks, block);
        }
        gained.is_some()
    }

    /// Gives what is left of the block that wear levelling fills in a plane to host writes. Where these have several
    /// temperatures or handles the block is closed as it is: writes of the coldest one may be so rare that such blocks would pile up,
    /// and an open block is no candidate for collection.
    pub(crate) fn end_wear_block(&mut self, plane: u32) {
        if self.has_one_kind_of_writes() {
            self.frontiers
                .transfer_active(&mut self.blocks, plane, WEAR, HOST);
        } else if let Some(block) = self.frontiers.active(plane, WEAR) {
            self.frontiers.close_early(&mut self.blocks, block);
        }
    }
}
