//! Binding: the page for a program that is about to start.

use wordline_nand::{PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::FlashSpace;
use super::tenants::{Tenant, each};
use crate::block::BlockRole;
use crate::config::GcMode;
use crate::plan::WEAR;
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
                None if self.waits_for_tenant(now, plane.0, frontier) => Bind::NoSpace,
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
        let may_open = may_open && !self.holds_back(plane, frontier, host);
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
        if host {
            each!(&self.tenants, tenant => if tenant.forbids_copy(&self.ground, source, frontier) {
                return Bind::Declined;
            });
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
    /// chose is full or failed, go on as collection does, and where a tenant has another one, there.
    #[inline]
    pub(crate) fn frontier_in(&self, plane: u32, asked: Frontier, host: bool) -> Frontier {
        let frontier = if asked == WEAR && self.frontiers.active(plane, WEAR).is_none() {
            self.cold_frontier()
        } else {
            asked
        };
        each!(
            &self.tenants,
            tenant => if let Some(own) = tenant.choose_frontier(&self.ground, plane, frontier, host) {
                return own;
            }
        );
        frontier
    }

    /// Whether a program of a frontier may open a free block of the pool, and may write at all: as the tenant whose frontier it is says, else see [`super::Ground::may_open`].
    #[inline]
    fn may_open_for(&self, pool: u32, frontier: Frontier, host: bool) -> (bool, bool) {
        each!(&self.tenants, tenant => if let Some(may) = tenant.may_open(&self.ground, pool, frontier) {
            return (may, true);
        });
        let mut claimed = false;
        each!(&self.tenants, tenant => claimed |= host && tenant.claims_block(&self.ground, pool));
        self.ground.may_open(pool, host, claimed)
    }

    /// Whether a tenant has a frontier leave the free blocks of a plane alone.
    #[inline]
    fn holds_back(&self, plane: u32, frontier: Frontier, host: bool) -> bool {
        let mut holds_back = false;
        each!(
            &self.tenants,
            tenant => holds_back |= tenant.holds_back(&self.ground, plane, frontier, host)
        );
        holds_back
    }

    /// Whether a host write that found no page waits for a tenant, and not for collection.
    fn waits_for_tenant(&mut self, now: SimTime, plane: u32, frontier: Frontier) -> bool {
        let pool = self.pool_of_plane(plane);
        let mut waits = false;
        each!(
            &mut self.tenants,
            tenant => waits |= tenant.makes_wait(&mut self.ground, now, pool, frontier)
        );
        if waits {
            self.update_urgency(pool, now);
        }
        waits
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
            let may_open = may_open && !self.holds_back(plane, frontier, host);
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
        let ground = &mut self.ground;
        if ground.frontiers.open(&mut ground.blocks, plane, frontier, block) {
            each!(&mut self.tenants, tenant => tenant.opened(&mut self.ground, frontier, block));
            let pool = self.pool_of_plane(plane);
            self.pools[pool as usize].free -= 1;
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
            self.count_host_pages(now, frontier, u64::from(self.geometry.pages_per_program));
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
        each!(&mut self.tenants, tenant => tenant.closed(&self.ground, block));
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
        self.report_ready(now, block);
    }

    /// Pages of the host are programmed by a frontier.
    #[inline]
    pub(crate) fn count_host_pages(&mut self, now: SimTime, frontier: Frontier, pages: u64) {
        each!(&mut self.tenants, tenant => tenant.host_wrote(&mut self.ground, now, frontier, pages));
    }

    /// The host writes a page to a pool.
    #[inline]
    pub(crate) fn count_host_program(&mut self, now: SimTime, pool: u32) {
        let ground = &mut self.ground;
        ground.counters.host_programs += 1;
        ground.counters.free_blocks_sum += u64::from(ground.pools[pool as usize].free);
        if self.watches_pauses() || self.gc.mode == GcMode::Partial {
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
            each!(&mut self.tenants, tenant => tenant.starved(&mut self.ground, pool));
            self.update_urgency(pool, now);
        }
        Bind::NoSpace
    }

    /// The frontier to which collection moves the pages of a block: that of a tenant who keeps them apart, else see [`super::Ground::frontier_of_moves`].
    #[inline]
    pub(crate) fn frontier_of_moves(&self, victim: u32) -> Frontier {
        each!(&self.tenants, tenant => if let Some(own) = tenant.frontier_of_moves(&self.ground, victim) {
            return own;
        });
        self.ground.frontier_of_moves(victim)
    }
}
