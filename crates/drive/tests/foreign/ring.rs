//! A mapping that knows nothing of the crate `ftl` but its public contract: a log in each plane, whose blocks are collected
//! in the order in which they were written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_ftl::archive::{Archive, ArchiveError, Extent, require};
use wordline_ftl::{
    Ageable, Answer, Bind, BlockFacts, BlockRole, Bound, Cause, CleanSpace, CollectedSpace, FillError,
    Filling, Frontier, Ftl, FtlCounters, FtlError, Identity, Inspect, JobId, JobNotice, JobState, Lpn,
    MappingInput, MappingRow, Outcome, PageOp, PageRequest, Persist, Plan, ProgramTimes, Refusal, Route,
    Scope, Step, Target, Urgency, Work, count_usable_pages, hand_out,
};
use wordline_keys::{Entry, Keys};
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

/// Keys of `ring`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct RingKeys {
    /// `ring`: blocks of a plane that are not exported; at least 2.
    ring_spare_blocks: u32,
}

impl Default for RingKeys {
    fn default() -> Self {
        Self { ring_spare_blocks: 3 }
    }
}

fn exported(input: &MappingInput<'_>) -> Result<u64, FtlError> {
    let spare = input.config.keys.read::<RingKeys>().ring_spare_blocks;
    if spare < 2 || spare >= input.geometry.blocks_per_plane {
        let accepted = "at least 2 blocks, and fewer than a plane has";
        return Err(FtlError::new("ftl.ring_spare_blocks", spare, accepted));
    }
    let blocks = input.geometry.blocks_per_plane - spare;
    let pages = u64::from(blocks) * u64::from(input.geometry.pages_per_block);
    Ok(pages * u64::from(input.geometry.planes()))
}

/// `ftl.mapping = "ring"`.
pub(crate) const RING: MappingRow = MappingRow {
    entry: Entry {
        name: "ring",
        help: "A log in each plane, collected in the order in which it was written.",
        keys: Keys::of::<RingKeys>(),
        reads: &[],
    },
    knows: &[],
    has_closed_form: false,
    recovers: &[],
    recovers_units: false,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported,
    check_filled: |_, _| Ok(()),
    build: |input, _| Ok(Box::new(Ring::new(*input.geometry, exported(input)?))),
};

/// The log of a plane.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Log {
    free: VecDeque<u32>,
    /// The block that is written, and pages written.
    open: Option<(u32, u32)>,
    /// Full blocks, oldest first.
    full: VecDeque<u32>,
    /// Programs and erases of the job that are not done.
    steps: u32,
    noticed: bool,
}

struct Ring {
    geometry: Geometry,
    /// Where each logical page is, and its sub-pages that hold data.
    pages: Vec<Option<(Ppn, u64)>>,
    owners: Vec<Option<Lpn>>,
    roles: Vec<BlockRole>,
    written: Vec<u32>,
    erases: Vec<u32>,
    logs: Vec<Log>,
    /// Logical pages with a write under way.
    writing: BTreeSet<Lpn>,
    /// Logical pages that are moved, and from where.
    moving: BTreeMap<Lpn, Ppn>,
    counters: FtlCounters,
    notices: Vec<JobNotice>,
}

impl Ring {
    fn new(geometry: Geometry, user_pages: u64) -> Self {
        let blocks = geometry.blocks() as usize;
        let free =
            |plane: u32| (0..geometry.blocks_per_plane).map(move |at| geometry.block(PlaneId(plane), at).0);
        let log = |plane| Log {
            free: free(plane).collect(),
            ..Log::default()
        };
        Self {
            pages: vec![None; user_pages as usize],
            owners: vec![None; geometry.pages() as usize],
            roles: vec![BlockRole::Free; blocks],
            written: vec![0; blocks],
            erases: vec![0; blocks],
            logs: (0..geometry.planes()).map(log).collect(),
            writing: BTreeSet::new(),
            moving: BTreeMap::new(),
            counters: FtlCounters::default(),
            notices: Vec::new(),
            geometry,
        }
    }

    fn plane_of(&self, lpn: Lpn) -> PlaneId {
        PlaneId((lpn.0 % u64::from(self.geometry.planes())) as u32)
    }

    /// The log is asked to collect until two blocks are free.
    fn review(&mut self, now: SimTime, plane: u32) {
        let log = &mut self.logs[plane as usize];
        if log.free.len() < 2 && !log.full.is_empty() && !log.noticed {
            log.noticed = true;
            self.notices.push(JobNotice {
                job: JobId(plane),
                scope: Scope::Plane(PlaneId(plane)),
                urgency: Urgency::Blocking,
                not_before: now,
            });
        }
    }

    fn program(&self, lpn: Lpn, cause: Cause, sectors: u64, after: u64) -> Step {
        Step {
            work: Work::Program {
                target: Target::Frontier {
                    frontier: Frontier(0),
                    scope: Scope::Plane(self.plane_of(lpn)),
                },
                sectors: sectors.count_ones() as u8,
                route: Route::Controller,
            },
            cause,
            acknowledges: cause == Cause::Host,
            after,
            lpn,
            token: sectors as u32,
        }
    }

