//! Zones: the host chooses where data go, writes each zone from its start to its end, and resets it as a whole (NVM Express, zoned namespace command set; FTL
//! specification, 5.2). The drive collects nothing.
//!
//! The rules of zones are those of whole commands: the executor has each command admitted (`ZonedHost::admit`), which changes states and write pointers at once, before it
//! submits its pieces. Pieces of writes become programs of fixed pages; that of a reset becomes the erases of the blocks that the zone had, which start when
//! nothing is planned on them any more. A zone that is written again at once takes other blocks, or waits for those erases.
//!
//! Writes are of whole logical blocks, which may be smaller than a page: blocks of a page are gathered in the controller, and acknowledged, until the page is
//! full; the write that fills it waits for its program. A zone that is finished has the rest of such a page padded.
//!
//! What fails (`failing`) the host is told: the drive moves nothing.

mod blocks;
mod failing;
mod keys;
mod persist;
pub(crate) mod row;
mod table;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, CleanSpace};
use crate::config::MappingInput;
use crate::contract::{CollectedSpace, Ftl, Inspect, LookupTable, ZonedHost, count_usable_pages};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::hand_out;
use crate::inflight::NO_TOKEN;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Cause, Lpn, Outcome, Plan, Route, Scope, Step, Target, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::table_cost::{TableCost, address_bytes};
use crate::zone::{HostAccess, ZoneAction, ZoneFacts, ZoneLayout, ZoneState, ZoneTotals};
use blocks::ZoneBlocks;
use keys::Zoning;
use table::ZoneTable;

/// The zoned FTL.
pub(crate) struct ZonedFtl {
    geometry: Geometry,
    layout: ZoneLayout,
    table: ZoneTable,
    blocks: ZoneBlocks,
    /// Pages of each zone that are planned, the first ones.
    planned: Vec<u64>,
    /// Sectors of the page behind these that wait in the controller for the rest of it. They outlast a loss of power, as does what a host has been told of.
    gathered: Vec<u64>,
    /// Sectors of writes that were admitted before their zone was reset and have not come, by logical page.
    stale: FxHashMap<u64, u32>,
    /// Programs under way.
    programs: u64,
    /// The step that was done last has failed, and nothing makes good for it.
    has_fault: bool,
    counters: FtlCounters,
    latest: SimTime,
}

impl ZonedFtl {
    /// An empty drive.
    fn new(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let zoning = Zoning::of(input)?;
        Ok(Self {
            geometry: *input.geometry,
            layout: zoning.layout,
            table: ZoneTable::new(
                zoning.layout,
                input.geometry.sectors_per_page(),
                zoning.lost.iter().copied(),
            ),
            blocks: ZoneBlocks::new(input.geometry, &zoning, input.allocation.order),
            planned: vec![0; zoning.layout.zones as usize],
            gathered: vec![0; zoning.layout.zones as usize],
            stale: FxHashMap::default(),
            programs: 0,
            has_fault: false,
            counters: FtlCounters::default(),
            latest: SimTime::ZERO,
        })
    }

    /// A piece of a write that was admitted.
    fn write(&mut self, request: &PageRequest, plan: &mut Plan) -> Answer {
        let (zone, offset) = self.layout.split(request.lpn);
        let planned = self.planned[zone as usize];
        let sectors = request.bitmap;
        let is_admitted = sectors & !self.admitted(zone, offset) == 0;
        if self.is_stale(request.lpn, sectors) || offset < planned || !is_admitted {
            return Answer::Refused(Refusal::InvalidWrite);
        }
        if self.table.is_lost(zone) {
            // admitted before something failed
            return Answer::Refused(Refusal::WriteFault);
        }
        if offset > planned {
            return Answer::WaitFor(Lpn(self.layout.start(zone).0 + planned));
        }
        if let Err(dead) = self.blocks.take(zone) {
            return Answer::WaitFor(self.layout.start(dead));
        }
        if self.gathered[zone as usize] & sectors != 0 {
            return Answer::Refused(Refusal::InvalidWrite);
        }
        self.gathered[zone as usize] |= sectors;
        self.program_gathered(zone, plan);
        Answer::Accepted
    }

    /// Programs the page of a zone that is being gathered, where it is full, or where nothing more comes of it since its zone was finished.
    fn program_gathered(&mut self, zone: u32, plan: &mut Plan) {
        let offset = self.planned[zone as usize];
        let sectors = self.gathered[zone as usize];
        let is_finished = self.table.zones[zone as usize].state == ZoneState::Full;
        let awaited = if is_finished {
            self.admitted(zone, offset)
        } else {
            self.geometry.full_bitmap()
        };
        let page = self.blocks.page(zone, offset);
        let Some(page) = page.filter(|_| sectors != 0 && sectors == awaited) else {
            return;
        };
        self.planned[zone as usize] += 1;
        self.gathered[zone as usize] = 0;
        self.programs += 1;
        self.counters.first_writes += 1;
        let program = Work::Program {
            target: Target::Page(page),
            sectors: sectors.count_ones() as u8,
            route: Route::Controller,
        };
        plan.push(step(program, Lpn(self.layout.start(zone).0 + offset)));
    }

