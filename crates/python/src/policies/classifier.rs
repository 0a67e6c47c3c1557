//! Hot/cold classifiers in Python.

use pyo3::prelude::*;
use wordline_ftl::PageRequest;
use wordline_ftl::hot_cold::{Classifier, ClassifierRow, MOST_TEMPERATURES};
use wordline_keys::Keys;
use wordline_units::SimTime;

use super::instance::{Instance, whole};
use super::{CLASSIFIERS, HELP, Maker, Slot};

/// How many temperatures a classifier tells apart.
pub(super) type Says = u8;

/// A page that the host writes.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct WriteView {
    /// Simulated time in nanoseconds.
    #[pyo3(get)]
    now_ns: u64,
    /// The logical page.
    #[pyo3(get)]
    page: u64,
    /// Sectors of it that are written.
    #[pyo3(get)]
    sectors: u32,
    /// Sectors of the whole command.
    #[pyo3(get)]
    command_sectors: u32,
    /// Placement handle of the command; 0 is none.
    #[pyo3(get)]
    placement: u16,
}

#[pymethods]
impl WriteView {
    fn __repr__(&self) -> String {
        format!("<write of page {}>", self.page)
    }
}

/// Asks Python for temperatures.
struct PythonClassifier {
    policy: Instance,
    temperatures: u8,
}

impl Classifier for PythonClassifier {
    fn temperature(&mut self, now: SimTime, write: &PageRequest) -> u8 {
        let view = WriteView {
            now_ns: now.ns(),
            page: write.lpn.0,
            sectors: write.bitmap.count_ones(),
            command_sectors: write.command_sectors,
            placement: write.placement,
        };
        let read = |answer: &Bound<'_, PyAny>| {
            let temperature = whole(answer).and_then(|number| u8::try_from(number).ok());
            let most = self.temperatures - 1;
            temperature
                .filter(|temperature| *temperature <= most)
                .ok_or_else(|| format!("a whole number from 0 (the hottest) to {most}"))
        };
        let answer = Python::attach(|py| self.policy.ask(py, now, (view,), read));
        answer.unwrap_or_default()
    }
}

fn row(slot: &'static Slot<Says>) -> ClassifierRow {
    let build = move |_: &_, seed| -> Option<Box<dyn Classifier>> {
        Some(Box::new(PythonClassifier {
            policy: Instance::new(slot, "temperature", seed),
            temperatures: slot.maker().says,
        }))
    };
    let mut row = ClassifierRow::new(slot.name, HELP, Keys::NONE, Box::leak(Box::new(build)));
    row.temperatures = Box::leak(Box::new(move |_: &_| slot.maker().says));
    row
}

/// Has a name of `ftl.hot.classifier` stand for what `make` makes.
#[pyfunction]
pub(crate) fn register_classifier(
    name: String,
    make: Py<PyAny>,
    takes_seed: bool,
    replace: bool,
    temperatures: u8,
) -> PyResult<()> {
    let maker = Maker {
        make,
        takes_seed,
        says: temperatures,
    };
    CLASSIFIERS.register::<ClassifierRow>(name, maker, replace, row)
}

/// The most temperatures of a classifier.
#[pyfunction]
pub(crate) fn most_temperatures() -> u8 {
    MOST_TEMPERATURES
}