    fn read(&self, lpn: Lpn, page: Ppn, bitmap: u64, cause: Cause, acknowledges: bool) -> Step {
        let work = Work::Read {
            page,
            bitmap,
            route: Route::Controller,
        };
        Step {
            work,
            acknowledges,
            ..self.program(lpn, cause, 0, 0)
        }
    }

    fn forget(&mut self, lpn: Lpn) {
        if let Some((page, _)) = self.pages[lpn.0 as usize].take() {
            self.owners[page.0 as usize] = None;
        }
    }

    fn first(&self, block: u32) -> u64 {
        u64::from(block) * u64::from(self.geometry.pages_per_block)
    }

    fn valid(&self, block: u32) -> u32 {
        let pages = self.first(block)..self.first(block + 1);
        pages.filter(|page| self.owners[*page as usize].is_some()).count() as u32
    }
}

impl Ftl for Ring {
    hand_out!(Ageing, Collection, ProgramTimes);

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn user_pages(&self) -> u64 {
        self.pages.len() as u64
    }

    fn submit(&mut self, _now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let (lpn, full) = (request.lpn, self.geometry.full_bitmap());
        if lpn.0 + request.pages > self.user_pages() {
            return Answer::Refused(Refusal::OutOfRange);
        }
        let range = (lpn.0..lpn.0 + request.pages).map(Lpn);
        if range.clone().any(|lpn| self.writing.contains(&lpn)) {
            return Answer::Wait;
        }
        let old = self.pages[lpn.0 as usize];
        let (bitmap, held) = (request.bitmap & full, old.map_or(0, |(_, held)| held));
        match request.op {
            PageOp::Read => match old {
                Some((page, held)) if held & bitmap != 0 => {
                    plan.push(self.read(lpn, page, held & bitmap, Cause::Host, true));
                }
                _ => return Answer::Unmapped,
            },
            PageOp::Zone(_) => return Answer::Refused(Refusal::InvalidField),
            PageOp::Write if bitmap == 0 => {}
            PageOp::Write => {
                if let Some((page, held)) = old.filter(|(_, held)| held & !bitmap != 0) {
                    plan.push(self.read(lpn, page, held & !bitmap, Cause::Host, false));
                }
                let after = u64::from(!plan.is_empty());
                plan.push(self.program(lpn, Cause::Host, held | bitmap, after));
                self.writing.insert(lpn);
            }
            PageOp::Trim => {
                for lpn in range {
                    let bitmap = if request.pages > 1 { full } else { bitmap };
                    match self.pages[lpn.0 as usize] {
                        Some((_, held)) if held & !bitmap == 0 => self.forget(lpn),
                        Some((page, held)) => self.pages[lpn.0 as usize] = Some((page, held & !bitmap)),
                        None => {}
                    }
                }
            }
        }
        Answer::Accepted
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let host = step.cause == Cause::Host;
        let log = &mut self.logs[plane.index()];
        if log.open.is_none() {
            // the last free block is for collection
            if log.free.len() < if host { 2 } else { 1 } {
                self.review(now, plane.0);
                return Bind::NoSpace;
            }
            log.open = log.free.pop_front().map(|block| (block, 0));
        }
        let Some((block, written)) = log.open else {
            return Bind::NoSpace;
        };
        let is_full = written + 1 == self.geometry.pages_per_block;
        log.open = (!is_full).then_some((block, written + 1));
        if is_full {
            log.full.push_back(block);
        }
        self.written[block as usize] = written + 1;
        self.roles[block as usize] = if is_full {
            BlockRole::Closed
        } else {
            BlockRole::Open
        };
        self.review(now, plane.0);
        let page = self.geometry.page(BlockId(block), written);
        Bind::Page(Bound { page, skipped: 0 })
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, _outcome: Outcome, _plan: &mut Plan) {
        let plane = match step.work {
            Work::Erase { block } => self.geometry.plane_of(block),
            _ => self.plane_of(step.lpn),
        };
        let moves = step.cause == Cause::Gc && !matches!(step.work, Work::Read { .. });
        self.logs[plane.index()].steps -= u32::from(moves);
        match (step.work, page) {
            (Work::Program { .. }, Some(page)) => {
                let (lpn, current) = (step.lpn, self.pages[step.lpn.0 as usize]);
                // a page that was written anew meanwhile is not moved
                let source = self.moving.get(&lpn).copied();
                let is_current = step.cause == Cause::Host || current.map(|(page, _)| page) == source;
                if is_current {
                    let held = match current {
                        Some((_, held)) if step.cause == Cause::Gc => held,
                        _ => u64::from(step.token),
                    };
                    self.forget(lpn);
                    self.pages[lpn.0 as usize] = Some((page, held));
                    self.owners[page.0 as usize] = Some(lpn);
                }
                if step.cause == Cause::Host {
                    self.writing.remove(&lpn);
                } else {
                    self.moving.remove(&lpn);
                }
            }
            (Work::Erase { block }, _) => {
                self.written[block.index()] = 0;
                self.erases[block.index()] += 1;
                self.roles[block.index()] = BlockRole::Free;
                self.counters.erases += 1;
                self.logs[plane.index()].free.push_back(block.0);
            }
            _ => {}
        }
        self.review(now, plane.0);
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        notices.append(&mut self.notices);
    }