    /// The sectors of a page of a zone that commands were admitted for.
    fn admitted(&self, zone: u32, offset: u64) -> u64 {
        self.sectors_below(self.table.zones[zone as usize].pointer, offset)
    }

    /// The sectors of a page of a zone that lie below a write pointer.
    fn sectors_below(&self, pointer: u64, offset: u64) -> u64 {
        let per_page = u64::from(self.geometry.sectors_per_page());
        let below = pointer.saturating_sub(offset * per_page).min(per_page);
        match below {
            0 => 0,
            below => u64::MAX >> (64 - below),
        }
    }

    /// Whether a piece was admitted before its zone was reset; it counts as come then.
    fn is_stale(&mut self, lpn: Lpn, sectors: u64) -> bool {
        let Some(left) = self.stale.get_mut(&lpn.0) else {
            return false;
        };
        *left = left.saturating_sub(sectors.count_ones());
        if *left == 0 {
            self.stale.remove(&lpn.0);
        }
        true
    }

    fn read(&self, request: &PageRequest, plan: &mut Plan) -> Answer {
        let (zone, offset) = self.layout.split(request.lpn);
        let planned = self.planned[zone as usize];
        if offset == planned && self.gathered[zone as usize] & request.bitmap != 0 {
            return Answer::InMemory;
        }
        if offset >= planned {
            return Answer::Unmapped;
        }
        match self.blocks.page(zone, offset) {
            Some(page) if self.blocks.is_programmed(page) => {
                let read = Work::Read {
                    page,
                    bitmap: request.bitmap,
                    route: Route::Controller,
                };
                plan.push(step(read, request.lpn));
                Answer::Accepted
            }
            Some(page) if self.blocks.is_lost(page) => Answer::Unmapped,
            Some(_) => Answer::InMemory,
            None => Answer::Unmapped,
        }
    }

    /// The blocks that a zone had before it was reset are erased.
    fn erase(&mut self, zone: u32, plan: &mut Plan) {
        let start = self.layout.start(zone);
        let erased = self.blocks.begin_erases(zone);
        plan.extend(erased.map(|block| step(Work::Erase { block }, start)));
    }
}

/// A step that a command of the host waits for.
const fn step(work: Work, lpn: Lpn) -> Step {
    Step {
        work,
        cause: Cause::Host,
        acknowledges: true,
        after: 0,
        lpn,
        token: NO_TOKEN,
    }
}

impl Ftl for ZonedFtl {
    hand_out!(Ageing, Collection, ProgramTimes, Table, Zones);

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn user_pages(&self) -> u64 {
        u64::from(self.layout.zones) * self.layout.zone_pages
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        self.latest = self.latest.max(now);
        if request.lpn.0 >= self.user_pages() {
            return Answer::Refused(Refusal::OutOfRange);
        }
        match request.op {
            PageOp::Write => self.write(request, plan),
            PageOp::Read => self.read(request, plan),
            // a hint, without effect on zones
            PageOp::Trim => Answer::Accepted,
            PageOp::Zone(ZoneAction::Reset) => {
                self.erase(self.layout.split(request.lpn).0, plan);
                Answer::Accepted
            }
            PageOp::Zone(ZoneAction::Finish) => {
                self.program_gathered(self.layout.split(request.lpn).0, plan);
                Answer::Accepted
            }
            PageOp::Zone(_) => Answer::Accepted,
        }
    }

    fn bind(&mut self, _now: SimTime, _step: &Step, _plane: PlaneId) -> Bind {
        // every program has a page of its own from the start
        Bind::Declined
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, _plan: &mut Plan) {
        self.latest = self.latest.max(now);
        self.has_fault = false;
        match (step.work, page) {
            (Work::Program { .. }, Some(page)) => {
                self.programs -= 1;
                self.blocks.programmed(page);
                if outcome == Outcome::Failed {
                    self.fail_program(page);
                }
            }
            (Work::Erase { block }, _) if outcome == Outcome::Failed || self.blocks.has_failed(block) => {
                self.retire(block);
            }
            (Work::Erase { block }, _) => {
                self.blocks.erased(block);
                self.counters.erases += 1;
            }
            _ => {}
        }
    }

    fn notices(&mut self, _notices: &mut Vec<JobNotice>) {}

