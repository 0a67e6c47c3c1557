//! Page-level mapping with superblocks over several planes (FTL specification, 2.8; Tai, Flash Memory Summit 2016).
//!
//! A superblock is one block of each plane of a group, all of one index. It is filled superpage by superpage, collected and erased as one. The map, the
//! blocks, the policies of collection and ageing are those of a page-level mapping on an array whose blocks are superblocks
//! ([`Geometry::striped`]); which page of flash is which page of a superblock says the `layout`.
//!
//! A program gets its page as soon as its data are in the controller (`Ftl::place`), in the order in which programs come, whatever the planes are
//! doing. So the planes of a die have the pages of one superpage to program, one after the other or with one command, and are in step by
//! construction: also where the drive has aged. Host writes of each temperature and handle, and relocated pages, have open superblocks of their own.

mod completion;
mod computing;
mod damage;
mod erasing;
mod facts;
mod keys;
mod layout;
mod members;
mod padding;
mod parts;
mod persist;
mod rebuilding;
mod recovery;
mod replacing;
pub(crate) mod row;
mod steps;
#[cfg(test)]
mod tests;
mod turns;
mod unreadable;

use std::collections::BTreeMap;

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::page::PageFtl;
use crate::block::{BlockFacts, BlockUse, Census, CleanSpace};
use crate::config::{FlashRules, MappingInput};
use crate::contract::{
    Ahead, CollectedSpace, Facts, FlushMark, Flushing, Ftl, Inspect, LookupTable, ReadRepair,
};
use crate::counters::{FtlCounters, ParityCounters};
use crate::error::FtlError;
use crate::hand_out;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Cause, Lpn, Outcome, Plan, Scope, Step, Work};
use crate::request::{Answer, PageRequest};
use crate::table_cost::{TableCost, address_bytes};
use damage::Damage;
use erasing::Erasing;
use keys::{BadMember, Partial};
use layout::Layout;
use parts::Parts;
use recovery::Recovery;
use turns::Turns;

/// A page-level FTL with superblocks.
pub(crate) struct StripedFtl {
    layout: Layout,
    /// The page-level FTL of the superblocks.
    pages: PageFtl,
    /// Where a program goes that may go to several groups.
    turns: Turns,
    /// By pool: when its job was asked for its last plan.
    asked: Vec<SimTime>,
    /// Superblocks that are being erased.
    erasing: BTreeMap<BlockId, Erasing>,
    recovery: Recovery,
    /// Pages of blocks that no program had reached when the power failed: they are passed over.
    given_up: BTreeMap<BlockId, u32>,
    damage: Damage,
    /// Whether a flush completes superpages.
    pads: bool,
    /// Kept for its space.
    steps: Plan,
}

impl StripedFtl {
    /// An empty drive.
    ///
    /// # Errors
    /// As for `PageFtl`; superblocks that are too large.
    fn new(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let parts = Parts::of(input)?;
        let capacity = parts.capacity()?.with_width(parts.layout.data());
        let user_pages = capacity.user_pages;
        let pages = PageFtl::with_capacity(&parts.input(input), rules, capacity, user_pages)?;
        let Parts { layout, keys, .. } = parts;
        let mut ftl = Self {
            turns: Turns::new(pages.space.frontiers.count(), pages.pools()),
            asked: vec![SimTime::ZERO; pages.pools() as usize],
            layout,
            pages,
            erasing: BTreeMap::new(),
            recovery: Recovery::default(),
            given_up: BTreeMap::new(),
            damage: Damage {
                way: keys.bad_member,
                most_unreadable: keys.unreadable_pages,
                rewrites: keys.rewrite_recovered,
                ..Damage::default()
            },
            pads: keys.partial_superpages == Partial::Pad,
            steps: Plan::new(),
        };
        // superblocks that come back, or whose pages are read at the cost of others, are not left as they are
        ftl.pages.collector.failed_first =
            keys.bad_member != BadMember::Retire || keys.unreadable_pages.is_some();
        let bad = input.config.failures.bad_from_start(rules.seed, input.geometry);
        ftl.leave_out_from_start(&bad);
        Ok(ftl)
    }
}

/// What the spare area of a page without data names as its owner.
const NO_OWNER: Lpn = Lpn(u64::MAX);

/// Whether a step programs a page without data; its token is the number of the superpage.
fn is_padding(step: &Step) -> bool {
    step.lpn == NO_OWNER
}

impl Ftl for StripedFtl {
    hand_out!(
        Ageing,
        Collection,
        ProgramTimes,
        Recovery,
        Repairs,
        Table;
        pages: Placement,
    );

    fn geometry(&self) -> &Geometry {
        self.layout.flash()
    }

    /// Each superpage has a page of its own: its parity.
    fn facts(&self) -> Facts {
        let has_parity = self.layout.has_parity();
        Facts {
            programs_on_flush: self.pads,
            joins_placed_programs: true,
            own_pages: if has_parity { self.layout.superpages() } else { 0 },
            own_pages_hold: "parity",
            ..Facts::of_pages(self.geometry())
        }
    }

