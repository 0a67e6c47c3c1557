//! The table of trace formats: name, words for the user, and the parser.

use wordline_keys::RefusedValue;
use wordline_units::did_you_mean;

use super::detect::Signs;
use super::fields::SECTOR;
use super::lines::Lines;
use super::row::{Decoder, RowParser};
use super::{
    alibaba, biosnoop, biotracer, blkparse, blktrace, csv, disksim, disksim_validate, etw, fio_iolog2,
    fio_iolog3, fiu, flashsim, ftrace, hfplayer, mqsim, msr, nvme_events, offset_frequency, oracle_general,
    replayer, spc, srt, ssdsim, ssdsim_hash, systor17, table, tencent, tracerpt, vscsi, vscsi_csv, vscsi2,
    wiscsee, wordline, wpa,
};
use crate::WorkloadConfig;
use crate::config::{CsvConfig, TraceAction};
use crate::time_unit::TimeUnit;

/// A trace format that can be read.
#[derive(Debug)]
pub struct Format {
    /// Its name in configuration.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Columns, in order, with their units.
    pub description: &'static str,
    /// Example rows; of a binary format, bytes in hexadecimal digits.
    pub example: &'static str,
    /// Whether it is binary, not text.
    pub binary: bool,
    /// Ends of file names that suggest it, without the dot; `-us` and the like may follow, for the
    /// unit of its times.
    pub extensions: &'static [&'static str],
    /// Unit of its times.
    pub time_unit: TimeUnit,
    /// Who described it, or what it is read after.
    pub source: &'static str,
    /// What is easily misread, and how it is handled.
    pub traps: &'static [&'static str],
    /// Whether its rows are events, of which those of one action are requests, or say when each action happened
    /// (`workload.action`).
    pub actions: bool,
    /// How much rows that it can read look like its own, and by what sign.
    pub(crate) likeness: fn(&Signs) -> (u32, &'static str),
    /// Makes a parser.
    pub(crate) decoder: fn(&Reading) -> Box<dyn Decoder>,
}

/// How a trace is to be read, beyond its format.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// Unit of the times.
    pub(crate) unit: TimeUnit,
    /// The action whose events are requests, or at which requests arrive, if the user says one.
    pub(crate) action: Option<TraceAction>,
    /// Seed of what is drawn.
    pub(crate) seed: u64,
    /// Bytes of a logical block, where addresses count them.
    pub(crate) logical_block: u64,
    /// The columns of delimited text.
    pub(crate) csv: CsvConfig,
}

impl Reading {
    /// Times in `unit`, everything else as is usual.
    pub(crate) fn times_in(unit: TimeUnit) -> Self {
        Self {
            unit,
            action: None,
            seed: WorkloadConfig::default().seed,
            logical_block: SECTOR,
            csv: CsvConfig::default(),
        }
    }
}

/// Every format, in the order in which equal guesses are preferred.
static FORMATS: [Format; 35] = [
    spc::FORMAT,
    msr::FORMAT,
    disksim::FORMAT,
    ssdsim::FORMAT,
    ssdsim_hash::FORMAT,
    mqsim::FORMAT,
    flashsim::FORMAT,
    replayer::FORMAT,
    fiu::FORMAT,
    vscsi::FORMAT,
    vscsi2::FORMAT,
    vscsi_csv::FORMAT,
    tencent::FORMAT,
    alibaba::FORMAT,
    systor17::FORMAT,
    blkparse::FORMAT,
    wiscsee::FORMAT,
    srt::FORMAT,
    disksim_validate::FORMAT,
    biotracer::FORMAT,
    fio_iolog2::FORMAT,
    fio_iolog3::FORMAT,
    hfplayer::FORMAT,
    ftrace::FORMAT,
    nvme_events::FORMAT,
    biosnoop::FORMAT,
    etw::FORMAT,
    tracerpt::FORMAT,
    wpa::FORMAT,
    blktrace::FORMAT,
    oracle_general::FORMAT,
    offset_frequency::FORMAT,
    table::FORMAT,
    csv::FORMAT,
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
pub(crate) fn by_name(name: &str) -> Result<&'static Format, RefusedValue> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let accepted = format!(
            "{}accepted are {}, or left out to have the format recognised",
            did_you_mean(name, names.iter().copied()),
            names.join(", ")
        );
        RefusedValue::new("workload.format", name, accepted)
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
