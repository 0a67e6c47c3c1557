//! Delta-FTL: what an overwrite changes is kept as a compressed difference to the page that it replaces, and many differences share a page of
//! flash (G. Wu, PhD dissertation, Virginia Commonwealth University 2013, chapter 4; Delta-FTL specification).
//!
//! Pages are mapped by a page-level FTL as they would be alone. A logical page can have a *delta* beside its page (`log`): its content
//! is the page with the delta applied. Pages of deltas are logical pages of the FTL's own, behind those that the drive exports, in open blocks of
//! their own; they share free blocks, collection and the map with the others. A write that follows others of its page and few reads is encoded (`write`)
//! if the gate lets it (`gate`), and joins others in the controller until these fill a page. A page and its delta become one page again (`merge`) when
//! it is read often or no longer written, and in collection (`collect`).

mod accesses;
mod bytes;
mod collect;
mod completion;
mod gate;
mod keys;
mod log;
mod merge;
mod persist;
mod rebuilding;
pub(crate) mod row;
mod space;
mod spare;
mod steps;
mod tasks;
#[cfg(test)]
mod tests;
mod write;

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use wordline_content::RatioLaw;
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn, Use};
use wordline_units::{Seed, SimTime};

use super::page::PageFtl;
use crate::block::{BlockFacts, BlockUse, CleanSpace};
use crate::config::{FlashRules, MappingInput, RecoveryKind};
use crate::contract::{
    Ahead, Codecs, CollectedSpace, DeltaPages, Facts, FlushMark, Flushing, Ftl, Inspect, LookupTable,
};
use crate::counters::{DeltaCounters, FtlCounters};
use crate::error::FtlError;
use crate::hand_out;
use crate::map::Relocate;
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::table_cost::{TableCost, address_bytes};
use accesses::Accesses;
use bytes::Bytes;
use gate::Gate;
use keys::DeltaConfig;
use log::Log;
use spare::Spare;
use tasks::Tasks;

/// The job that merges pages which are no longer write-hot.
const COLD: JobId = JobId::of(JobKind::Merge, 0);

/// The job that programs pages of deltas which wait in the controller for too long.
const OLD: JobId = JobId::of(JobKind::Merge, 1);

/// A page-level FTL with deltas.
pub(crate) struct DeltaFtl {
    keys: DeltaConfig,
    /// Pages, those of deltas included.
    data: PageFtl,
    /// Logical pages that the drive exports; those behind are pages of deltas.
    user: u64,
    log: Log,
    accesses: Accesses,
    gate: Gate,
    law: RatioLaw,
    seed: Seed,
    /// The number of the host write that is submitted next, where the drive is to be recovered.
    number: u64,
    /// Per logical page: writes so far.
    versions: Vec<u32>,
    /// What pages hold, where they have content.
    bytes: Option<Box<Bytes>>,
    tasks: Tasks,
    /// Logical pages that are being merged.
    merging: FxHashSet<u64>,
    /// Logical pages that are to be merged, as they are no longer write-hot.
    cold: VecDeque<u64>,
    /// Whether the counts of accesses are those of a saved state.
    is_loaded: bool,
    /// Writes since the last look for such pages.
    unscanned: u32,
    /// Whether their job was announced.
    cold_noticed: bool,
    /// Whether the job of pages of deltas that become too old was announced.
    age_noticed: bool,
    notices: Vec<JobNotice>,
    /// Pages of deltas that the host has filled.
    closed: u64,
    spare: Spare,
    /// Per pool: merges that the collection of its victim may do yet.
    merge_budget: Vec<u32>,
    counters: DeltaCounters,
    encode_ns: u32,
    decode_ns: u32,
    codecs: Codecs,
}

