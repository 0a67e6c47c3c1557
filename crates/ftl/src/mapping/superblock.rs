//! Superblocks with a map of pages each (Jung et al., ACM TECS 9, article 40, 2010; FTL specification, 2.7).
//!
//! N successive logical blocks of a plane are a superblock. It owns up to N blocks for original data (D-blocks) and up to M for
//! updates (U-blocks); its pages may lie anywhere in these. Where they lie is written to the spare areas of the pages themselves,
//! as a tree of three levels (`tree`); the controller keeps the maps of superblocks in use (`cache`) and reads spare areas for
//! others. Collection empties one block at a time within its superblock, and moves pages that were updated a short time ago to
//! U-blocks, others to D-blocks (`collect`).
//!
//! A superblock and its blocks lie in one plane, the one that the numbers of its logical blocks give; each plane is a pool.

mod cache;
mod collect;
mod fill;
mod keys;
mod owned;
mod place;
mod rebuilding;
pub(crate) mod row;
mod step;
#[cfg(test)]
mod tests;
mod tree;

use wordline_nand::{Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::paged::Paged;
use super::whole_blocks::{capacity, own_config};
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
use crate::mapping::recovery::{reads_of_newest, reads_per_die};
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::HOST;
use crate::plan::{Bind, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest};
use crate::space::FlashSpace;
use crate::table_cost::{TableCost, address_bytes};
use cache::MapCache;
use keys::Limits;
use owned::{Plane, Superblock};
use tree::Tree;

/// An FTL with superblocks.
pub(crate) struct SuperblockFtl {
    space: FlashSpace,
    map: DenseMap,
    limits: Limits,
    /// The plane of each logical block.
    order: StaticOrder,
    /// Versions of logical pages under way.
    inflight: InFlight,
    superblocks: Vec<Superblock>,
    planes: Vec<Plane>,
    /// Which pages have the maps of the superblocks in their spare areas.
    tree: Tree,
    /// What of these maps is in the controller.
    cache: MapCache,
    /// Whether TRIM has an effect.
    trims: bool,
}

/// A superblock, and the number of a page among its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    superblock: u32,
    offset: u32,
}

impl SuperblockFtl {
    /// An empty drive.
    fn new(limits: Limits, input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let geometry = *input.geometry;
        let capacity = capacity(input)?;
        let config = own_config(input.config);
        let own = MappingInput {
            config: &config,
            ..*input
        };
        let logical_blocks = (capacity.user_pages / u64::from(geometry.pages_per_block)) as u32;
        let superblocks = (logical_blocks / geometry.planes()).div_ceil(limits.originals) * geometry.planes();
        Ok(Self {
            map: DenseMap::new(capacity.user_pages, geometry.pages(), geometry.full_bitmap()),
            limits,
            order: StaticOrder::new(&geometry, input.allocation.order),
            inflight: InFlight::default(),
            superblocks: vec![Superblock::default(); superblocks as usize],
            planes: vec![Plane::default(); geometry.planes() as usize],
            tree: Tree::new(
                limits.originals * geometry.pages_per_block,
                limits.leaf_entries,
                superblocks,
            ),
            cache: MapCache::new(limits.cached_maps),
            trims: input.config.trim.enabled,
            space: FlashSpace::new(capacity, &own, rules, Recording::default(), JobKind::Collect),
        })
    }

    /// Whether nothing is under way: no write, no copy, no erase.
    fn is_quiescent(&self) -> bool {
        self.inflight.is_empty() && self.space.is_quiescent()
    }

    /// Where a logical page belongs. Successive logical blocks of a plane are as many apart as there are planes.
    #[inline]
    fn place_of(&self, lpn: u64) -> Place {
        let (planes, pages_per_block) = (self.planes.len() as u32, self.space.geometry.pages_per_block);
        let logical = (lpn / u64::from(pages_per_block)) as u32;
        let in_plane = logical / planes;
        Place {
            superblock: in_plane / self.limits.originals * planes + logical % planes,
            offset: in_plane % self.limits.originals * pages_per_block
                + (lpn % u64::from(pages_per_block)) as u32,
        }
    }

