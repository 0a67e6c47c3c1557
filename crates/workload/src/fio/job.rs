//! The commands of one copy of a job.

use wordline_units::{SECTOR_BYTES, SimTime};

use super::Direction;
use super::files::Files;
use super::pace::Pace;
use super::place::{Rules, Streams};
use super::placement::Handles;
use super::quota::{Done, Quota};
use super::written::Written;
use crate::synthetic::slots::below;
use crate::{HostCommand, HostOp, Source, SourceError};

/// What the commands of a job do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    One(Direction),
    /// Reads and writes; the percentage that reads.
    Mixed {
        reads: u64,
    },
    /// Each place is trimmed and then written.
    TrimThenWrite,
}

impl Work {
    /// What is done to blocks.
    pub(crate) const fn directions(self) -> &'static [Direction] {
        match self {
            Self::One(Direction::Read) => &[Direction::Read],
            Self::One(Direction::Write) => &[Direction::Write],
            Self::One(Direction::Trim) => &[Direction::Trim],
            Self::Mixed { .. } => &[Direction::Read, Direction::Write],
            Self::TrimThenWrite => &[Direction::Trim, Direction::Write],
        }
    }

    /// The directions that random places are sought for: what is trimmed first is written where it was.
    pub(crate) const fn placed(self) -> &'static [Direction] {
        match self {
            Self::TrimThenWrite => &[Direction::Trim],
            _ => self.directions(),
        }
    }
}

/// How writes become durable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Durability {
    /// A flush after these numbers of writes (`fsync`, `fdatasync`); 0: none.
    pub(crate) flush_every: [u64; 2],
    /// Flushes at the end of each pass of a job that may write, one for each of its files (`end_fsync`, `fsync_on_close`).
    pub(crate) at_end: u64,
    /// Writes are acknowledged when they are on the medium (`sync`).
    pub(crate) fua: bool,
}

/// A copy of a job.
pub(crate) struct Job {
    pub(crate) rules: Rules,
    pub(crate) files: Files,
    pub(crate) work: Work,
    pub(crate) quota: Quota,
    pub(crate) durability: Durability,
    /// What a write is: data, or zeroes without data (`write_mode`).
    pub(crate) write: HostOp,
    /// Placement handles of writes.
    pub(crate) handles: Handles,
    pub(crate) pace: Pace,
    pub(crate) streams: Streams,
    pub(crate) queue: u16,
    pub(crate) notes: Vec<String>,
    /// What is read back after a pass, where it is (`verify`).
    pub(crate) written: Option<Written>,
    /// A job that reads and writes only writes for now, as there is nothing to read.
    pub(crate) only_writes: bool,
    /// When the next command is sent at the earliest, from the start of the job, as far as it was told.
    pub(crate) now: SimTime,
    pub(crate) progress: Progress,
}

/// How far a copy has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    done: Done,
    writes: u64,
    /// Writes are to be flushed before the next command.
    flush: bool,
    /// The last command was a flush.
    flushed: bool,
    /// Flushes left at the end of a pass.
    flushes: u64,
    over: bool,
}

/// What a job does next in its pass.
enum Step {
    Flush,
    Command(Direction, u64, u64),
}

impl Job {
    fn direction(&mut self) -> Direction {
        match self.work {
            Work::One(direction) => direction,
            Work::TrimThenWrite => Direction::Trim,
            Work::Mixed { .. } if self.only_writes => Direction::Write,
            Work::Mixed { reads } => {
                let drawn = if below(100, &mut self.streams.directions) < reads {
                    Direction::Read
                } else {
                    Direction::Write
                };
                self.pace.direction(drawn, self.now)
            }
        }
    }

    /// What is done next, and where; `None` at the end of a pass.
    fn step(&mut self) -> Option<Step> {
        while !self.quota.is_reached(&self.progress.done) {
            // a flush is one of a file, and takes a turn, as in fio
            self.files.turn(&mut self.streams)?;
            if self.progress.flush {
                return Some(Step::Flush);
            }
            let direction = self.direction();
            let file = self.files.current()?;
            let direction = match self.work {
                Work::TrimThenWrite => file.trims_or_writes(),
                _ => direction,
            };
            if let Some((sector, sectors)) = file.next(&self.rules, direction, &mut self.streams) {
                return Some(Step::Command(direction, sector, sectors));
            }
            self.files.end_file(&mut self.streams);
        }
        None
    }

    /// The last command of a direction was moved to a sector, and `lost` sectors shorter: the file goes on behind it.
    pub(crate) fn moved(&mut self, direction: Direction, sector: u64, sectors: u64, lost: u64) {
        self.progress
            .done
            .shorten(direction, lost * u64::from(SECTOR_BYTES));
        if let Some(file) = self.files.current() {
            file.moved(direction, sector, sectors);
        }
    }

