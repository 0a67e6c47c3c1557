//! Mappings with log blocks: a logical block has a data block, in which every page has its own offset, and pages that are
//! written again go to log blocks, which have a map of pages (FTL specification, 2.3 to 2.6).
//!
//! Which logical blocks share a log block is the affair of an association, one file each. Everything else stands once:
//! a write goes to its place in the data block where that can still be programmed, and otherwise to a log block (`place`);
//! where the association wants a log block reclaimed, or free blocks are short, the logical blocks with pages in it are
//! merged one after the other (`merge`). A logical block and its log blocks lie in one plane, the one that its number
//! gives; each plane has log blocks of its own.
//!
//! Where a page is current is kept in the same map as for page-level mapping. What the tables of a real controller would
//! take is worked out apart (`table_cost`).

mod association;
pub(crate) mod fast;
mod fill;
pub(crate) mod grouped;
pub(crate) mod last;
mod logs;
mod merge;
mod place;
mod rebuilding;
pub(crate) mod row;
mod step;
#[cfg(test)]
mod tests;

use wordline_nand::{Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::paged::Paged;
use super::whole_blocks::{capacity, check_reserve, kept_free, own_config};
use crate::allocation::StaticOrder;
use crate::blocks::Recording;
use crate::config::{FlashRules, MappingInput};
use crate::contract::Ftl;
use crate::error::FtlError;
use crate::hand_out;
use crate::host::HostRequests;
use crate::inflight::InFlight;
use crate::jobs::Collector;
use crate::map::DenseMap;
use crate::mapping::recovery::{programmed, reads_in_place, reads_per_die};
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::HOST;
use crate::plan::{Bind, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest};
use crate::space::FlashSpace;
use crate::table_cost::{TableCost, address_bytes};
use association::Association;
use logs::Plane;

/// No block.
const NONE: u32 = u32::MAX;

/// An FTL with log blocks.
pub(crate) struct LogFtl {
    name: &'static str,
    space: FlashSpace,
    map: DenseMap,
    association: Box<dyn Association>,
    /// The plane of each logical block.
    order: StaticOrder,
    /// Versions of logical pages under way.
    inflight: InFlight,
    /// Per logical block: its data block.
    data: Vec<u32>,
    /// Per plane: the first logical block there. The others follow at a distance of as many as there are planes.
    first: Vec<u32>,
    planes: Vec<Plane>,
    /// Whether TRIM has an effect.
    trims: bool,
    /// Free blocks of a plane that are kept for a merge which the power has cut off: host writes need as many.
    kept_free: u32,
}

impl LogFtl {
    /// An empty drive.
    fn new(
        name: &'static str,
        association: Box<dyn Association>,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
    ) -> Result<Self, FtlError> {
        let geometry = *input.geometry;
        check_reserve(input)?;
        let capacity = capacity(input)?;
        let config = own_config(input.config);
        let own = MappingInput {
            config: &config,
            ..*input
        };
        let logical_blocks = capacity.user_pages / u64::from(geometry.pages_per_block);
        let order = StaticOrder::new(&geometry, input.allocation.order);
        let mut first = vec![0; geometry.planes() as usize];
        for logical in 0..geometry.planes() {
            first[order.plane(Lpn(u64::from(logical))).index()] = logical;
        }
        let plane = Plane {
            hot_logs: association.first_hot_logs(),
            ..Plane::default()
        };
        Ok(Self {
            name,
            map: DenseMap::new(capacity.user_pages, geometry.pages(), geometry.full_bitmap()),
            association,
            order,
            first,
            inflight: InFlight::default(),
            data: vec![NONE; logical_blocks as usize],
            planes: vec![plane; geometry.planes() as usize],
            trims: input.config.trim.enabled,
            kept_free: kept_free(input),
            space: FlashSpace::new(capacity, &own, rules, Recording::default(), JobKind::Merge),
        })
    }

    /// Whether nothing is under way: no write, no copy, no erase.
    fn is_quiescent(&self) -> bool {
        self.inflight.is_empty() && self.space.is_quiescent()
    }

    /// The logical block of a logical page, and the offset of the page there.
    #[inline]
    fn split(&self, lpn: u64) -> (u32, u32) {
        let pages_per_block = u64::from(self.space.geometry.pages_per_block);
        ((lpn / pages_per_block) as u32, (lpn % pages_per_block) as u32)
    }

    /// The plane of a logical block, which is its pool.
    #[inline]
    fn plane_of(&self, logical: u32) -> u32 {
        self.order.plane(Lpn(u64::from(logical))).0
    }

    /// The logical pages of a logical block.
    fn pages_of(&self, logical: u32) -> std::ops::Range<u64> {
        let pages_per_block = u64::from(self.space.geometry.pages_per_block);
        let first = u64::from(logical) * pages_per_block;
        first..first + pages_per_block
    }

    /// The data block of a logical block, if it has one.
    #[inline]
    fn data_block(&self, logical: u32) -> Option<u32> {
        let block = self.data[logical as usize];
        (block != NONE).then_some(block)
    }
}

impl Ftl for LogFtl {
    hand_out!(Ageing, Collection, ProgramTimes, Recovery, Table);

    fn geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn user_pages(&self) -> u64 {
        self.space.capacity.user_pages
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let Self {
            space,
            map,
            order,
            association,
            ..
        } = self;
        let pages_per_block = u64::from(space.geometry.pages_per_block);
        let mut requests = HostRequests {
            space,
            map,
            inflight: &mut self.inflight,
            trims: self.trims,
            is_static: true,
            target: |request: &PageRequest| Target::Frontier {
                frontier: if association.is_sequential(request) {
                    place::SEQUENTIAL
                } else {
                    HOST
                },
                scope: Scope::Plane(order.plane(Lpn(request.lpn.0 / pages_per_block))),
            },
        };
        let answer = requests.plan(now, request, plan);
        if request.op == PageOp::Trim && answer == Answer::Accepted {
            self.release_trimmed(now, request);
        }
        answer
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if Collector::is_superseded(&self.map, &self.inflight, step) {
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
        if job.kind() != JobKind::Merge || job.pool() as usize >= self.planes.len() {
            return JobState::Finished;
        }
        self.advance_merge(now, job.pool(), plan)
    }
}

impl Paged for LogFtl {
    fn flash_space(&self) -> &FlashSpace {
        &self.space
    }

    fn flash_space_mut(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    fn page_map(&self) -> &DenseMap {
        &self.map
    }

    fn planes_of(&self, lpn: Lpn) -> Scope {
        let (logical, _) = self.split(lpn.0);
        Scope::Plane(PlaneId(self.plane_of(logical)))
    }

    /// The controller has the address of each data block, and the logical page of each page of the log blocks that there may be.
    /// A spare area of each data block tells its logical block; those of all pages of log blocks are needed.
    fn cost_of_table(&self) -> TableCost {
        let geometry = &self.space.geometry;
        let spare_blocks = geometry.blocks() - self.data.len() as u32;
        let logs = (self.association.most_logs() * geometry.planes()).min(spare_blocks);
        let log_pages = u64::from(logs) * u64::from(geometry.pages_per_block);
        let mut is_data = vec![false; geometry.blocks() as usize];
        for block in self.data.iter().filter(|block| **block != NONE) {
            is_data[*block as usize] = true;
        }
        TableCost {
            memory_bytes: self.data.len() as u64 * address_bytes(u64::from(geometry.blocks()))
                + log_pages * address_bytes(self.user_pages()),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: reads_per_die(self, |block, facts| {
                if is_data[block.index()] {
                    reads_in_place(facts)
                } else {
                    programmed(facts)
                }
            }),
        }
    }
}
