//! A read: where it starts, and how far it must go.

use crate::ldpc::level::Level;
use crate::ldpc::thresholds::Thresholds;
use crate::ldpc::times::SensingTimes;

/// At which level a read starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Always at this one.
    At(Level),
    /// At the one that the page needs, as if it were known: the bound of every scheme that predicts it. A page that no
    /// level reads starts at the highest.
    Needed,
}

/// How a read went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The level of the first attempt.
    pub first: Level,
    /// The level of the last one.
    pub last: Level,
    /// Whether the last attempt gave the data; else the page is uncorrectable.
    pub is_corrected: bool,
}

impl Read {
    /// The levels of the attempts, in their order: none is skipped.
    pub fn levels(self) -> impl Iterator<Item = Level> {
        Level::all().filter(move |level| (self.first..=self.last).contains(level))
    }

    /// Attempts in all.
    #[must_use]
    pub fn attempts(self) -> u32 {
        u32::from(self.last.get() - self.first.get()) + 1
    }
}

/// A code with soft sensing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ldpc {
    /// Up to which error rate each level succeeds.
    pub thresholds: Thresholds,
    /// What an attempt costs.
    pub times: SensingTimes,
}

impl Ldpc {
    /// Reads a page: attempts from the level of `start` upwards, until one succeeds. `rber` is the raw bit error rate that an
    /// attempt (the first is 0) sees: a drive that also shifts its references lowers it from one to the next.
    #[must_use]
    pub fn read(&self, start: Start, rber: impl Fn(u32) -> f64) -> Read {
        let first = match start {
            Start::At(level) => level,
            Start::Needed => self.thresholds.required(rber(0)).unwrap_or(Level::HIGHEST),
        };
        let mut read = Read {
            first,
            last: first,
            is_corrected: false,
        };
        loop {
            read.is_corrected = rber(read.attempts() - 1) <= self.thresholds.of(read.last);
            match read.last.next() {
                Some(next) if !read.is_corrected => read.last = next,
                _ => return read,
            }
        }
    }

    /// Nanoseconds that the attempts of a read take, one after the other.
    #[must_use]
    pub fn read_ns(&self, read: Read) -> f64 {
        read.levels()
            .map(|level| self.times.attempt_ns(level, level == read.first))
            .sum()
    }
}
