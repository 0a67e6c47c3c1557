//! Hot/cold separation: the temperature of a host write, and with it the open block that it goes to. One file for each
//! classifier; their table is in `registry`.

pub(crate) mod dac;
pub(crate) mod freq_table;
pub(crate) mod gc_separation;
mod hash;
pub(crate) mod multi_bloom;
pub(crate) mod multi_hash;
pub(crate) mod size_threshold;
#[cfg(test)]
mod tests;
pub(crate) mod two_level_lru;
pub(crate) mod wdac;

use wordline_units::{Seed, SimTime};

use crate::error::FtlError;
use crate::plan::Frontier;
use crate::plan::{host_frontier, temperature_of};
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::{Entry, Keys, Parameters};

/// Tells hot pages from cold ones by the writes of the host.
pub trait Classifier: Send {
    /// The temperature of the page that a host write brings: from 0, the hottest, to one less than the temperatures of the
    /// row.
    fn temperature(&mut self, now: SimTime, write: &PageRequest) -> u8;

    /// The same where the row asks where pages are: `held` is the temperature of the open blocks that the page was written
    /// to before, by the host or by collection, the coldest if these were for other than host writes, and none where the drive
    /// does not have the page.
    fn temperature_from(&mut self, now: SimTime, write: &PageRequest, _held: Option<u8>) -> u8 {
        self.temperature(now, write)
    }

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// What makes a classifier; none where all pages are alike.
pub type BuildClassifier =
    &'static (dyn Fn(&Parameters<ClassifierRow>, Seed) -> Option<Box<dyn Classifier>> + Sync);

/// A classifier in its table.
#[derive(Clone, Copy)]
pub struct ClassifierRow {
    /// What it says of itself.
    pub entry: Entry,
    /// Temperatures that it tells apart, from 1 to [`MOST_TEMPERATURES`]; each has an open block of its own in every plane.
    pub temperatures: &'static (dyn Fn(&Parameters<Self>) -> u8 + Sync),
    /// Whether collection moves pages to open blocks of the next colder temperature; otherwise they keep theirs.
    pub cools_when_moved: bool,
    /// Whether it is told the temperature of the open blocks that a page was written to before
    /// ([`Classifier::temperature_from`]).
    pub asks_where_pages_are: bool,
    /// Checks the values of its keys.
    pub check: fn(&Parameters<Self>) -> Result<(), FtlError>,
    /// Makes it.
    pub build: BuildClassifier,
}

/// The most temperatures of a classifier.
pub const MOST_TEMPERATURES: u8 = 64;

impl ClassifierRow {
    /// A classifier of two temperatures, with these keys in `[ftl.hot]`.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, keys: Keys, build: BuildClassifier) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys,
                reads: &[],
            },
            temperatures: &|_| 2,
            cools_when_moved: false,
            asks_where_pages_are: false,
            check: |_| Ok(()),
            build,
        }
    }
}

/// Checks that a count is at least `least`.
fn check_at_least(key: &'static str, found: u32, least: u32) -> Result<(), FtlError> {
    if found < least {
        return Err(FtlError::new(key, found, format!("at least {least}")));
    }
    Ok(())
}

/// Checks that a size is a power of two.
fn check_power_of_two(key: &'static str, found: u32) -> Result<(), FtlError> {
    if !found.is_power_of_two() {
        return Err(FtlError::new(key, found, "a power of two"));
    }
    Ok(())
}

/// `ftl.hot.classifier = "none"`.
pub(crate) const NONE: ClassifierRow = {
    let help = "All pages are alike and share one open block in each plane.";
    let mut row = ClassifierRow::new("none", help, Keys::NONE, &|_, _| None);
    row.temperatures = &|_| 1;
    row
};

/// Where host writes go, by temperature.
pub(crate) struct Separation {
    classifier: Option<Box<dyn Classifier>>,
    temperatures: u8,
    asks_where_pages_are: bool,
    /// The temperature of the open blocks that the page of the present request was written to, if it is asked for.
    held: Option<u8>,
}

impl Separation {
    /// The classifier that a configuration names.
    ///
    /// # Errors
    /// There is no such classifier.
    pub(crate) fn new(config: &crate::config::HotConfig, seed: Seed) -> Result<Self, FtlError> {
        let row = config.classifier.row()?;
        Ok(Self {
            classifier: (row.build)(&config.keys, seed),
            temperatures: config.temperatures()?,
            asks_where_pages_are: row.asks_where_pages_are,
            held: None,
        })
    }

    /// Whether pages differ.
    pub(crate) const fn is_on(&self) -> bool {
        self.classifier.is_some()
    }

    /// Before [`Self::frontier`]: the frontier by which the page of the request was written where it is. It is looked up only where
    /// the classifier asks for it.
    #[inline(always)]
    pub(crate) fn locate(&mut self, held: impl FnOnce() -> Option<Frontier>) {
        if self.asks_where_pages_are {
            self.hold(held());
        }
    }

    #[inline(never)]
    fn hold(&mut self, held: Option<Frontier>) {
        let coldest = self.temperatures - 1;
        self.held = held.map(|frontier| temperature_of(frontier).unwrap_or(coldest).min(coldest));
    }

    /// The frontier of a page that the host writes.
    #[inline]
    pub(crate) fn frontier(&mut self, now: SimTime, write: &PageRequest) -> Frontier {
        match &mut self.classifier {
            None => host_frontier(0),
            Some(classifier) => {
                let temperature = if self.asks_where_pages_are {
                    classifier.temperature_from(now, write, self.held)
                } else {
                    classifier.temperature(now, write)
                };
                // one that answers beyond its row is taken at the coldest
                host_frontier(temperature.min(self.temperatures - 1))
            }
        }
    }

    /// Passes what the classifier remembers to a state file, or takes it from one.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        match &mut self.classifier {
            None => Ok(()),
            Some(classifier) => classifier.archive(archive),
        }
    }
}
