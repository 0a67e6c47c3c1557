//! What hosts asked of a drive, to be asked again and cut.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use wordline_exceptions::guarded;
use wordline_live::{During, Entry, LiveError, Replay, of_cut};
use wordline_units::Seed;

use crate::config::Resolved;
use crate::errors::of_live;

/// What hosts asked of a drive, with their data and marks.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Stream(wordline_live::Stream);

impl Stream {
    pub(crate) const fn of(stream: wordline_live::Stream) -> Self {
        Self(stream)
    }
}

#[pymethods]
impl Stream {
    /// That of a file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        guarded(|| {
            Ok(Self(
                wordline_live::Stream::load(&path).map_err(|error| of_live(&error))?,
            ))
        })
    }

    /// Writes it to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(&path).map_err(|error| of_live(&error))
    }

    /// How many requests there are.
    #[getter]
    fn requests(&self) -> usize {
        let is_request = |(_, entry): &&(_, Entry)| matches!(entry, Entry::Ask(..));
        self.0.entries.iter().filter(is_request).count()
    }

    /// The first of the marks.
    fn marks(&self, count: usize) -> Vec<&str> {
        let marks = self.0.entries.iter().filter_map(|(_, entry)| match entry {
            Entry::Mark(text) => Some(&**text),
            Entry::Ask(..) | Entry::Answer(_) => None,
        });
        marks.take(count).collect()
    }

    /// Events of a drive that is asked all this: how many, and those that are `during` collection or a flush.
    #[pyo3(signature = (resolved, during=None))]
    fn events(&self, py: Python<'_>, resolved: &Resolved, during: Option<&str>) -> PyResult<(u64, Vec<u64>)> {
        let during: Option<During> = during
            .map(str::parse)
            .transpose()
            .map_err(|error: LiveError| of_live(&error))?;
        py.detach(|| {
            guarded(|| {
                let mut stopped = None;
                let mut goes_on = || {
                    Python::attach(|py| py.check_signals())
                        .map_err(|error| stopped = Some(error))
                        .is_ok()
                };
                let events = self
                    .replay(resolved)?
                    .events(during, &mut goes_on)
                    .map_err(|error| of_live(&error));
                stopped.map_or(events, Err)
            })
        })
    }

    /// Cuts the power: at which events, which rise; whether once more while recovery repairs the flash; and the seed. Writes an image of each to `image`; `see` is called with the event and what the cut did, as JSON, and says whether to go on.
    fn crash(
        &self,
        py: Python<'_>,
        resolved: &Resolved,
        cuts: (Vec<u64>, bool, u64),
        image: PathBuf,
        see: Py<PyAny>,
    ) -> PyResult<()> {
        let (events, again, seed) = cuts;
        py.detach(|| {
            guarded(|| {
                let mut failed = None;
                let mut check = |crash: &wordline_live::Crash| {
                    let mut report = of_cut(&crash.report);
                    report["marks"] = crash.marks.into();
                    let answer = Python::attach(|py| {
                        py.check_signals()?;
                        see.call1(py, (crash.event, report.to_string()))?.is_truthy(py)
                    });
                    answer.unwrap_or_else(|error| {
                        failed = Some(error);
                        false
                    })
                };
                let replay = self.replay(resolved)?;
                let crashed = replay
                    .crash(&events, again, Seed(seed), &image, &mut check)
                    .map_err(|error| of_live(&error));
                failed.map_or(crashed, Err)
            })
        })
    }
}

impl Stream {
    fn replay<'a>(&'a self, resolved: &'a Resolved) -> PyResult<Replay<'a>> {
        // paths are absolute in a resolved configuration
        Replay::new(&resolved.inner.config, Path::new("").to_owned(), &self.0)
            .map_err(|error| of_live(&error))
    }
}

/// Events of so many, drawn without repetition and in order; all of them where as many are wanted as there are.
#[pyfunction]
pub(crate) fn drawn_events(count: u64, wanted: u64, seed: u64) -> Vec<u64> {
    let mut drawn = std::collections::BTreeSet::new();
    let mut index = 0;
    while (drawn.len() as u64) < wanted.min(count) {
        drawn.insert(1 + Seed(seed).draw("cut", index) % count);
        index += 1;
        // the last few of many are not worth the search
        if index > 20 * wanted.min(count) {
            let left = wanted.min(count) as usize - drawn.len();
            let rest: Vec<u64> = (1..=count)
                .filter(|event| !drawn.contains(event))
                .take(left)
                .collect();
            drawn.extend(rest);
            break;
        }
    }
    drawn.into_iter().collect()
}
