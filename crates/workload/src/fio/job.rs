//! The commands of one copy of a job.

use wordline_units::{SECTOR_BYTES, SimTime};

use super::Direction;
use super::files::Files;
use super::pace::Pace;
use super::place::{Rules, Streams};
use super::placement::Handles;
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

    /// The directions that places are sought for: what is trimmed first is written where it was.
    pub(crate) const fn placed(self) -> &'static [Direction] {
        match self {
            Self::TrimThenWrite => &[Direction::Trim],
            _ => self.directions(),
        }
    }
}

/// When a job is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    /// Sectors per loop.
    pub(crate) sectors: u64,
    /// Loops; `None`: until the time limit.
    pub(crate) loops: Option<u64>,
    /// A loop goes on in a further pass over the files where one pass is not enough (`io_size`).
    pub(crate) passes: bool,
    /// Reads, writes and trims in all (`number_ios`).
    pub(crate) commands: u64,
}

/// How writes become durable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Durability {
    /// A flush after these numbers of writes (`fsync`, `fdatasync`); 0: none.
    pub(crate) flush_every: [u64; 2],
    /// A flush at the end of each loop with writes (`end_fsync`, `fsync_on_close`).
    pub(crate) flush_at_end: bool,
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
    /// A job that reads and writes only writes for now, as there is nothing to read.
    pub(crate) only_writes: bool,
    pub(crate) progress: Progress,
}

/// How far a copy has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    loops: u64,
    /// Sectors of this loop.
    sectors: u64,
    /// Reads, writes and trims of the job.
    commands: u64,
    writes: u64,
    /// Something was written since the last flush.
    dirty: bool,
    /// A place that was trimmed and is to be written.
    half: Option<(u64, u64)>,
    /// A flush comes next.
    flush: bool,
    over: bool,
}

impl Job {
    fn direction(&mut self) -> Direction {
        match self.work {
            Work::One(direction) => direction,
            Work::TrimThenWrite => Direction::Trim,
            Work::Mixed { .. } if self.only_writes => Direction::Write,
            Work::Mixed { reads } => self.pace.due_first().unwrap_or_else(|| {
                if below(100, &mut self.streams.directions) < reads {
                    Direction::Read
                } else {
                    Direction::Write
                }
            }),
        }
    }

    /// What is done next, and where; `None` at the end of a loop.
    fn place(&mut self) -> Option<(Direction, u64, u64)> {
        if let Some((sector, sectors)) = self.progress.half.take() {
            return Some((Direction::Write, sector, sectors));
        }
        while self.progress.sectors < self.quota.sectors {
            let direction = self.direction();
            let Some(file) = self.files.next(&mut self.streams.files) else {
                if !self.quota.passes {
                    return None;
                }
                self.files.restart(&mut self.streams);
                continue;
            };
            let Some((sector, sectors)) = file.next(&self.rules, direction, &mut self.streams) else {
                file.done = true;
                continue;
            };
            self.progress.sectors = self.progress.sectors.saturating_add(file.take_skipped());
            if self.work == Work::TrimThenWrite {
                self.progress.half = Some((sector, sectors));
            }
            return Some((direction, sector, sectors));
        }
        None
    }

    /// The last command of a direction was moved to a sector, and `lost` sectors shorter: the file goes on behind it.
    pub(crate) fn moved(&mut self, direction: Direction, sector: u64, sectors: u64, lost: u64) {
        self.progress.sectors = self.progress.sectors.saturating_sub(lost);
        if let Some(file) = self.files.current() {
            file.moved(direction, sector, sectors);
        }
    }

    /// The last command, of so many sectors, is not done: there is nothing more to do in this pass over its file.
    pub(crate) fn end_pass(&mut self, sectors: u64) {
        self.progress.sectors = self.progress.sectors.saturating_sub(sectors);
        self.progress.commands -= 1;
        if let Some(file) = self.files.current() {
            file.done = true;
        }
    }

    fn end_loop(&mut self) {
        self.progress.loops += 1;
        self.progress.sectors = 0;
        self.progress.flush = self.durability.flush_at_end && self.progress.dirty;
        self.progress.over =
            Some(self.progress.loops) == self.quota.loops || self.progress.commands >= self.quota.commands;
        if !self.progress.over {
            self.files.restart(&mut self.streams);
        }
    }

    fn flush(&mut self) -> HostCommand {
        self.progress.flush = false;
        self.progress.dirty = false;
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
        progress.sectors = progress.sectors.saturating_add(sectors);
        progress.commands += 1;
        if direction == Direction::Write {
            progress.writes += 1;
            progress.dirty = true;
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
            if self.progress.flush {
                return Ok(Some(self.flush()));
            }
            if self.progress.over {
                return Ok(None);
            }
            let place = if self.progress.commands < self.quota.commands {
                self.place()
            } else {
                None
            };
            let Some((direction, sector, sectors)) = place else {
                self.end_loop();
                continue;
            };
            let command = self.command(direction, sector, sectors);
            if command.arrival == SimTime::NEVER {
                self.progress.over = true;
                self.progress.flush = false;
                return Err(SourceError(
                    "rate: commands arrive beyond the 584 years that simulated time reaches; accepted: a higher rate, \
                     or a smaller io_size"
                        .to_owned(),
                ));
            }
            return Ok(Some(command));
        }
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
