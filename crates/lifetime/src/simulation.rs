//! The part of a study that is simulated: the host's writes go through the FTL in functional mode, and the wear of every
//! block follows its programs and erases.

use wordline_cell::fence::WearState;
use wordline_config::Config;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{Ahead, BlockReport, Extent, Mapping, Subjects, TimedRequest};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

use crate::block_wear::BlockWear;
use crate::copied_ftl::CopiedFtl;
use crate::error::LifetimeError;
use crate::host_writes::HostWrites;
use crate::refresh_report::RefreshReport;
use crate::window::{BATCHES, Window};

/// Requests of each part of the lookahead.
const LOOKAHEAD: usize = 32;

/// Writes come when the workload says, or the study.
pub(crate) fn functional_options(config: &Config) -> FunctionalOptions {
    FunctionalOptions {
        time_per_write: Duration::ZERO,
        order: config.allocation.order,
        ..FunctionalOptions::default()
    }
}

/// When the FTL is to look for blocks to be refreshed next, if it refreshes any.
fn next_look(ftl: &dyn Mapping) -> Option<SimTime> {
    ftl.refreshing()?.next_refresh_look()
}

/// A drive under its workload, whose clock counts only what is simulated.
pub(crate) struct Simulation<'a> {
    functional: Functional<'a, dyn Mapping, BlockWear>,
    writes: HostWrites,
    /// The next requests, in the time of the FTL, in three parts: those of the first are executed; for those of the second the
    /// pages that the map names are prefetched into the processor's cache, and for those of the third the entries of the map.
    /// Empty before the first request.
    lookahead: [Vec<TimedRequest>; 3],
    /// Place of the next request in the first part.
    next: usize,
    /// Time simulated, in nanoseconds.
    at: u64,
    /// When the FTL looks at its blocks next for one to be refreshed.
    next_look: Option<SimTime>,
    /// Reports of blocks, kept for their space.
    reports: Vec<BlockReport>,
}

/// The counts at the start of a window.
pub(crate) struct WindowStart {
    states: Vec<WearState>,
    /// Erases after refreshes, by block; empty where they are not told apart.
    refreshes: Vec<u32>,
    at: u64,
    written: u64,
    programmed: u64,
    groups: usize,
}

impl WindowStart {
    /// Groups of planes.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }
}

