//! fio job files, run as they are: the options that describe a block workload, with fio's
//! meaning and defaults (HOWTO of fio 3), read from the job file that the user has.
//!
//! A file becomes sections (`ini`), a section an assembled job (`spec`, by the table in `options`), jobs
//! share the drive by the files that they name (`layout`), and each copy of a job becomes a
//! client (`clients`) whose commands a generator makes (`job`, `place`, `pace`), on zones with `zoned` around it.

mod axmap;
mod beside;
mod build;
mod clients;
mod command_line;
mod coverage;
mod distribution;
mod drive;
mod error;
mod expression;
mod files;
mod flow;
mod ini;
mod iolog;
mod job;
mod layout;
mod options;
mod overlap;
mod pace;
mod place;
mod placement;
mod quota;
mod rejected;
mod setters;
mod sizes;
mod spec;
mod steady;
#[cfg(test)]
mod tests;
mod unused_options;
mod values;
mod variables;
mod without_effect;
mod written;
mod zoned;

pub use clients::{fio_clients, fio_job_file};
pub use command_line::fio_command_line;
pub use drive::{DriveZones, FioDrive, FioZones};
pub use ini::is_job_file;
pub use options::{FioOption, fio_options};
pub use variables::variables_of;

/// What a job does to blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Read,
    Write,
    Trim,
}

impl Direction {
    /// In the order in which values for them are listed: `bs=4k,8k,64k`.
    pub(crate) const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];
}

/// One of something for each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Each<T>([T; 3]);

impl<T> Each<Option<T>> {
    /// Whether no direction has a value.
    pub(crate) fn is_unset(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl Each<Option<u64>> {
    /// The values, 0 where there is none.
    pub(crate) fn values(&self) -> [u64; 3] {
        self.0.map(Option::unwrap_or_default)
    }
}

impl<T> Each<T> {
    /// What `change` makes of the values.
    pub(crate) fn map<U>(self, change: impl Fn(T) -> U) -> [U; 3] {
        self.0.map(change)
    }

    /// From the values of reads, writes and trims.
    pub(crate) const fn new(values: [T; 3]) -> Self {
        Self(values)
    }

    /// The value of `direction`.
    pub(crate) const fn of(&self, direction: Direction) -> &T {
        &self.0[direction as usize]
    }

    /// The value of `direction`, to change.
    pub(crate) const fn of_mut(&mut self, direction: Direction) -> &mut T {
        &mut self.0[direction as usize]
    }
}
