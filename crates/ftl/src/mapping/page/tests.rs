//! Tests of the page-level FTL: worked examples of the specifications, and invariants under
//! random commands, orders of completion, placements and failures.

mod align;
mod any_order;
mod collection;
mod copy_back;
mod emptied;
mod groups;
mod persist;
mod placement;
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
use crate::map::HostMap;
use crate::mapping::checks::check_pages_and_blocks;
use crate::plan::HOST;
use crate::plan::{Bind, Outcome};
use crate::plan::{Lpn, Plan, Step, Work};
use crate::request::{Answer, PageOp, PageRequest};
use crate::space::{FillError, Filling};

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
        class: 0,
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

/// Executes the steps of a plan at once, programs in the first plane that has room.
pub(super) fn execute(ftl: &mut PageFtl, plan: &[Step]) {
    let mut grown = Plan::new();
    for step in plan {
        let (page, outcome) = match step.work {
            Work::Program { .. } | Work::CopyBack { .. } => {
                let planes = 0..ftl.geometry().planes();
                let mut bound = planes.map(|plane| ftl.bind(SimTime::ZERO, step, PlaneId(plane)));
                match bound.find(|bind| *bind != Bind::NoSpace) {
                    Some(Bind::Page(bound)) => (Some(bound.page), Outcome::Good),
                    Some(Bind::Declined) => (None, Outcome::Declined),
                    _ => panic!("no space"),
                }
            }
            _ => (None, Outcome::Good),
        };
        ftl.done(SimTime::ZERO, step, page, outcome, &mut grown);
        let more = std::mem::take(&mut grown);
        execute(ftl, &more);
    }
}

/// Checks what holds of every mapping, the index over valid counts and the free blocks.
pub(super) fn check(ftl: &PageFtl) {
    let free = check_pages_and_blocks(ftl);
    let full = ftl.geometry().full_bitmap();
    let mapped = (0..ftl.user_pages()).filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some());
    let partial = mapped.filter(|lpn| ftl.valid_sectors(Lpn(*lpn)) != full);
    assert_eq!(ftl.map.partial_pages().len(), partial.count());
    let blocks = &ftl.space.blocks;
    for block in 0..ftl.geometry().blocks() {
        let role = blocks.role[block as usize];
        assert!(!blocks.is_candidate(block) || role == BlockRole::Closed);
    }
    for pool in 0..ftl.space.pools.len() as u32 {
        let state = &ftl.space.pools[pool as usize];
        let planes = ftl.space.pool_planes(pool);
        let of_pool: u32 = free[planes.start as usize..planes.end as usize].iter().sum();
        assert_eq!(state.free, of_pool);
        let least = blocks.candidates(pool).map(|block| blocks.valid(block)).min();
        assert_eq!(blocks.least_valid(pool), least);
        let mut found = Vec::new();
        blocks.least_candidates(pool, |block| found.push(block));
        let of_pool = blocks.candidates(pool);
        let expected: Vec<u32> = of_pool
            .filter(|block| Some(blocks.valid(*block)) == least)
            .collect();
        assert_eq!(found, expected);
        let erases = blocks
            .of_pool(pool)
            .map(|block| u64::from(blocks.erases[block as usize]));
        assert_eq!(state.erases, erases.sum::<u64>());
    }
}

/// Gives an erased block content: page i of those programmed is the current version of logical page `owner_of(i)` with
/// all its sub-pages, or invalid.
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
    ftl.space.occupy_block(&filling)?;
    let first = ftl.space.first_page(block);
    let full = ftl.space.geometry.full_bitmap();
    for page in 0..written {
        if let Some(Lpn(lpn)) = owner_of(page) {
            ftl.map.map(lpn, first + u64::from(page), full);
            ftl.space.blocks.validate(block, 1);
        }
    }
    Ok(())
}