    /// The last command, of so many sectors, is not done: there is nothing more to do in this pass over its file.
    pub(crate) fn end_pass(&mut self, direction: Direction, sectors: u64) {
        self.progress
            .done
            .withdraw(direction, sectors * u64::from(SECTOR_BYTES));
        if let Some(file) = self.files.current() {
            file.done = true;
        }
    }

    fn next_pass(&mut self) {
        if let Some(written) = &mut self.written {
            written.begin();
            self.progress
                .done
                .verify(written.held(), written.sectors() * u64::from(SECTOR_BYTES));
        }
        self.progress.flushes = if self.progress.flushed {
            0
        } else {
            self.durability.at_end
        };
        self.progress.over = !self
            .quota
            .end_pass(&mut self.progress.done, self.files.are_done());
        if !self.progress.over {
            self.files.restart(&mut self.streams);
        }
    }

    /// A read of what was written; it counts for the rate of reads, and within a pass for the bytes and the commands that end it.
    fn read_back(&mut self, sector: u64, sectors: u64) -> HostCommand {
        if self.written.as_ref().is_some_and(|written| !written.is_reading()) {
            self.progress.done.read_back(sectors * u64::from(SECTOR_BYTES));
        }
        HostCommand {
            arrival: self.pace.send(Direction::Read, sectors * u64::from(SECTOR_BYTES)),
            op: HostOp::Read,
            fua: false,
            sector,
            sectors: u32::try_from(sectors).unwrap_or(u32::MAX),
            queue: self.queue,
            placement: 0,
        }
    }

    fn flush(&mut self) -> HostCommand {
        self.progress.flush = false;
        self.progress.flushed = true;
        HostCommand {
            arrival: self.pace.now(),
            op: HostOp::Flush,
            fua: false,
            sector: 0,
            sectors: 0,
            queue: self.queue,
            placement: 0,
        }
    }

    fn command(&mut self, direction: Direction, sector: u64, sectors: u64) -> HostCommand {
        let progress = &mut self.progress;
        progress.done.add(direction, sectors * u64::from(SECTOR_BYTES));
        progress.flushed = false;
        if direction == Direction::Write {
            if let Some(written) = &mut self.written {
                written.add(sector, sectors);
            }
            progress.writes += 1;
            let mut every = self.durability.flush_every.into_iter();
            progress.flush = every.any(|every| every > 0 && progress.writes.is_multiple_of(every));
        }
        let placement = match direction {
            Direction::Write => {
                let byte = sector * u64::from(SECTOR_BYTES);
                self.handles.next(byte, &mut self.streams.handles)
            }
            Direction::Read | Direction::Trim => 0,
        };
        HostCommand {
            arrival: self.pace.send(direction, sectors * u64::from(SECTOR_BYTES)),
            op: match direction {
                Direction::Read => HostOp::Read,
                Direction::Write => self.write,
                Direction::Trim => HostOp::Trim,
            },
            fua: direction == Direction::Write && self.durability.fua,
            sector,
            sectors: u32::try_from(sectors).unwrap_or(u32::MAX),
            queue: self.queue,
            placement,
        }
    }
}

impl Source for Job {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        loop {
            if self.progress.flushes > 0 {
                self.progress.flushes -= 1;
                return Ok(Some(self.flush()));
            }
            // a pass that has done its bytes reads back all at its end
            let is_in_pass = |written: &Written| !written.is_reading();
            let is_done =
                self.written.as_ref().is_some_and(is_in_pass) && self.quota.is_reached(&self.progress.done);
            if let Some((sector, sectors)) =
                self.written.as_mut().filter(|_| !is_done).and_then(Written::next)
            {
                return Ok(Some(self.read_back(sector, sectors)));
            }
            if self.progress.over {
                return Ok(None);
            }
            let (direction, sector, sectors) = match self.step() {
                None => {
                    self.next_pass();
                    continue;
                }
                Some(Step::Flush) => return Ok(Some(self.flush())),
                Some(Step::Command(direction, sector, sectors)) => (direction, sector, sectors),
            };
            let command = self.command(direction, sector, sectors);
            if command.arrival == SimTime::NEVER {
                self.progress.over = true;
                return Err(SourceError(
                    "rate: commands arrive beyond the 584 years that simulated time reaches; accepted: a higher rate, \
                     or a smaller io_size"
                        .to_owned(),
                ));
            }
            return Ok(Some(command));
        }
    }

    fn heeds_time(&self) -> bool {
        matches!(self.work, Work::Mixed { .. }) && self.pace.is_limited()
    }

    fn time_is(&mut self, now: SimTime) {
        self.now = now;
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
