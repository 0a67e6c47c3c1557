//! How reliable every page is, and what it takes to read it: the drive's side of `wordline-cell` and
//! `wordline-ecc`.
//!
//! [`pages`] knows wear, program time and carried errors; [`PageCode`] turns a bit error rate into attempts and an
//! outcome; [`learning`] says where attempts start; [`reading`] plays them: sensing, the decoder of the channel, retries.

mod build;
mod disturbing_programs;
mod estimate;
mod learning;
mod pages;
pub(super) mod reading;
mod untimed;

use rustc_hash::FxHashSet;
use wordline_ecc::{PageCode, StartTables};
use wordline_ftl::{Inspect, Lpn};
use wordline_metrics::StartLevels;
use wordline_units::{Seed, SimTime};

use learning::Learning;
use pages::Pages;

/// Reliability of a run.
pub(crate) struct Reliability {
    pages: Pages,
    /// By mode.
    codes: Vec<PageCode>,
    /// Where reads start, as far as earlier reads have taught it.
    learning: Learning,
    seed: Seed,
    /// Reads begun: the number of each is what its draws are keyed by.
    reads: u64,
    /// One per channel.
    decoders: Vec<Decoder>,
    /// Logical pages that were moved or updated in part when they could not be read, and not written since.
    lost: FxHashSet<Lpn>,
}

/// The decoder of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Decoder {
    free_at: SimTime,
    /// When the transfer on the channel began.
    moving_since: SimTime,
}

impl Reliability {
    /// Logical pages whose data are lost.
    pub(crate) fn lost_pages(&self, ftl: &dyn Inspect) -> u64 {
        self.lost.iter().filter(|lpn| ftl.lookup(**lpn).is_some()).count() as u64
    }

    /// What the tables of start levels hold, where they are learned by age.
    pub(crate) fn start_levels(&self) -> StartLevels {
        let tables = self.learning.tables().into_iter().flat_map(StartTables::all);
        StartLevels::new(tables.map(|(class, from, table)| (class, from, table.days())))
    }

    /// All decoders are idle, from time zero on.
    pub(super) fn idle(&mut self) {
        self.decoders.fill(Decoder::default());
    }

    /// Whether outcomes are drawn from a probability that a number of failures can be expected from.
    pub(crate) fn expects_failures(&self) -> bool {
        self.codes.iter().any(|code| matches!(code, PageCode::Bch(_)))
    }
}
