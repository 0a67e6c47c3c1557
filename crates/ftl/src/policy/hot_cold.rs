//! Hot/cold separation: the temperature of a host write, and with it the open block that it goes to. One file for each
//! classifier; their table is in `registry`.

pub(crate) mod size_threshold;

use wordline_units::{Seed, SimTime};

use crate::error::FtlError;
use crate::plan::Frontier;
use crate::request::PageRequest;
use crate::space::host_frontier;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::{Entry, Keys, Parameters};

/// Tells hot pages from cold ones by the writes of the host.
pub trait Classifier: Send {
    /// The temperature of the page that a host write brings: from 0, the hottest, to one less than the temperatures of the
    /// row.
    fn temperature(&mut self, now: SimTime, write: &PageRequest) -> u8;

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// What makes a classifier; none where all pages are alike.
pub type BuildClassifier = fn(&Parameters<ClassifierRow>, Seed) -> Option<Box<dyn Classifier>>;

/// A classifier in its table.
#[derive(Clone, Copy)]
pub struct ClassifierRow {
    /// What it says of itself.
    pub entry: Entry,
    /// Temperatures that it tells apart, from 1 to [`MOST_TEMPERATURES`]; each has an open block of its own in every plane.
    pub temperatures: fn(&Parameters<Self>) -> u8,
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
            temperatures: |_| 2,
            check: |_| Ok(()),
            build,
        }
    }
}

/// `ftl.hot.classifier = "none"`.
pub(crate) const NONE: ClassifierRow = {
    let help = "All pages are alike and share one open block in each plane.";
    let mut row = ClassifierRow::new("none", help, Keys::NONE, |_, _| None);
    row.temperatures = |_| 1;
    row
};

/// Where host writes go, by temperature.
pub(crate) struct Separation {
    classifier: Option<Box<dyn Classifier>>,
    temperatures: u8,
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
        })
    }

    /// Whether pages differ.
    pub(crate) const fn is_on(&self) -> bool {
        self.classifier.is_some()
    }

    /// The frontier of a page that the host writes.
    #[inline]
    pub(crate) fn frontier(&mut self, now: SimTime, write: &PageRequest) -> Frontier {
        match &mut self.classifier {
            None => host_frontier(0),
            // one that answers beyond its row is taken at the coldest
            Some(classifier) => host_frontier(classifier.temperature(now, write).min(self.temperatures - 1)),
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