    fn user_pages(&self) -> u64 {
        self.pages.user_pages()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.pages.prefetch(lpn, ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.pages.submit(now, request, plan);
        self.put_on_flash(plan);
        answer
    }

    /// No program of this mapping is bound when it starts: all are placed before.
    fn bind(&mut self, _: SimTime, _: &Step, _: PlaneId) -> Bind {
        Bind::Declined
    }

    fn place(&mut self, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        self.place_step(now, step, plan)
    }

    fn flush(&mut self, _: SimTime, plan: &mut Plan) -> Flushing {
        if self.pads {
            self.plan_padding(plan)
        } else {
            Flushing::DONE
        }
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.recovery.is_flushed(mark)
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        let first = notices.len();
        self.pages.notices(notices);
        for notice in &mut notices[first..] {
            // the planes of a group are no scope
            notice.scope = Scope::Drive;
        }
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let mut steps = std::mem::take(&mut self.steps);
        if let Some(asked) = self.asked.get_mut(job.pool() as usize) {
            *asked = now;
        }
        let state = self.pages.advance(now, job, &mut steps);
        self.put_on_flash(&mut steps);
        self.expand_erases(&mut steps, plan);
        self.steps = steps;
        state
    }
}

impl ReadRepair for StripedFtl {
    fn recovers(&self, step: &Step) -> bool {
        self.can_recover(step)
    }

    fn repairs_flash(&self) -> bool {
        self.damage.most_unreadable.is_some() || self.damage.rewrites
    }

    fn page_wanted(&self, step: &Step) -> Option<Ppn> {
        match (step.cause, step.work) {
            (Cause::Parity, Work::Read { .. }) => self.recovery.wanted(step),
            _ => step.work.planned_page(),
        }
    }
}

impl Inspect for StripedFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        match lpn.0.checked_sub(self.user_pages()) {
            Some(superpage) => self.parity_on_flash(superpage),
            None => Some(self.layout.page_of_flash(self.pages.lookup(lpn)?)),
        }
    }

    fn mapped_pages(&self) -> u64 {
        self.pages.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        if page.0 >= self.geometry().pages() {
            return None;
        }
        self.layout.membership(self.layout.flash().block_of(page))?;
        let Some(of_superblock) = self.layout.page_of_superblock(page) else {
            let superpage = self.layout.superpage_of_parity(page)?;
            return self
                .parity_on_flash(superpage)
                .map(|_| Lpn(self.user_pages() + superpage));
        };
        self.pages.owner(of_superblock)
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.pages.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.facts_of_block(block)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.use_of(block)
    }

    /// Erases are counted by blocks, victims by superblocks.
    fn counters(&self) -> FtlCounters {
        let counted = self.pages.counters();
        FtlCounters {
            erases: counted.erases * u64::from(self.layout.width()) - self.damage.missed_erases,
            retired_blocks: self.damage.retired,
            parity: self.recovery.counters,
            ..counted
        }
    }

    fn reset_counters(&mut self) {
        self.pages.reset_counters();
        self.recovery.counters = ParityCounters::default();
        (self.damage.retired, self.damage.missed_erases) = (0, 0);
    }

    fn census(&self) -> Census {
        if !self.layout.members_now.is_plain() {
            let parities =
                (0..self.facts().own_pages).filter(|superpage| self.parity_on_flash(*superpage).is_some());
            let own = parities.count() as u64;
            return Census::of_blocks(
                self.geometry(),
                |block| self.block(block),
                self.mapped_pages(),
                own,
            );
        }
        let of_data = self.pages.census();
        let (mut own, mut invalid) = (0, of_data.invalid);
        if self.layout.has_parity() {
            for superblock in (0..self.layout.superblocks().blocks()).map(BlockId) {
                let complete = self.complete_superpages(superblock);
                let parities = u64::from(complete - self.missing_parities(superblock, |_| true));
                own += parities;
                invalid += self.superpages_passed(superblock) - parities;
            }
        }
        // the members of a superblock that is being erased come free one by one
        for (superblock, erasing) in &self.erasing {
            let written = self.layout.superblocks().pages_per_block - self.pages.block(*superblock).free;
            let erased = (0..self.layout.width()).filter(|member| erasing.has_erased(*member));
            let erased: u32 = erased
                .map(|member| self.layout.written(*superblock, member, written))
                .sum();
            invalid -= u64::from(erased);
        }
        let valid = of_data.valid + own;
        Census {
            valid,
            invalid,
            free: self.geometry().pages() - valid - invalid - of_data.skipped,
            own,
            ..of_data
        }
    }
}

/// Superblocks are collected.
impl CollectedSpace for StripedFtl {
    fn pools(&self) -> u32 {
        self.pages.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.layout.superblocks()
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        self.layout.membership(block).map(|(superblock, _)| superblock)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        let block = self.layout.flash().block(plane, 0);
        let (superblock, _) = self.layout.superblock_of(block);
        self.pages
            .clean_space(self.layout.superblocks().plane_of(superblock))
    }

    fn stuck_pools(&self) -> u32 {
        self.pages.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.pages.least_blocks()
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.usable_pages_of(pool)
    }
}

impl LookupTable for StripedFtl {
    /// The controller has an entry for each logical page; the newest version of a page is found among all programmed ones.
    fn table_cost(&self) -> TableCost {
        TableCost {
            memory_bytes: self.user_pages() * address_bytes(self.geometry().pages()),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: self.programmed_per_die(),
        }
    }
}