impl DeltaFtl {
    /// An empty drive.
    ///
    /// # Errors
    /// What the page-level mapping refuses; keys out of range; too little spare space; copy-back, which cannot apply a delta.
    fn new(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        if rules.commands.copyback != Use::Off {
            let accepted = "\"off\" with ftl.mapping = \"delta\": a page that is copied inside its plane cannot have its delta applied";
            return Err(FtlError::new("commands.copyback", "on", accepted));
        }
        let (keys, law) = row::check(input)?;
        let bytes = Bytes::of(&keys, input.geometry)?;
        let (capacity, spare) = Spare::new(input, &keys)?;
        let geometry = input.geometry;
        let recovers = input.config.recovery.kind != RecoveryKind::None;
        let logs = u32::try_from(geometry.pages() - capacity.user_pages).unwrap_or(u32::MAX);
        let rules = FlashRules {
            block_classes: None,
            slc: None,
            ..*rules
        };
        let logical = capacity.user_pages + u64::from(logs);
        let data = PageFtl::with_capacity(input, &rules, capacity, logical)?;
        let counted = u64::from(keys.counted_pages.unwrap_or(0)).max(2);
        let counted = match keys.counted_pages {
            Some(_) => counted,
            None => capacity.user_pages / 64,
        };
        Ok(Self {
            user: capacity.user_pages,
            log: Log::new(&keys, geometry.page_bytes, (logs, geometry.blocks()), recovers),
            number: 0,
            accesses: Accesses::new(counted.min(capacity.user_pages).clamp(2, u64::from(u32::MAX)) as u32),
            gate: Gate::new(&keys, geometry.page_bytes),
            law,
            seed: rules.seed,
            bytes: bytes.map(Box::new),
            versions: vec![0; capacity.user_pages as usize],
            tasks: Tasks::default(),
            merging: FxHashSet::default(),
            cold: VecDeque::new(),
            is_loaded: false,
            unscanned: 0,
            cold_noticed: false,
            age_noticed: false,
            notices: Vec::new(),
            closed: 0,
            merge_budget: vec![0; data.pools() as usize],
            spare,
            counters: DeltaCounters::default(),
            encode_ns: keys.encode_ns(geometry.page_bytes),
            decode_ns: keys.decode_ns(geometry.page_bytes),
            codecs: keys.codecs_of(geometry.channels),
            data,
            keys,
        })
    }

    /// Whether nothing is under way; deltas may wait in the controller.
    fn is_quiescent(&self) -> bool {
        self.data.is_quiescent() && self.tasks.is_empty()
    }

    /// The page of deltas that a logical page behind the user's is.
    fn log_of(&self, lpn: u64) -> Option<u32> {
        lpn.checked_sub(self.user).map(|log| log as u32)
    }

    /// The logical page that a page of deltas is.
    fn own_page(&self, log: u32) -> u64 {
        self.user + u64::from(log)
    }

    /// Where a page of deltas is on flash.
    fn place_of(&self, log: u32) -> Option<u64> {
        self.data.map.lookup(self.own_page(log))
    }
}

impl Ftl for DeltaFtl {
    hand_out!(
        Ageing,
        Collection,
        Deltas,
        Recovery,
        Table;
        data: ProgramTimes,
    );

    fn geometry(&self) -> &Geometry {
        self.data.geometry()
    }

    fn facts(&self) -> Facts {
        Facts {
            gathers_writes: true,
            programs_on_flush: true,
            own_pages: u64::from(self.log.most()),
            ..Facts::of_pages(self.geometry())
        }
    }