    fn advance(&mut self, _now: SimTime, _job: JobId, _plan: &mut Plan) -> JobState {
        JobState::Finished
    }
}

impl ZonedHost for ZonedFtl {
    fn admit_at(&mut self, now: SimTime, access: &HostAccess) -> Result<(Lpn, u32), Refusal> {
        self.latest = self.latest.max(now);
        let last = access.lpn.0.saturating_add(access.pages.max(1) - 1);
        if last >= self.user_pages() {
            return Err(Refusal::OutOfRange);
        }
        let admitted = self.table.admit(access)?;
        let per_page = u64::from(self.geometry.sectors_per_page());
        let (zone, _) = self.layout.split(access.lpn);
        if let Some(pointer) = admitted.reset_at {
            let planned = std::mem::take(&mut self.planned[zone as usize]);
            let gathered = std::mem::take(&mut self.gathered[zone as usize]);
            let start = self.layout.start(zone).0;
            for page in planned..pointer.div_ceil(per_page) {
                let come = if page == planned { gathered } else { 0 };
                let left = (self.sectors_below(pointer, page) & !come).count_ones();
                if left > 0 {
                    *self.stale.entry(start + page).or_default() += left;
                }
            }
            self.blocks.release(zone);
        }
        let page = self.layout.start(zone).0 + admitted.offset / per_page;
        Ok((Lpn(page), (admitted.offset % per_page) as u32))
    }

    fn zones(&self) -> Vec<ZoneFacts> {
        let zones = (0..).zip(&self.table.zones);
        zones
            .map(|(number, zone)| {
                let start = self.layout.start(number);
                let written = match zone.state {
                    ZoneState::Full => self.layout.capacity_pages,
                    // the page that is written next, or written on
                    _ => zone.pointer / u64::from(self.geometry.sectors_per_page()),
                };
                ZoneFacts {
                    state: zone.state,
                    start,
                    capacity: self.layout.capacity_pages,
                    write_pointer: Lpn(start.0 + written),
                }
            })
            .collect()
    }

    fn take_write_fault(&mut self) -> bool {
        std::mem::take(&mut self.has_fault)
    }

    fn totals(&self) -> ZoneTotals {
        self.table.totals
    }

    fn restart_counts(&mut self) {
        self.table.totals = ZoneTotals::default();
    }
}

impl Inspect for ZonedFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        if lpn.0 >= self.user_pages() {
            return None;
        }
        let (zone, offset) = self.layout.split(lpn);
        let page = self.blocks.page(zone, offset)?;
        self.blocks.is_programmed(page).then_some(page)
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        if page.0 >= self.geometry.pages() {
            return None;
        }
        let (zone, offset) = self.blocks.owner(page)?;
        Some(Lpn(self.layout.start(zone).0 + offset))
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.lookup(lpn).map_or(0, |_| self.geometry.full_bitmap())
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.blocks.facts(block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        let (zone, offset) = self.layout.split(lpn);
        let offset = offset.min(self.layout.capacity_pages - 1);
        Scope::Plane(PlaneId(self.blocks.plane(zone, self.blocks.member_of(offset))))
    }

    fn counters(&self) -> FtlCounters {
        self.counters
    }

    fn reset_counters(&mut self) {
        self.counters = FtlCounters::default();
        self.table.totals = ZoneTotals::default();
    }
}

/// Nothing is moved: a zone that the host resets is erased.
impl CollectedSpace for ZonedFtl {
    fn pools(&self) -> u32 {
        self.geometry.planes()
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        CleanSpace {
            free: self.blocks.free_in_plane(plane.0),
            trigger: 0,
            blocks: self.geometry.blocks_per_plane,
        }
    }

    fn stuck_pools(&self) -> u32 {
        0
    }

    /// A zone that lacks blocks is read-only, the others go on.
    fn least_blocks(&self) -> u32 {
        0
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        count_usable_pages(self, pool)
    }
}

impl LookupTable for ZonedFtl {
    /// The controller has, for each zone, its write pointer and the addresses of its blocks. After a loss of power it looks for the first page of each block that
    /// is erased, by halves.
    fn table_cost(&self) -> TableCost {
        let geometry = &self.geometry;
        let zones = u64::from(self.layout.zones);
        let per_zone = u64::from(self.blocks.per_zone());
        let pointer = address_bytes(self.layout.capacity_pages);
        let reads = u64::from(geometry.pages_per_block.ilog2() + 1);
        let per_die = u64::from(geometry.planes_per_die) * u64::from(geometry.blocks_per_plane);
        TableCost {
            memory_bytes: zones * (pointer + per_zone * address_bytes(u64::from(geometry.blocks()))),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: vec![per_die * reads; geometry.dies() as usize],
        }
    }
}
