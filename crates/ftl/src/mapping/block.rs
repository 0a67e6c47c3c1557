//! Block-level mapping: a logical block is mapped as a whole, and a logical page keeps its offset (FTL specification, 2.2).
//!
//! A logical block has a data block and up to `ftl.replacement_blocks` replacement blocks, all in the plane that its number
//! gives (`allocation.order`). A host write goes to the oldest of them whose page at its offset can still be programmed;
//! pages passed over are lost until the block is erased. Where none is left a further replacement block is opened, and
//! where there are as many as allowed, or no free block, blocks are merged (`merge`). The map takes 4 bytes for each
//! logical block, 8 for each block and a bit for each page.

mod chains;
mod fill;
mod merge;
mod place;
mod pool;
mod rebuilding;
mod step;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::MappingRow;
use super::whole_blocks::{
    READS_WITH_FAILURES, RECOVERS, capacity, check_filled_share, check_reserve, kept_free, own_config,
};
use crate::allocation::StaticOrder;
use crate::block::{BlockFacts, CleanSpace};
use crate::blocks::Recording;
use crate::config::{FlashRules, MappingInput};
use crate::contract::{CollectedSpace, Ftl, Inspect, LookupTable, ProgramTimes};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::hand_out;
use crate::host::HostRequests;
use crate::inflight::InFlight;
use crate::jobs::Collector;
use crate::map::{HostMap, Relocate};
use crate::mapping::recovery::{reads_in_place, reads_per_die};
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::HOST;
use crate::plan::{Bind, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::request::{Answer, PageRequest};
use crate::space::FlashSpace;
use crate::table_cost::{TableCost, address_bytes};
use chains::Chains;
use pool::BlockPool;
use wordline_keys::{Entry, Keys};

/// Keys of `block`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct BlockKeys {
    /// `block`: replacement blocks that a logical block may have beside its data block. Without any, every update of a
    /// programmed page copies the whole block.
    #[schemars(range(max = MANY))]
    replacement_blocks: u32,
}

impl Default for BlockKeys {
    /// Assumed: NFTL's single replacement block (Ban, US patent 5,404,485).
    fn default() -> Self {
        Self {
            replacement_blocks: 1,
        }
    }
}

/// The block-level FTL.
pub(crate) struct BlockFtl {
    space: FlashSpace,
    chains: Chains,
    /// The plane of each logical block.
    order: StaticOrder,
    /// Versions of logical pages under way.
    inflight: InFlight,
    pools: Vec<BlockPool>,
    /// Per block: pages that were passed over.
    skipped: Vec<u16>,
    /// Blocks that a logical block may have.
    most_blocks: usize,
    /// Whether TRIM has an effect.
    trims: bool,
    /// Free blocks of a plane that are kept for a merge which the power has cut off: merges with a gap for a host write need more, and host writes as many.
    kept_free: u32,
}

/// `ftl.mapping = "block"`.
pub(crate) const BLOCK: MappingRow = MappingRow {
    entry: Entry {
        name: "block",
        help: "Logical blocks as a whole, with replacement blocks.",
        keys: Keys::of::<BlockKeys>(),
        reads: READS_WITH_FAILURES,
    },
    knows: &[],
    has_closed_form: false,
    recovers: RECOVERS,
    recovers_units: false,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| {
        check_reserve(input)?;
        Ok(capacity(input)?.user_pages)
    },
    check_filled: check_filled_share,
    build: |input, rules| Ok(Box::new(BlockFtl::new(input, rules)?)),
};

impl BlockFtl {
    /// An empty drive.
    fn new(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let geometry = *input.geometry;
        check_reserve(input)?;
        let capacity = capacity(input)?;
        let config = own_config(input.config);
        let own = MappingInput {
            config: &config,
            ..*input
        };
        let replacements = input.config.keys.read::<BlockKeys>().replacement_blocks;
        Ok(Self {
            chains: Chains::new(&geometry, capacity.user_pages),
            order: StaticOrder::new(&geometry, input.allocation.order),
            inflight: InFlight::default(),
            pools: vec![BlockPool::default(); geometry.planes() as usize],
            skipped: vec![0; geometry.blocks() as usize],
            most_blocks: replacements as usize + 1,
            trims: input.config.trim.enabled,
            kept_free: kept_free(input),
            space: FlashSpace::new(capacity, &own, rules, Recording::default(), JobKind::Merge),
        })
    }