impl<'a> Simulation<'a> {
    /// A simulation at its start.
    pub(crate) fn new(
        ftl: &'a mut (dyn Mapping + 'static),
        options: FunctionalOptions,
        wear: BlockWear,
        writes: HostWrites,
    ) -> Self {
        let next_look = next_look(ftl);
        Self {
            next_look,
            reports: Vec::new(),
            functional: Functional::observed(ftl, options, wear),
            writes,
            lookahead: [(); 3].map(|()| Vec::with_capacity(LOOKAHEAD)),
            next: 0,
            at: 0,
        }
    }

    /// The FTL.
    pub(crate) fn ftl(&self) -> &dyn Mapping {
        self.functional.ftl()
    }

    /// Collection pools of the drive.
    pub(crate) fn pools(&self) -> u32 {
        let collected = self.functional.ftl().collected_space();
        collected.map_or(1, |collected| collected.pools())
    }

    /// The wear of all blocks.
    pub(crate) fn wear(&self) -> &BlockWear {
        self.functional.observer()
    }

    /// The wear of all blocks, for changes that are not simulated.
    pub(crate) fn wear_mut(&mut self) -> &mut BlockWear {
        self.functional.observer_mut()
    }

    /// Time simulated, in nanoseconds.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Pages of the drive.
    pub(crate) fn user_pages(&self) -> u64 {
        self.functional.ftl().user_pages()
    }

    /// Pages that a whole pass of the workload writes, once it has started over.
    pub(crate) fn pages_of_workload_pass(&self) -> Option<u64> {
        self.writes.pass()
    }

    /// Pages that the host has written.
    pub(crate) fn written(&self) -> u64 {
        self.functional.counts().host_writes
    }

    /// Pages programmed.
    pub(crate) fn programmed(&self) -> u64 {
        self.functional.counts().pages_programmed()
    }

    /// Pages programmed with data for each page that the host has written; 0 before the first.
    pub(crate) fn write_amplification(&self) -> f64 {
        let counts = self.functional.counts();
        let units = self.functional.ftl().unit_geometry().pages_per_program;
        counts.write_amplification().unwrap_or_default() * f64::from(units)
    }

    /// Gives the FTL the erase counts of all blocks, skipped erases included, by which it levels wear.
    pub(crate) fn set_erase_counts(&mut self) {
        for block in 0..self.wear().states.len() {
            let cycles = self.wear().states[block].cycles();
            if let Some(ageable) = self.functional.ftl_mut().ageable_mut() {
                ageable.set_erase_count(BlockId(block as u32), cycles);
            }
        }
    }

    /// When the next request comes, in nanoseconds since the start of the study without skips; 0 before the first.
    pub(crate) fn next_at(&self) -> u64 {
        let [first, ..] = &self.lookahead;
        first
            .get(self.next)
            .map_or(0, |request| self.since_epoch(request))
    }

    /// Simulates the writing of so many pages, as far as they come before `due` (nanoseconds since the start of the study,
    /// without skips). Returns how many come later.
    ///
    /// # Errors
    /// A malformed row of a trace, a workload that writes nothing, a drive without reclaimable space.
    pub(crate) fn simulate_pages(&mut self, pages: u64, due: u64) -> Result<u64, LifetimeError> {
        let due = self.epoch() + Duration(due);
        let mut left = pages;
        while left > 0 {
            while self.next >= self.lookahead[0].len() {
                self.fill_lookahead()?;
            }
            let next = self.lookahead[0][self.next].at;
            if let Some(look) = self.next_look.filter(|look| *look <= next && *look < due) {
                self.look_for_refresh(look)?;
                continue;
            }
            let until = self.next_look.map_or(due, |look| look.min(due));
            let part = &self.lookahead[0][self.next..];
            let part = &part[..part.len().min(left as usize)];
            let part = &part[..part.partition_point(|request| request.at < until)];
            let Some(last) = part.last() else { break };
            self.at = self.since_epoch(last);
            self.next += part.len();
            let before = self.functional.counts().host_writes;
            self.functional.execute_requests(part)?;
            left -= self.functional.counts().host_writes - before;
            self.tell_of_blocks();
        }
        Ok(left)
    }

    /// Has the FTL look for blocks to be refreshed at a time, and refreshes them.
    fn look_for_refresh(&mut self, look: SimTime) -> Result<(), LifetimeError> {
        self.functional.advance_to(look);
        let now = self.functional.now();
        let refreshing = self.functional.ftl_mut().refreshing_mut();
        if refreshing.is_some_and(|refreshing| refreshing.look_for_refresh(now)) {
            self.functional.settle()?;
        }
        self.tell_of_blocks();
        self.next_look = next_look(self.ftl());
        Ok(())
    }

    /// Tells the FTL what happened to its blocks, where it refreshes them.
    pub(crate) fn tell_of_blocks(&mut self) {
        let Some(health) = &mut self.functional.observer_mut().health else {
            return;
        };
        health.take_reports(&mut self.reports);
        if self.reports.is_empty() {
            return;
        }
        if let Some(refreshing) = self.functional.ftl_mut().refreshing_mut() {
            refreshing.observe_blocks(&self.reports);
        }
        self.reports.clear();
        self.next_look = next_look(self.ftl());
    }

    /// What refresh did; none where nothing is refreshed.
    pub(crate) fn refresh(&self) -> Option<RefreshReport> {
        let totals = self.ftl().refreshing()?.totals();
        Some(RefreshReport::new(totals, self.functional.counts(), self.epoch()))
    }

    /// Drops the first part of the lookahead and fills the last one with the next requests.
    fn fill_lookahead(&mut self) -> Result<(), LifetimeError> {
        self.lookahead.rotate_left(1);
        self.next = 0;
        let [_, soon, last] = &mut self.lookahead;
        last.clear();
        self.writes.next(last, LOOKAHEAD)?;
        let ftl = self.functional.ftl();
        for request in last {
            ftl.prefetch(request.lpn, Ahead::Far);
        }
        for request in soon {
            ftl.prefetch(request.lpn, Ahead::Near);
        }
        Ok(())
    }

    /// When a request comes, in nanoseconds since the study began.
    fn since_epoch(&self, request: &TimedRequest) -> u64 {
        request.at.since(self.writes.epoch()).ns()
    }

    /// The FTL as it is.
    ///
    /// # Errors
    /// As for `Mapping::archive`.
    pub(crate) fn copy(&mut self, extent: Extent) -> Result<CopiedFtl, ArchiveError> {
        // the clock of the FTL starts with the first request
        let now = self.functional.now().max(self.epoch());
        let jobs = self.functional.waiting_jobs();
        CopiedFtl::of(self.functional.ftl_mut(), jobs, now, extent)
    }

    /// Saves or loads what changes: the FTL, the wear of its blocks, and the place in the workload.
    ///
    /// # Errors
    /// As for `Archive::part`. After loading, `replay_pass` must follow.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.functional.archive(archive)?;
        let now = self.functional.now();
        self.functional
            .ftl_mut()
            .archive(now, Extent::Everything, archive)?;
        self.functional.observer_mut().archive(archive)?;
        self.writes.archive(archive)?;
        archive.part(&mut self.lookahead)?;
        archive.part(&mut self.next)?;
        archive.part(&mut self.at)?;
        self.next_look = next_look(self.ftl());
        Ok(())
    }

    /// Reads the workload again up to the place that a loaded state says.
    ///
    /// # Errors
    /// As for `simulate_pages`; a workload that has become shorter; an interruption, when `goes_on` returns false.
    pub(crate) fn replay_pass(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), LifetimeError> {
        self.writes.replay_pass(goes_on)
    }

    /// Times that the workload has started over.
    pub(crate) fn workload_passes(&self) -> u64 {
        self.writes.passes()
    }

    /// Time of the FTL when the study began.
    pub(crate) fn epoch(&self) -> SimTime {
        self.writes.epoch()
    }

    fn refreshes(&self) -> &[u32] {
        self.wear().held.as_ref().map_or(&[], |held| &held.refreshes)
    }

    /// The present moment of the FTL's clock.
    pub(crate) fn clock(&self) -> SimTime {
        self.functional.now()
    }

    /// Has the FTL refresh now what is due, and returns the blocks that took data.
    ///
    /// # Errors
    /// A drive without reclaimable space.
    pub(crate) fn refresh_now(&mut self) -> Result<Vec<usize>, LifetimeError> {
        let now = self.clock();
        let since = |simulation: &Self| {
            let health = simulation.wear().health.as_ref();
            health.map_or_else(Vec::new, |health| health.since().to_vec())
        };
        let before = since(self);
        self.tell_of_blocks();
        self.look_for_refresh(now)?;
        let after = since(self);
        let pairs = before.iter().zip(&after).enumerate();
        Ok(pairs
            .filter(|(_, (old, new))| old != new && **new == now)
            .map(|(block, _)| block)
            .collect())
    }

    /// Begins a window.
    pub(crate) fn begin_window(&mut self) -> WindowStart {
        self.functional.observer_mut().take_rests();
        WindowStart {
            states: self.wear().states.clone(),
            refreshes: self.refreshes().to_vec(),
            at: self.at,
            written: self.written(),
            programmed: self.programmed(),
            groups: self.wear().erases.len(),
        }
    }

    /// The window since `start`; `batches` are the erases of each group in its parts.
    pub(crate) fn end_window(&mut self, start: WindowStart, batches: Vec<[u64; BATCHES]>) -> Window {
        let rests = self.functional.observer_mut().take_rests();
        let both = || start.states.iter().zip(&self.wear().states);
        let refreshed: Vec<u32> = self
            .refreshes()
            .iter()
            .zip(&start.refreshes)
            .map(|(new, old)| new - old)
            .collect();
        let erases = both().zip(refreshed.iter().copied().chain(std::iter::repeat(0)));
        let programs = |state: &WearState| state.cycles() + u32::from(state.is_programmed());
        Window {
            length: self.at.saturating_sub(start.at).max(1) as f64,
            written: self.written() - start.written,
            programmed: self.programmed() - start.programmed,
            erases: erases
                .map(|((old, new), refreshed)| new.cycles() - old.cycles() - refreshed)
                .collect(),
            refreshes: refreshed.iter().copied().map(u64::from).sum(),
            programs: both()
                .map(|(old, new)| programs(new).saturating_sub(programs(old)))
                .collect(),
            gains: both()
                .map(|(old, new)| new.equivalent_events() - old.equivalent_events())
                .collect(),
            batches,
            rests,
        }
    }
}
