//! The part of a study that simulates: the host's writes through the FTL, with the wear of every block kept.

use wordline_cell::fence::WearState;
use wordline_ftl::archive::{Archive, ArchiveError, require};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{Extent, Mapping, PageOp, TimedRequest};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

use super::measure::{BATCHES, Window};
use super::wear::Wear;
use super::writes::Writes;
use crate::error::RunError;

/// Requests of a part of those that are known ahead.
const PART: usize = 32;

/// A drive under its workload, whose clock counts only what is simulated.
pub(super) struct Simulation<'a> {
    functional: Functional<'a, dyn Mapping, Wear>,
    writes: Writes,
    /// The requests that come next, in the time of the FTL, in three parts: the first is served, what the map says of the
    /// second comes into the cache, and so do the entries of the third in the map. Empty before the first request.
    ahead: [Vec<TimedRequest>; 3],
    /// Where in the first part the next one is.
    next: usize,
    /// Time simulated, in nanoseconds.
    at: u64,
}

/// What a window starts from.
pub(super) struct Mark {
    states: Vec<WearState>,
    at: u64,
    written: u64,
    programmed: u64,
    groups: usize,
}

impl Mark {
    /// Groups of planes.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }
}

impl<'a> Simulation<'a> {
    /// Nothing is simulated yet.
    pub(super) fn new(
        ftl: &'a mut (dyn Mapping + 'static),
        options: FunctionalOptions,
        wear: Wear,
        writes: Writes,
    ) -> Self {
        Self {
            functional: Functional::observed(ftl, options, wear),
            writes,
            ahead: [(); 3].map(|()| Vec::with_capacity(PART)),
            next: 0,
            at: 0,
        }
    }

    /// The FTL.
    pub(super) fn ftl(&self) -> &dyn Mapping {
        self.functional.ftl()
    }

    /// The wear of all blocks.
    pub(super) fn wear(&self) -> &Wear {
        self.functional.observer()
    }

    /// The same, to be changed where it is not simulated.
    pub(super) fn wear_mut(&mut self) -> &mut Wear {
        self.functional.observer_mut()
    }

    /// Time simulated, in nanoseconds.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Pages of the drive.
    pub(super) fn user_pages(&self) -> u64 {
        self.functional.ftl().user_pages()
    }

    /// Pages that a whole pass of the workload writes, where it starts over and has done so.
    pub(super) fn workload_pass(&self) -> Option<u64> {
        self.writes.pass()
    }

    /// Pages that the host has written.
    pub(super) fn written(&self) -> u64 {
        self.functional.counts().host_writes
    }

    /// Pages programmed.
    pub(super) fn programmed(&self) -> u64 {
        self.functional.counts().pages_programmed()
    }

    /// Pages programmed with data for each page that the host has written; 0 before the first.
    pub(super) fn write_amplification(&self) -> f64 {
        let counts = self.functional.counts();
        counts.write_amplification().unwrap_or_default()
    }

    /// The FTL levels wear by the erases that were skipped too.
    pub(super) fn tell_erases(&mut self) {
        for block in 0..self.wear().states.len() {
            let cycles = self.wear().states[block].cycles();
            self.functional
                .ftl_mut()
                .set_erase_count(BlockId(block as u32), cycles);
        }
    }

    /// When the next write comes.
    pub(super) fn next_at(&self) -> u64 {
        let [first, ..] = &self.ahead;
        first
            .get(self.next)
            .map_or(0, |request| self.since_epoch(request))
    }

    /// Writes so many pages, as far as they come before `due`. Pages that do not.
    ///
    /// # Errors
    /// A malformed row of a trace, a workload that writes nothing, a drive without reclaimable space.
    pub(super) fn pass(&mut self, pages: u64, due: u64) -> Result<u64, RunError> {
        let due = self.epoch() + Duration(due);
        let mut left = pages;
        while left > 0 {
            while self.next >= self.ahead[0].len() {
                self.look_ahead()?;
            }
            let part = &self.ahead[0][self.next..];
            let part = &part[..part.len().min(left as usize)];
            let part = &part[..part.partition_point(|request| request.at < due)];
            let Some(last) = part.last() else { break };
            self.at = self.since_epoch(last);
            self.next += part.len();
            let before = self.functional.counts().host_writes;
            self.functional.execute_requests(part)?;
            left -= self.functional.counts().host_writes - before;
        }
        Ok(left)
    }

    /// The second part of what is known ahead becomes the first.
    fn look_ahead(&mut self) -> Result<(), RunError> {
        self.ahead.rotate_left(1);
        self.next = 0;
        let [_, soon, last] = &mut self.ahead;
        last.clear();
        self.writes.next(last, PART)?;
        let ftl = self.functional.ftl();
        for request in last {
            ftl.prefetch(request.lpn);
        }
        for request in soon {
            ftl.prefetch_next(request.lpn);
        }
        Ok(())
    }

    /// When a request comes, in nanoseconds since the study began.
    fn since_epoch(&self, request: &TimedRequest) -> u64 {
        request.at.since(self.writes.epoch()).ns()
    }

    /// Hands over what changes: the FTL, the wear of its blocks, and where the workload has come to.
    ///
    /// # Errors
    /// As for `Archive::part`. After loading, `catch_up` must follow.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.functional.archive(archive)?;
        let now = self.functional.now();
        self.functional
            .ftl_mut()
            .archive(now, Extent::Everything, archive)?;
        self.functional.observer_mut().archive(archive)?;
        self.writes.archive(archive)?;
        archive.part(&mut self.ahead)?;
        archive.part(&mut self.next)?;
        archive.part(&mut self.at)?;
        if archive.is_loading() {
            self.check()
        } else {
            Ok(())
        }
    }

    /// Checks what was loaded: requests that the drive can serve, in the order of time, and one account of writes, of
    /// erases and of time.
    fn check(&self) -> Result<(), ArchiveError> {
        let user_pages = self.user_pages();
        let servable = |request: &TimedRequest| {
            let pages = match request.op {
                PageOp::Write => 1..2,
                PageOp::Trim => 1..u64::MAX,
                PageOp::Read => 0..0,
            };
            pages.contains(&request.pages)
                && request
                    .lpn
                    .0
                    .checked_add(request.pages)
                    .is_some_and(|end| end <= user_pages)
        };
        require(
            self.ahead.iter().flatten().all(servable),
            "a request that no workload makes",
        )?;
        require(
            self.next <= self.ahead[0].len(),
            "more requests served than were known",
        )?;
        let (written, last) = self.writes.written();
        let begun = self.epoch() + Duration(self.at);
        let to_come = || self.ahead.iter().flatten().skip(self.next);
        let times = || {
            [begun]
                .into_iter()
                .chain(to_come().map(|request| request.at))
                .chain([last])
        };
        require(times().is_sorted(), "requests that are not in the order of time")?;
        let waiting = to_come().filter(|request| request.op == PageOp::Write).count() as u64;
        require(
            self.written() + waiting == written,
            "other writes than the host's",
        )?;
        let now = self.functional.now();
        require(
            self.at == 0 || begun <= now,
            "a clock that is behind the last request",
        )?;
        let latest = now.max(self.epoch());
        require(
            self.ftl().latest() <= latest,
            "a time of the mapping in the future",
        )?;
        self.wear().check(latest)?;
        let worn = self.wear().states.iter().zip(0..).all(|(state, block)| {
            let erases = self.ftl().block(BlockId(block)).erase_count;
            erases == state.cycles()
        });
        require(worn, "erases of the mapping that are not those of its blocks")
    }

    /// Brings the workload to where a loaded state says that it was.
    ///
    /// # Errors
    /// As for `pass`; a workload that has become shorter; an interruption, when `goes_on` says false.
    pub(super) fn catch_up(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), RunError> {
        self.writes.catch_up(goes_on)
    }

    /// Times that the workload has started over.
    pub(super) fn workload_passes(&self) -> u64 {
        self.writes.passes()
    }

    /// Time of the FTL when the study began.
    pub(super) fn epoch(&self) -> SimTime {
        self.writes.epoch()
    }

    /// A window begins.
    pub(super) fn mark(&mut self) -> Mark {
        self.functional.observer_mut().take_rests();
        Mark {
            states: self.wear().states.clone(),
            at: self.at,
            written: self.written(),
            programmed: self.programmed(),
            groups: self.wear().erases.len(),
        }
    }

    /// The window since a mark; `batches` are the erases of each group in its parts.
    pub(super) fn since(&mut self, mark: Mark, batches: Vec<[u64; BATCHES]>) -> Window {
        let rests = self.functional.observer_mut().take_rests();
        let both = || mark.states.iter().zip(&self.wear().states);
        let programs = |state: &WearState| state.cycles() + u32::from(state.is_programmed());
        Window {
            length: self.at.saturating_sub(mark.at).max(1) as f64,
            written: self.written() - mark.written,
            programmed: self.programmed() - mark.programmed,
            erases: both().map(|(old, new)| new.cycles() - old.cycles()).collect(),
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