    /// Empties the oldest block of the log.
    fn advance(&mut self, _now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let plane = job.0 as usize;
        let log = &self.logs[plane];
        let oldest = log.full.front().copied();
        let (Some(block), true) = (oldest, log.free.len() < 2 && log.steps == 0) else {
            self.logs[plane].noticed = false;
            return JobState::Waiting;
        };
        let owned = (self.first(block)..self.first(block + 1))
            .filter_map(|page| self.owners[page as usize].map(|lpn| (Ppn(page), lpn)));
        let moved: Vec<(Ppn, Lpn)> = owned.take(31).collect();
        for (page, lpn) in moved {
            let held = self.pages[lpn.0 as usize].map_or(0, |(_, held)| held);
            plan.push(self.read(lpn, page, held, Cause::Gc, false));
            plan.push(self.program(lpn, Cause::Gc, held, 1 << (plan.len() - 1)));
            self.moving.insert(lpn, page);
        }
        self.logs[plane].steps = plan.len() as u32 / 2;
        if plan.is_empty() {
            self.logs[plane].full.pop_front();
            self.logs[plane].steps = 1;
            let work = Work::Erase {
                block: BlockId(block),
            };
            let lpn = Lpn(plane as u64);
            plan.push(Step {
                work,
                ..self.program(lpn, Cause::Gc, 0, 0)
            });
        }
        JobState::Yielded
    }
}

impl Inspect for Ring {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.pages.get(lpn.0 as usize)?.map(|(page, _)| page)
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        *self.owners.get(page.0 as usize)?
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.pages
            .get(lpn.0 as usize)
            .copied()
            .flatten()
            .map_or(0, |(_, held)| held)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let (written, valid) = (self.written[block.index()], self.valid(block.0));
        BlockFacts {
            role: self.roles[block.index()],
            valid,
            invalid: written - valid,
            free: self.geometry.pages_per_block - written,
            skipped: 0,
            erase_count: self.erases[block.index()],
        }
    }

    fn home(&self, lpn: Lpn) -> Scope {
        Scope::Plane(self.plane_of(lpn))
    }

    fn counters(&self) -> FtlCounters {
        self.counters
    }

    fn reset_counters(&mut self) {
        self.counters = FtlCounters::default();
    }
}

impl CollectedSpace for Ring {
    fn pools(&self) -> u32 {
        self.geometry.planes()
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    /// A block is emptied when the last but one has been taken.
    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        CleanSpace {
            free: self.logs[plane.index()].free.len() as u32,
            trigger: 2,
            blocks: self.geometry.blocks_per_plane,
        }
    }

    fn stuck_pools(&self) -> u32 {
        0
    }

    fn least_blocks(&self) -> u32 {
        0
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        count_usable_pages(self, pool)
    }
}

impl Persist for Ring {
    fn archive(
        &mut self,
        _now: SimTime,
        _extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        let busy = self.logs.iter().any(|log| log.steps > 0) || !self.writing.is_empty();
        if busy && !archive.is_loading() {
            return Err(ArchiveError::Busy);
        }
        archive.table(&mut self.pages)?;
        archive.table(&mut self.owners)?;
        archive.table(&mut self.roles)?;
        archive.table(&mut self.written)?;
        archive.table(&mut self.erases)?;
        archive.table(&mut self.logs)?;
        let matches = |(lpn, page): (u64, &Option<(Ppn, u64)>)| {
            page.is_none_or(|(page, _)| self.owner(page) == Some(Lpn(lpn)))
        };
        require((0..).zip(&self.pages).all(matches), "a page with another owner")?;
        if archive.is_loading() {
            // the executor has not heard of them
            self.logs.iter_mut().for_each(|log| log.noticed = false);
            (0..self.geometry.planes()).for_each(|plane| self.review(SimTime::ZERO, plane));
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        SimTime::ZERO
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(RING.entry.name)
    }
}

impl Ageable for Ring {
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.erases[block.index()] = erases;
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let block = filling.block;
        let log = &mut self.logs[self.geometry.plane_of(block).index()];
        if self.roles[block.index()] != BlockRole::Free {
            return Err(FillError::NotFree(block));
        }
        log.free.retain(|free| *free != block.0);
        log.full.push_back(block.0);
        self.written[block.index()] = filling.written;
        self.roles[block.index()] = BlockRole::Closed;
        Ok(())
    }

    fn finish_fill(&mut self, now: SimTime) {
        (0..self.geometry.planes()).for_each(|plane| self.review(now, plane));
    }

    fn check_filled(&self, _pages: u64) -> Result<(), FtlError> {
        Ok(())
    }
}

impl ProgramTimes for Ring {
    fn record_program_times(&mut self) {}

    fn take_program_times(&mut self) -> Vec<SimTime> {
        vec![SimTime::ZERO; self.roles.len()]
    }
}
