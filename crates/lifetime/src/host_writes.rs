//! The writes and deallocations of a workload, page by page, without end.

use std::path::Path;

use wordline_config::ConfigError;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::{Lpn, PageOp, TimedRequest};
use wordline_units::{Divider, Duration, SimTime};
use wordline_workload::{
    Admission, ArrivalLaw, HostCommand, HostOp, Source, WorkloadConfig, WorkloadKind, admission, open_watched,
};

use crate::error::LifetimeError;

const DAY_NS: f64 = 86_400e9;
/// Commands that are asked for at a time.
const BATCH: usize = 64;
/// Commands in a row without a write after which a workload is refused as one without writes.
const MOST_WITHOUT_WRITE: u64 = 100_000_000;
/// Commands read again between two calls of the watcher.
const COMMANDS_BETWEEN_CALLS: u64 = 1 << 20;

/// When pages are written.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// At a constant rate: nanoseconds for a page.
    Steady(f64),
    /// When the workload says.
    Arrivals,
}

/// The writes and deallocations of a workload, which starts over when it ends; reads are left out unless they are asked for. A page that is
/// written in part counts as written whole: either way it is programmed once.
pub(crate) struct HostWrites {
    sectors: u64,
    per_page: u64,
    by_page: Divider,
    source: Box<dyn Source>,
    /// Time of the FTL when the study began.
    epoch: SimTime,
    /// Commands that were fetched from the source together, and how many of them were taken.
    batch: Vec<HostCommand>,
    taken: usize,
    clock: Clock,
    /// Pages of the present command that are still to be written: the next one, and the one after the last.
    next: u64,
    end: u64,
    /// Placement handle of the command that is being written.
    handle: u16,
    /// When the last page was written, in nanoseconds since the start of the study.
    at: u64,
    /// Pages written so far, and before the present pass of the workload.
    written: u64,
    began: u64,
    /// Time at which the present pass started, its commands so far, and the arrival of the last one since the start of the
    /// pass, in nanoseconds.
    start: u64,
    commands: u64,
    last: u64,
    /// Times that the workload has started over.
    passes: u64,
    /// Pages that the last whole pass wrote, once there was one.
    pass: Option<u64>,
    /// Commands since the last write.
    idle: u64,
    /// Whether reads are handed on.
    with_reads: bool,
}

