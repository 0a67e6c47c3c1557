//! Tests of the page-level FTL: worked examples of the specifications, and invariants under
//! random commands, orders of completion, placements and failures.

mod align;
mod any_order;
mod collection;
mod copy_back;
mod persist;
mod refusals;
mod separation;
mod updates;
mod wear;

use wordline_nand::{BlockId, CommandsConfig, Geometry, GeometryConfig, PlaneId, RestrictionsConfig, Use};
use wordline_units::{ByteSize, Seed, SimTime};

use super::PageFtl;
use crate::allocation::AllocationConfig;
use crate::block::BlockRole;
use crate::config::FtlConfig;
use crate::contract::{Ftl, Inspect};
use crate::plan::{Bind, Outcome};
use crate::plan::{Lpn, Plan, Step, Work};
use crate::request::{Answer, PageOp, PageRequest};
use crate::space::{FillError, Filling, HOST};

/// What a drive under test is made of.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) geometry: GeometryConfig,
    pub(super) ftl: FtlConfig,
    pub(super) allocation: AllocationConfig,
    pub(super) commands: CommandsConfig,
}

impl Parts {
    /// One channel, one chip, one die of `planes` planes of `blocks` blocks of 64 pages of four
    /// sub-pages.
    pub(super) fn one_die(planes: u32, blocks: u32) -> Self {
        Self {
            geometry: GeometryConfig {
                channels: 1,
                chips_per_channel: 1,
                dies_per_chip: 1,
                planes_per_die: planes,
                blocks_per_plane: blocks,
                pages_per_block: 64,
                page_size: ByteSize(2048),
                ..GeometryConfig::default()
            },
            ftl: FtlConfig::default(),
            allocation: AllocationConfig::default(),
            commands: CommandsConfig::default(),
        }
    }

    pub(super) fn multi_plane(mut self, how: Use) -> Self {
        self.commands.multi_plane_write = how;
        self
    }

    pub(super) fn copyback(mut self, how: Use) -> Self {
        self.commands.copyback = how;
        self
    }

    pub(super) fn geometry(&self) -> Geometry {
        Geometry::new(&self.geometry).unwrap()
    }

    pub(super) fn try_build(&self) -> Result<PageFtl, crate::error::FtlError> {
        PageFtl::new(
            self.geometry(),
            &self.ftl,
            &self.allocation,
            &self.commands,
            &RestrictionsConfig::default(),
            Seed(1),
        )
    }

    pub(super) fn build(&self) -> PageFtl {
        self.try_build().unwrap()
    }
}

pub(super) fn request(op: PageOp, lpn: u64, bitmap: u64) -> PageRequest {
    PageRequest {
        op,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap,
        placement: 0,
        command_sectors: bitmap.count_ones(),
    }
}

pub(super) fn submit(ftl: &mut PageFtl, op: PageOp, lpn: u64, bitmap: u64) -> (Answer, Plan) {
    let mut plan = Plan::new();
    let answer = ftl.submit(SimTime::ZERO, &request(op, lpn, bitmap), &mut plan);
    (answer, plan)
}

pub(super) fn write(ftl: &mut PageFtl, lpn: u64, bitmap: u64) -> Plan {
    let (answer, plan) = submit(ftl, PageOp::Write, lpn, bitmap);
    assert_eq!(answer, Answer::Accepted);
    plan
}

/// Executes the steps of a plan in plane 0 at once.
pub(super) fn execute(ftl: &mut PageFtl, plan: &[Step]) {
    let mut grown = Plan::new();
    for step in plan {
        let (page, outcome) = match step.work {
            Work::Program { .. } | Work::CopyBack { .. } => match ftl.bind(SimTime::ZERO, step, PlaneId(0)) {
                Bind::Page(bound) => (Some(bound.page), Outcome::Good),
                Bind::Declined => (None, Outcome::Declined),
                Bind::NoSpace => panic!("no space"),
            },
            _ => (None, Outcome::Good),
        };
        ftl.done(SimTime::ZERO, step, page, outcome, &mut grown);
        let more = std::mem::take(&mut grown);
        execute(ftl, &more);
    }
}

/// Checks J1 and J2 (FTL specification, 12), the index over valid counts and the free blocks.
pub(super) fn check(ftl: &PageFtl) {
    let geometry = *ftl.geometry();
    let mut mapped = 0;
    let mut partial = 0;
    for lpn in 0..ftl.user_pages() {
        let Some(page) = ftl.lookup(Lpn(lpn)) else {
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), 0);
            continue;
        };
        mapped += 1;
        assert_eq!(ftl.owner(page), Some(Lpn(lpn)));
        let valid = ftl.valid_sectors(Lpn(lpn));
        assert!(valid != 0);
        partial += usize::from(valid != geometry.full_bitmap());
    }
    assert_eq!(ftl.map.partial_pages().len(), partial);
    let (mut valid, mut free) = (0, vec![0; ftl.space.pools.len()]);
    for block in 0..geometry.blocks() {
        let facts = ftl.block(BlockId(block));
        let owned = (0..geometry.pages_per_block)
            .filter(|page| ftl.owner(geometry.page(BlockId(block), *page)).is_some())
            .count() as u32;
        assert_eq!(facts.valid, owned, "block {block}");
        assert_eq!(
            facts.valid + facts.invalid + facts.free + facts.skipped,
            geometry.pages_per_block
        );
        match facts.role {
            BlockRole::Free => {
                assert_eq!(facts.free, geometry.pages_per_block);
                free[ftl.space.blocks.pool_of(block) as usize] += 1;
            }
            BlockRole::Open => assert!(facts.free > 0),
            BlockRole::Closed | BlockRole::Bad => {}
        }
        assert!(!ftl.space.blocks.is_candidate(block) || facts.role == BlockRole::Closed);
        valid += facts.valid;
    }
    assert_eq!(valid, mapped);
    for (pool, free) in free.into_iter().enumerate() {
        assert_eq!(ftl.space.pools[pool].free, free);
        let least = ftl
            .space
            .blocks
            .candidates(pool as u32)
            .map(|block| ftl.space.blocks.valid(block))
            .min();
        assert_eq!(ftl.space.blocks.least_valid(pool as u32), least);
        let sum: u64 = ftl
            .space
            .blocks
            .of_pool(pool as u32)
            .map(|block| u64::from(ftl.space.blocks.erases[block as usize]))
            .sum();
        assert_eq!(ftl.space.pools[pool].erases, sum);
    }
    let census = ftl.census();
    assert_eq!(census.valid, census.mapped);
    assert_eq!(
        census.valid + census.invalid + census.free + census.skipped,
        geometry.pages()
    );
}

/// Fills a block with what `owner_of` says; see `PageFtl::fill_block`.
pub(super) fn fill(
    ftl: &mut PageFtl,
    block: u32,
    written: u32,
    owner_of: &mut dyn FnMut(u32) -> Option<Lpn>,
    erase_count: u32,
    closed_order: u32,
) -> Result<(), FillError> {
    let filling = Filling {
        block: BlockId(block),
        written,
        frontier: HOST,
        erase_count,
        closed_order,
    };
    ftl.fill_block(&filling, owner_of)
}