    fn user_pages(&self) -> u64 {
        self.user
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.data.prefetch(lpn, ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        match request.op {
            PageOp::Write => self.write(now, request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request, plan),
            PageOp::Zone(_) => Answer::Refused(Refusal::InvalidField),
        }
    }

    fn flush(&mut self, _now: SimTime, plan: &mut Plan) -> Flushing {
        self.program_open(plan)
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        let waits = |task: &tasks::Task| matches!(task, tasks::Task::Program { pool: None, closed, .. } if *closed <= mark.0);
        !self.tasks.iter().any(waits)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        match self.tasks.get(step.token) {
            Some(task) => self.bind_own(now, step, task, plane),
            None => self.data.bind(now, step, plane),
        }
    }

    /// Programs of the page-level FTL are aligned, if the oldest step is one; pages of deltas and merges are programmed alone.
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let chosen: Vec<bool> = pairs.iter().map(|(step, _)| !Tasks::owns(step.token)).collect();
        if chosen.first() != Some(&true) {
            return false;
        }
        let pages = pairs.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
        let pages: Vec<(Step, PlaneId)> = pages.map(|(pair, _)| *pair).collect();
        let mut found = Vec::new();
        let aligned = pages.len() > 1 && self.data.bind_aligned(now, &pages, &mut found);
        if aligned {
            let mut found = found.into_iter();
            bound.extend(
                chosen
                    .into_iter()
                    .map(|chosen| if chosen { found.next().flatten() } else { None }),
            );
        }
        aligned
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        match self.tasks.get(step.token) {
            Some(task) => self.end_task(now, step, task, (page, outcome), plan),
            None => self.end_page(now, step, page, outcome, plan),
        }
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.data.notices(notices);
        notices.append(&mut self.notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let state = match job.kind() {
            JobKind::Merge if job == COLD => self.merge_cold(plan),
            JobKind::Merge if job == OLD => self.program_old(now, plan),
            JobKind::Collect if job.pool() < self.data.pools() => self.collect(now, job.pool(), plan),
            _ => JobState::Finished,
        };
        self.fetch_for(plan);
        state
    }
}

impl DeltaPages for DeltaFtl {
    fn delta_page(&self, lpn: Lpn) -> Option<Ppn> {
        let delta = self.log.get(lpn.0)?;
        self.place_of(delta.log).map(Ppn)
    }

    fn check_data(&self) -> Result<(), String> {
        self.check_bytes()
    }

    fn codecs(&self) -> Codecs {
        self.codecs
    }
}

impl Inspect for DeltaFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let inside = lpn.0 < self.user + u64::from(self.log.most());
        inside.then(|| self.data.map.lookup(lpn.0).map(Ppn)).flatten()
    }

    fn mapped_pages(&self) -> u64 {
        self.data.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        let inside = page.0 < self.geometry().pages();
        inside.then(|| self.data.map.owner(page.0).map(Lpn)).flatten()
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.data.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.data.block(block)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.data.block_use(block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.data.home(lpn)
    }

    fn counters(&self) -> FtlCounters {
        FtlCounters {
            delta: DeltaCounters {
                kept: self.log.deltas() as u64,
                log_pages: u64::from(self.log.live()),
                has_content: self.bytes.is_some(),
                reads_checked: self.bytes.as_ref().map_or(0, |bytes| bytes.reads()),
                ..self.counters
            },
            ..self.data.counters()
        }
    }

    fn reset_counters(&mut self) {
        self.data.reset_counters();
        self.counters = DeltaCounters::default();
        if let Some(bytes) = &mut self.bytes {
            bytes.reset_counters();
        }
    }
}

impl CollectedSpace for DeltaFtl {
    fn pools(&self) -> u32 {
        self.data.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.geometry()
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.data.clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.data.stuck_pools()
    }

    /// With those that pages of deltas may fill.
    fn least_blocks(&self) -> u32 {
        let of_deltas = self.spare.most / u64::from(self.data.pools());
        let per_block = u64::from(self.geometry().pages_per_block);
        self.data.least_blocks() + of_deltas.div_ceil(per_block) as u32
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.data.usable_pages(pool)
    }
}

impl LookupTable for DeltaFtl {
    /// An entry for each logical page, whose highest bit says whether it has a delta; pairs of a base and a page of deltas for as many pages
    /// as can have one now; the pages of deltas that are filled; entries of counted pages: two addresses more, and two counts of a byte each.
    fn table_cost(&self) -> TableCost {
        let of_pages = self.data.table_cost();
        let address = address_bytes(self.geometry().pages());
        let own = 2 * address * self.log.deltas() as u64
            + u64::from(self.keys.temp_buffers) * u64::from(self.geometry().page_bytes)
            + self.accesses.capacity() * (2 * address + 2);
        TableCost {
            memory_bytes: of_pages.memory_bytes + own,
            ..of_pages
        }
    }
}