impl HostWrites {
    /// The writes of a workload to a drive of so many sectors, `per_page` to a page. `watch` is told the share of a
    /// trace that was read for its totals and stops the reading by returning false.
    ///
    /// # Errors
    /// A workload that cannot be opened, or an interruption; neither a rate nor arrivals.
    pub(crate) fn new(
        config: &WorkloadConfig,
        base_dir: &Path,
        sectors: u64,
        per_page: u32,
        writes_per_day: Option<f64>,
        epoch: SimTime,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Self, LifetimeError> {
        let mut config = config.clone();
        let clock = match writes_per_day {
            Some(rate) => Clock::Steady(DAY_NS / rate / (sectors / u64::from(per_page)) as f64),
            None if matches!(admission(&config, None), Admission::OpenLoop { .. }) => Clock::Arrivals,
            None => {
                let problem = "the workload is a closed loop and does not say when it writes; accepted is a number of \
                               drive writes per day, or a workload with arrivals";
                return Err(ConfigError::key(None, "writes_per_day", problem).into());
            }
        };
        // a generator draws new commands without end
        if config.kind != WorkloadKind::Trace {
            if config.kind != WorkloadKind::Profile && config.read_fraction + config.trim_fraction >= 1.0 {
                return Err(writes_nothing());
            }
            config.requests = Some(u64::MAX);
            config.duration = None;
            if matches!(clock, Clock::Steady(_)) {
                config.interarrival = None;
                config.arrival = ArrivalLaw::Fixed;
            }
        }
        Ok(Self {
            source: open_watched(&config, sectors, base_dir, watch)?,
            epoch,
            batch: Vec::with_capacity(BATCH),
            taken: 0,
            sectors,
            per_page: u64::from(per_page),
            by_page: Divider::new(per_page),
            clock,
            next: 0,
            end: 0,
            handle: 0,
            at: 0,
            written: 0,
            began: 0,
            start: 0,
            commands: 0,
            last: 0,
            passes: 0,
            pass: None,
            idle: 0,
            with_reads: false,
        })
    }

    /// The same with the reads of the workload, if they are asked for.
    pub(crate) const fn with_reads(mut self, with_reads: bool) -> Self {
        self.with_reads = with_reads;
        self
    }

    /// Pages that a whole pass of the workload writes, where it starts over and has done so.
    pub(crate) fn pass(&self) -> Option<u64> {
        self.pass
    }

    /// Time of the FTL when the study began.
    pub(crate) fn epoch(&self) -> SimTime {
        self.epoch
    }

    /// Saves or loads the place in the workload.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        for part in [
            &mut self.next,
            &mut self.end,
            &mut self.at,
            &mut self.written,
            &mut self.began,
            &mut self.start,
            &mut self.commands,
            &mut self.last,
            &mut self.passes,
            &mut self.idle,
        ] {
            archive.part(part)?;
        }
        archive.part(&mut self.handle)?;
        archive.part(&mut self.epoch)?;
        archive.part(&mut self.pass)
    }

    /// Reads again the commands of the present pass that were taken before the state was saved.
    ///
    /// # Errors
    /// As for `next`; a workload that is not the same; an interruption, when `goes_on` returns false.
    pub(crate) fn replay_pass(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), LifetimeError> {
        let other = || {
            let problem =
                "it is not what it was when the state of the study was saved; accepted is the same workload";
            ConfigError::key(None, "workload", problem)
        };
        // those that the pass has written, and those of its last command that are still to be written
        let mut pages = self.written - self.began + self.end.saturating_sub(self.next);
        let (mut idle, mut last) = (0, self.last);
        for command in 0..self.commands {
            if command.is_multiple_of(COMMANDS_BETWEEN_CALLS) && !goes_on() {
                return Err(LifetimeError::Interrupted);
            }
            let command = self.source.next_command()?.ok_or_else(other)?;
            last = command.arrival.ns();
            if command.op == HostOp::Write {
                let (next, end) = self.pages_of(&command);
                pages = pages.checked_sub(end.saturating_sub(next)).ok_or_else(other)?;
                idle = 0;
            } else {
                idle += 1;
            }
            if idle > MOST_WITHOUT_WRITE {
                return Err(writes_nothing());
            }
        }
        if pages == 0 && last == self.last {
            Ok(())
        } else {
            Err(other().into())
        }
    }

    /// Times that the workload has started over.
    pub(crate) fn passes(&self) -> u64 {
        self.passes
    }

    /// Appends the next writes and deallocations until there are `count` requests.
    ///
    /// # Errors
    /// A malformed row; a workload that writes nothing.
    pub(crate) fn next(
        &mut self,
        requests: &mut Vec<TimedRequest>,
        count: usize,
    ) -> Result<(), LifetimeError> {
        while requests.len() < count {
            while self.next >= self.end {
                match self.batch.get(self.taken) {
                    Some(command) if command.op == HostOp::Write => {
                        (self.next, self.end) = self.pages_of(command);
                        self.handle = command.placement;
                        self.last = command.arrival.ns();
                        self.idle = 0;
                        self.count_command();
                    }
                    _ => self.take_other_command(requests)?,
                }
            }
            self.written += 1;
            if let Clock::Steady(step) = self.clock {
                self.at = nanoseconds(self.written, step);
            }
            requests.push(self.request(PageOp::Write, self.next, 1));
            self.next += 1;
        }
        Ok(())
    }

    #[inline]
    fn request(&self, op: PageOp, lpn: u64, pages: u64) -> TimedRequest {
        TimedRequest {
            at: self.epoch + Duration(self.at),
            op,
            lpn: Lpn(lpn),
            pages,
            placement: self.handle,
        }
    }

    /// Counts a command as taken, and sets the time to its arrival where arrivals count.
    #[inline]
    fn count_command(&mut self) {
        self.taken += 1;
        self.commands += 1;
        if matches!(self.clock, Clock::Arrivals) {
            self.at = self.start.saturating_add(self.last);
        }
    }

    /// The first page that a command writes, and the one after the last.
    #[inline]
    fn pages_of(&self, command: &HostCommand) -> (u64, u64) {
        let end = self.page_from(self.end_of(command));
        (self.by_page.divide(command.sector), end)
    }

    /// The sector after the last one of a command, at most the end of the drive.
    #[inline]
    fn end_of(&self, command: &HostCommand) -> u64 {
        (command.sector + u64::from(command.sectors)).min(self.sectors)
    }

    /// Takes a command that is no write, or fetches more commands where none is left.
    #[inline(never)]
    fn take_other_command(&mut self, requests: &mut Vec<TimedRequest>) -> Result<(), LifetimeError> {
        let Some(command) = self.batch.get(self.taken).copied() else {
            return self.fetch_commands();
        };
        self.last = command.arrival.ns();
        self.count_command();
        self.idle += 1;
        if self.idle > MOST_WITHOUT_WRITE {
            return Err(writes_nothing());
        }
        if self.with_reads && command.op == HostOp::Read {
            let (first, end) = self.pages_of(&command);
            requests.extend((first..end).map(|lpn| self.request(PageOp::Read, lpn, 1)));
            return Ok(());
        }
        if !matches!(command.op, HostOp::Trim | HostOp::WriteZeroes) {
            return Ok(());
        }
        let first = self.page_from(command.sector);
        let end = self.by_page.divide(self.end_of(&command));
        if first < end {
            requests.push(self.request(PageOp::Trim, first, end - first));
        }
        Ok(())
    }

    fn fetch_commands(&mut self) -> Result<(), LifetimeError> {
        self.batch.clear();
        self.taken = 0;
        self.source.next_commands(BATCH, &mut self.batch)?;
        if self.batch.is_empty() {
            self.start_over()?;
        }
        Ok(())
    }

    #[cold]
    fn start_over(&mut self) -> Result<(), LifetimeError> {
        if self.written == self.began {
            return Err(writes_nothing());
        }
        if matches!(self.clock, Clock::Arrivals) && self.last == 0 {
            let problem = "all requests of the trace come at once, so that it takes no time; accepted is a number of \
                           drive writes per day, or a trace with arrivals";
            return Err(ConfigError::key(None, "writes_per_day", problem).into());
        }
        self.pass = Some(self.written - self.began);
        self.began = self.written;
        // between two passes lies the mean interval of arrivals
        let gap = self.last / (self.commands.max(2) - 1);
        self.start = self.start.saturating_add(self.last).saturating_add(gap);
        self.commands = 0;
        self.passes += 1;
        self.source.rewind()?;
        Ok(())
    }

    /// The first page that does not start before a sector.
    #[inline]
    fn page_from(&self, sector: u64) -> u64 {
        self.by_page.divide(sector + self.per_page - 1)
    }
}

/// The time of so many steps. It is computed with signed numbers, which a processor converts from and to `f64` in one
/// instruction.
#[inline]
fn nanoseconds(steps: u64, step: f64) -> u64 {
    match (steps as i64 as f64 * step) as i64 {
        i64::MAX => u64::MAX,
        time => time as u64,
    }
}

fn writes_nothing() -> LifetimeError {
    let problem = "it writes nothing, so that nothing wears; accepted are workloads with writes";
    ConfigError::key(None, "workload", problem).into()
}

#[cfg(test)]
mod tests;
