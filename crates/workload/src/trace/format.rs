//! The table of trace formats: name, words for the user, and the parser.

use super::detect::Signs;
use super::lines::Lines;
use super::row::{Decoder, RowParser};
use super::{disksim, flashsim, mqsim, msr, replayer, spc, ssdsim, wordline};
use crate::config::TimeUnit;
use crate::error::KeyError;

/// A trace format that can be read.
#[derive(Debug)]
pub struct Format {
    /// Its name in configuration.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Columns, in order, with their units.
    pub description: &'static str,
    /// An example row.
    pub example: &'static str,
    /// Ends of file names that suggest it, without the dot; `-us` and the like may follow, for the
    /// unit of its times.
    pub extensions: &'static [&'static str],
    /// Unit of its times.
    pub time_unit: TimeUnit,
    /// How much rows that it can read look like its own, and by what sign.
    pub(crate) likeness: fn(&Signs) -> (u32, &'static str),
    /// Makes a parser that reads times in a unit.
    pub(crate) decoder: fn(TimeUnit) -> Box<dyn Decoder>,
}

/// Every format, in the order in which equal guesses are preferred.
static FORMATS: [Format; 8] = [
    spc::FORMAT,
    msr::FORMAT,
    disksim::FORMAT,
    ssdsim::FORMAT,
    mqsim::FORMAT,
    flashsim::FORMAT,
    replayer::FORMAT,
    wordline::FORMAT,
];

/// The trace formats that can be read.
#[must_use]
pub fn formats() -> &'static [Format] {
    &FORMATS
}

/// The format called `name`.
///
/// # Errors
/// There is none.
pub(crate) fn by_name(name: &str) -> Result<&'static Format, KeyError> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let accepted = format!("{}, or left out to have the format recognised", names.join(", "));
        KeyError::new("workload.format", name, accepted)
    })
}

/// The likeness of a format whose rows no other format can read.
pub(crate) const fn unmistakable(_: &Signs) -> (u32, &'static str) {
    (10, "its columns fit no other format")
}

/// A format of text rows.
pub(crate) fn text(parser: impl RowParser + 'static) -> Box<dyn Decoder> {
    Box::new(Lines::new(parser))
}
