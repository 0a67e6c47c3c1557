//! How much work a job does: the counts of fio (`do_io`, `io_bytes_exceeded` and `keep_running` of its backend.c), which works in passes over the files.

use super::Direction;
use super::layout::Copy;
use super::place::Region;
use super::spec::{Engine, Pattern};
use super::values::{Amount, Space};

/// When a job is done. A pass ends when the files have nothing left, or when one of the counts is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    /// Directions whose bytes count.
    counted: [bool; 3],
    /// Bytes of all passes together that end a pass.
    limit: u64,
    /// Bytes of one pass, of every direction, that end it; fio keeps this count for asynchronous engines alone.
    pass: u64,
    /// Bytes below which further passes follow the loops.
    wanted: u64,
    /// A rest below the largest block is left.
    largest: u64,
    /// Passes go on where all files have come to their end: with `io_size`, and where fio has opened them again to read back.
    goes_on: bool,
    loops: u64,
    /// Commands of all passes together (`number_ios`), those that read back among them.
    commands: u64,
    /// The commands double with each pass, as each place is trimmed and written.
    doubles: bool,
    time_based: bool,
}

/// What a job has done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    bytes: [u64; 3],
    of_pass: u64,
    /// Bytes that were written and are read back, in all passes.
    verified: u64,
    passes: u64,
    commands: u64,
    /// Commands when this pass began.
    before: u64,
}

impl Quota {
    pub(crate) fn of(copy: &Copy<'_>, regions: &[Region], space: Space) -> Self {
        let spec = copy.spec;
        let sum = |share: u64| -> u64 {
            let bytes = regions
                .iter()
                .map(|region| (u128::from(region.bytes) * u128::from(share) / 100) as u64);
            bytes.fold(0, u64::saturating_add)
        };
        let total = match spec.io_size {
            Some(Amount::Percent(share)) => sum(share),
            _ => sum(100),
        };
        let size = match spec.size {
            Some(amount) if !amount.is_share() => amount.of(space).min(total),
            _ => total,
        };
        let io_size = spec
            .io_size
            .filter(|amount| !amount.is_share())
            .map(|amount| amount.of(space));
        let wanted = io_size.unwrap_or(size);
        let loops = spec.loops.max(1);
        let limit = wanted.saturating_mul(loops);
        let backlog = spec.reads_back() && spec.verify_backlog > 0;
        let pass = match spec.pattern {
            _ if backlog => size.saturating_mul(2),
            Pattern::TrimWrite => size.saturating_add(limit),
            Pattern::One(Direction::Write) | Pattern::ReadWrite if spec.random && !spec.keeps_map() => {
                size.max(io_size.unwrap_or(0))
            }
            _ => size,
        };
        let doubles = spec.pattern == Pattern::TrimWrite;
        let sizes = Direction::ALL
            .iter()
            .flat_map(|direction| spec.sizes(*direction).1.named());
        Self {
            counted: match spec.pattern {
                Pattern::One(direction) => Direction::ALL.map(|other| other == direction),
                Pattern::ReadWrite => [true, true, false],
                Pattern::TrimWrite => [false, true, false],
            },
            limit,
            pass: match spec.engine {
                Engine::Asynchronous if spec.iodepth > 1 => pass,
                _ => u64::MAX,
            },
            wanted,
            largest: sizes.max().unwrap_or(0),
            goes_on: io_size.is_some() || spec.reads_back(),
            loops,
            commands: match spec.number_ios {
                0 => u64::MAX,
                commands => commands
                    .saturating_mul(loops)
                    .saturating_mul(if doubles { 2 } else { 1 })
                    .saturating_mul(spec.ranges()),
            },
            doubles,
            time_based: spec.is_time_based(),
        }
    }

    /// Whether the pass is over, whatever is left of the files.
    pub(crate) fn is_reached(&self, done: &Done) -> bool {
        let bytes = done
            .bytes
            .iter()
            .zip(self.counted)
            .filter(|(_, counted)| *counted);
        let bytes = bytes.fold(0, |sum: u64, (bytes, _)| sum.saturating_add(*bytes));
        let is_reached = bytes >= self.limit || done.of_pass >= self.pass || done.commands >= self.commands;
        is_reached && !self.time_based
    }

    /// Ends a pass; whether another one follows. `files_are_done`: each has come to its end.
    pub(crate) fn end_pass(&mut self, done: &mut Done, files_are_done: bool) -> bool {
        let is_idle = done.commands == done.before;
        done.passes += 1;
        done.of_pass = 0;
        done.before = done.commands;
        if is_idle {
            return false;
        }
        let goes_on = self.time_based || done.passes < self.loops || {
            let bytes = done
                .bytes
                .iter()
                .fold(done.verified, |sum: u64, bytes| sum.saturating_add(*bytes));
            let left = self.wanted.saturating_sub(bytes);
            left > 0
                && left >= self.largest
                && done.commands < self.commands
                && (self.goes_on || !files_are_done)
        };
        if self.doubles {
            self.commands = self.commands.saturating_mul(2);
        }
        goes_on
    }
}

impl Done {
    /// A command of so many bytes was sent.
    pub(crate) fn add(&mut self, direction: Direction, bytes: u64) {
        let sum = &mut self.bytes[direction as usize];
        *sum = sum.saturating_add(bytes);
        self.of_pass = self.of_pass.saturating_add(bytes);
        self.commands += 1;
    }

    /// Something written in this pass was read back within it.
    pub(crate) fn read_back(&mut self, bytes: u64) {
        self.of_pass = self.of_pass.saturating_add(bytes);
        self.verify(1, bytes);
    }

    /// So many commands read back what was written: they count for `number_ios`, and where it is asked whether another pass follows.
    pub(crate) fn verify(&mut self, commands: u64, bytes: u64) {
        self.commands = self.commands.saturating_add(commands);
        self.verified = self.verified.saturating_add(bytes);
    }

    /// The last command became so much shorter.
    pub(crate) fn shorten(&mut self, direction: Direction, bytes: u64) {
        let sum = &mut self.bytes[direction as usize];
        *sum = sum.saturating_sub(bytes);
        self.of_pass = self.of_pass.saturating_sub(bytes);
    }

    /// The last command is not done.
    pub(crate) fn withdraw(&mut self, direction: Direction, bytes: u64) {
        self.shorten(direction, bytes);
        self.commands = self.commands.saturating_sub(1);
    }
}
