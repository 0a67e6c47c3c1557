//! The part of a study that simulates: the host's writes through the FTL, with the wear of every block kept.

use wordline_cell::fence::WearState;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{Ftl, PageFtl, PageOp};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

use super::measure::{BATCHES, Window};
use super::wear::Wear;
use super::writes::{PageWrite, Writes};
use crate::error::RunError;

/// Writes that are known ahead, so that their map entries are in the cache when they come, and what these name too.
const AHEAD: usize = 64;
const SOON: usize = 24;
const _: () = assert!(AHEAD.is_power_of_two() && SOON < AHEAD);

/// A drive under its workload, whose clock counts only what is simulated.
pub(super) struct Simulation<'a> {
    functional: Functional<'a, PageFtl, Wear>,
    writes: Writes,
    /// The writes that come next, in a ring; empty before the first.
    ahead: Vec<PageWrite>,
    /// Where in it the next one is.
    next: usize,
    /// Time of the FTL when the study began.
    epoch: SimTime,
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
    /// `epoch` is the time of the FTL.
    pub(super) fn new(
        ftl: &'a mut PageFtl,
        options: FunctionalOptions,
        wear: Wear,
        writes: Writes,
        epoch: SimTime,
    ) -> Self {
        Self {
            functional: Functional::observed(ftl, options, wear),
            writes,
            ahead: Vec::with_capacity(AHEAD),
            next: 0,
            epoch,
            at: 0,
        }
    }

    /// The FTL.
    pub(super) fn ftl(&self) -> &PageFtl {
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
        self.ahead.get(self.next % AHEAD).map_or(0, |write| write.at.ns())
    }

    /// Writes so many pages, as far as they come before `due`. Pages that do not.
    ///
    /// # Errors
    /// A malformed row of a trace, a workload that writes nothing, a drive without reclaimable space.
    pub(super) fn pass(&mut self, pages: u64, due: u64) -> Result<u64, RunError> {
        while self.ahead.len() < AHEAD {
            let mut write = PageWrite::NONE;
            self.writes.next(&mut write)?;
            self.ahead.push(write);
        }
        let mut left = pages;
        while left > 0 {
            let write = self.ahead[self.next % AHEAD];
            if write.at.ns() >= due {
                break;
            }
            let place = &mut self.ahead[self.next % AHEAD];
            self.writes.next(place)?;
            let later = place.lpn;
            self.next = (self.next + 1) % AHEAD;
            let ftl = self.functional.ftl();
            ftl.expect(later);
            ftl.expect_soon(self.ahead[(self.next + SOON) % AHEAD].lpn);
            self.at = write.at.ns();
            left -= u64::from(write.op == PageOp::Write);
            self.submit(&write)?;
        }
        Ok(left)
    }

    #[inline]
    fn submit(&mut self, write: &PageWrite) -> Result<(), RunError> {
        let now = self.epoch + Duration(write.at.ns());
        self.functional.observer_mut().now = now;
        self.functional.advance_to(now);
        match write.op {
            PageOp::Trim => self.functional.trim(write.lpn, write.pages)?,
            _ => self.functional.write(write.lpn)?,
        };
        Ok(())
    }

    /// Hands over what changes: the FTL, the wear of its blocks, and where the workload has come to.
    ///
    /// # Errors
    /// As for `Archive::part`. After loading, `catch_up` must follow.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.functional.archive(archive)?;
        self.functional.ftl_mut().archive(archive)?;
        self.functional.observer_mut().archive(archive)?;
        self.writes.archive(archive)?;
        archive.part(&mut self.ahead)?;
        archive.part(&mut self.next)?;
        archive.part(&mut self.epoch)?;
        archive.part(&mut self.at)
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
        self.epoch
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
            programs: both().map(|(old, new)| programs(new) - programs(old)).collect(),
            gains: both()
                .map(|(old, new)| new.equivalent_events() - old.equivalent_events())
                .collect(),
            batches,
            rests,
        }
    }
}