    /// Whether nothing is under way: no write, no copy, no erase.
    fn is_quiescent(&self) -> bool {
        self.inflight.is_empty() && self.space.is_quiescent()
    }

    /// The plane of a logical block, which is its pool.
    #[inline]
    fn plane_of(&self, logical: u32) -> u32 {
        self.order.plane(Lpn(u64::from(logical))).0
    }
}

impl Ftl for BlockFtl {
    hand_out!(Ageing, Collection, ProgramTimes, Recovery, Table);

    fn geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn user_pages(&self) -> u64 {
        self.space.capacity.user_pages
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let Self {
            space, chains, order, ..
        } = self;
        let pages_per_block = u64::from(space.geometry.pages_per_block);
        let mut requests = HostRequests {
            space,
            map: chains,
            inflight: &mut self.inflight,
            trims: self.trims,
            // an update goes to the offset of its source, so that it may be a copy-back
            is_static: true,
            target: |request: &PageRequest| Target::Frontier {
                frontier: HOST,
                scope: Scope::Plane(order.plane(Lpn(request.lpn.0 / pages_per_block))),
            },
        };
        let answer = requests.plan(now, request, plan);
        if request.op == crate::request::PageOp::Trim && answer == Answer::Accepted {
            self.release_trimmed(now, request);
        }
        answer
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if Collector::is_superseded(&self.chains, &self.inflight, step) {
            return Bind::Declined;
        }
        match step.work {
            Work::Program { .. } | Work::CopyBack { .. } => self.place(now, step, plane.0),
            _ => Bind::Declined,
        }
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        notices.append(&mut self.space.notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        if job.kind() != JobKind::Merge || job.pool() as usize >= self.pools.len() {
            return JobState::Finished;
        }
        self.advance_merge(now, job.pool(), plan)
    }
}

impl CollectedSpace for BlockFtl {
    fn pools(&self) -> u32 {
        self.pools.len() as u32
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.space.clean_space(plane)
    }

    /// A merge always ends with an erased block.
    fn stuck_pools(&self) -> u32 {
        0
    }

    /// A block for each logical block, and those that merges want to be free, or the host needs to be, and one that may fail.
    fn least_blocks(&self) -> u32 {
        let geometry = &self.space.geometry;
        let of_plane = self.user_pages() / u64::from(geometry.planes());
        let marks = &self.space.capacity.watermarks;
        (of_plane / u64::from(geometry.pages_per_block)) as u32 + marks.high.max(marks.reserve + 1) + 1
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.space.usable_pages(pool)
    }
}

impl LookupTable for BlockFtl {
    /// The controller has the addresses of the blocks of each logical block, which a spare area of each block tells.
    fn table_cost(&self) -> TableCost {
        let geometry = &self.space.geometry;
        let logical_blocks = self.user_pages() / u64::from(geometry.pages_per_block);
        let addresses = logical_blocks * self.most_blocks as u64;
        TableCost {
            memory_bytes: addresses * address_bytes(u64::from(geometry.blocks())),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: reads_per_die(self, |_, facts| reads_in_place(facts)),
        }
    }
}

impl ProgramTimes for BlockFtl {
    fn record_program_times(&mut self) {
        self.space.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.space.take_program_times()
    }
}

impl Inspect for BlockFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let inside = lpn.0 < self.user_pages();
        inside
            .then(|| self.chains.get(lpn.0).map(|(page, _)| Ppn(page)))
            .flatten()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        let inside = page.0 < self.space.geometry.pages();
        inside.then(|| self.chains.owner(page.0).map(Lpn)).flatten()
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 < self.user_pages() {
            self.chains.get(lpn.0).map_or(0, |(_, sectors)| sectors)
        } else {
            0
        }
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.space
            .block_facts(block, u32::from(self.skipped[block.index()]))
    }

    fn home(&self, lpn: Lpn) -> Scope {
        let (logical, _) = self.chains.split(lpn.0);
        Scope::Plane(PlaneId(self.plane_of(logical)))
    }

    fn counters(&self) -> FtlCounters {
        self.space.counters
    }

    fn reset_counters(&mut self) {
        self.space.counters = FtlCounters::default();
    }
}