    /// The logical page of a place; beyond the last one for places that the last superblock of a plane lacks.
    #[inline]
    fn lpn_at(&self, place: Place) -> u64 {
        let (planes, pages_per_block) = (self.planes.len() as u32, self.space.geometry.pages_per_block);
        let in_plane = place.superblock / planes * self.limits.originals + place.offset / pages_per_block;
        let logical = u64::from(in_plane) * u64::from(planes) + u64::from(place.superblock % planes);
        logical * u64::from(pages_per_block) + u64::from(place.offset % pages_per_block)
    }

    /// The plane of a superblock, which is its pool.
    #[inline]
    fn plane_of(&self, superblock: u32) -> u32 {
        self.order
            .plane(Lpn(u64::from(superblock % self.planes.len() as u32)))
            .0
    }

    /// The physical page of a place, if it holds data.
    #[inline]
    fn page_at(&self, superblock: u32, offset: u32) -> Option<u64> {
        let lpn = self.lpn_at(Place { superblock, offset });
        (lpn < self.space.capacity.user_pages)
            .then(|| self.map.lookup(lpn))
            .flatten()
    }

    /// The pages whose spare areas must be read to know where a page of a superblock is, and to write that anew: none where
    /// the controller has that part of the map, otherwise up to three. It has it from then on.
    fn look_up(&mut self, place: Place) -> tree::Path {
        let Place { superblock, offset } = place;
        let planned = {
            let mapped = |offset| self.page_at(superblock, offset);
            let known = self.cache.known(superblock);
            self.tree.missing(superblock, offset, known, mapped)
        };
        self.cache.learn(superblock, &planned.parts, self.tree.parts());
        planned
    }
}

impl Ftl for SuperblockFtl {
    hand_out!(Ageing, Collection, ProgramTimes, Recovery, Table);

    fn geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn user_pages(&self) -> u64 {
        self.space.capacity.user_pages
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let plane = self
            .order
            .plane(Lpn(request.lpn.0 / u64::from(self.space.geometry.pages_per_block)));
        let mut requests = HostRequests {
            space: &mut self.space,
            map: &mut self.map,
            inflight: &mut self.inflight,
            trims: self.trims,
            is_static: true,
            target: |_: &PageRequest| Target::Frontier {
                frontier: HOST,
                scope: Scope::Plane(plane),
            },
        };
        let answer = requests.plan(now, request, plan);
        if !plan.is_empty() {
            self.look_up_first(request.lpn, plan);
        }
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
        if job.kind() != JobKind::Collect || job.pool() as usize >= self.planes.len() {
            return JobState::Finished;
        }
        self.advance_collection(now, job.pool(), plan)
    }
}

impl Paged for SuperblockFtl {
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
        Scope::Plane(PlaneId(self.plane_of(self.place_of(lpn.0).superblock)))
    }

    /// The controller has the addresses of the blocks that each superblock may own, and the maps of some superblocks; the spare area
    /// of each page has a leaf and the nodes above. The newest page of a superblock leads to its map.
    fn cost_of_table(&self) -> TableCost {
        let geometry = &self.space.geometry;
        let Limits {
            originals,
            updates,
            leaf_entries,
            cached_maps,
            ..
        } = self.limits;
        let superblocks = self.superblocks.len() as u64;
        let owned = superblocks * (u64::from(originals) + u64::from(updates));
        let pages = u64::from(originals) * u64::from(geometry.pages_per_block);
        let entry = address_bytes(geometry.pages());
        let in_spare_area = 3 * u64::from(leaf_entries) * entry;
        TableCost {
            memory_bytes: owned * address_bytes(u64::from(geometry.blocks()))
                + u64::from(cached_maps).min(superblocks) * pages * entry,
            host_memory_bytes: 0,
            flash_bytes: self.map.mapped_pages(self.user_pages()) * in_spare_area,
            recovery_reads: reads_per_die(self, |_, facts| reads_of_newest(facts)),
        }
    }
}
