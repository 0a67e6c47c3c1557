//! Cells: threshold voltages, raw bit error rates, how blocks differ.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use wordline_cell::{CellError, CellFile, Family, LIBRARY, PageState, Reading, Reliability};
use wordline_layers::Source;
use wordline_units::Seed;

use crate::errors::ConfigError;
use crate::guard::guarded;

/// Elements worked out between two looks at Ctrl-C.
const BETWEEN_SIGNALS: usize = 4096;

type Array<'py> = PyReadonlyArray1<'py, f64>;
type Found<'py> = PyResult<Bound<'py, PyArray1<f64>>>;

fn refused(error: impl std::error::Error) -> PyErr {
    ConfigError::new_err(error.to_string())
}

/// The built-in cells: name, title and TOML text of each.
#[pyfunction]
pub(crate) fn cells(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for cell in LIBRARY.built_in {
        let entry = PyDict::new(py);
        entry.set_item("name", cell.name)?;
        entry.set_item("title", cell.title())?;
        entry.set_item("text", cell.text)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// The reference of files of cells in Markdown.
#[pyfunction]
pub(crate) fn cell_reference() -> PyResult<String> {
    guarded(|| Ok(wordline_cell::reference()))
}

/// Cells whose reliability is worked out.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Cells {
    file: CellFile,
    family: Family,
    model: Reliability,
}

#[pymethods]
impl Cells {
    #[new]
    fn new(source: &str, is_text: bool, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let source = if is_text {
            Source::Text(source)
        } else {
            Source::Named(source)
        };
        guarded(|| {
            let file = CellFile::load(source, &overrides).map_err(refused)?;
            Ok(Self {
                family: file.cell.family().map_err(refused)?,
                model: Reliability::new(&file.cell, Seed(0)).map_err(refused)?,
                file,
            })
        })
    }

    /// The description as TOML.
    #[getter]
    fn toml(&self) -> PyResult<String> {
        guarded(|| self.file.to_toml().map_err(refused))
    }

    #[getter]
    fn bits(&self) -> u32 {
        self.family.bits
    }

    /// Cycles and reads of the block to look at, design age in days.
    #[getter]
    fn block(&self) -> (u32, u64, f64) {
        let block = self.file.block;
        (block.cycles, block.reads, self.file.cell.design_days())
    }

    /// Program step, reference step, volts between states, seconds of a program at the reference step.
    #[getter]
    fn program(&self) -> (f64, f64, f64, Option<f64>) {
        let cell = &self.file.cell;
        let seconds = cell.program.t_prog.map(|time| time.as_secs());
        (
            cell.vth.step,
            self.model.reference_step(),
            cell.vth.gap.0,
            seconds,
        )
    }

    /// The deviation that the description gives, if any, which rate goes to the error correction, and what rates
    /// follow.
    #[getter]
    fn given(&self) -> (Option<f64>, &'static str, &'static str) {
        let cell = &self.file.cell;
        (
            cell.vth.sigma_programmed,
            self.family.reading.name(),
            cell.rber.model.name(),
        )
    }

    /// Read references with this step and deviation.
    fn references(&self, step: f64, sigma: f64) -> PyResult<Vec<f64>> {
        guarded(|| {
            Ok(self
                .family
                .cell(step, sigma)
                .map_err(refused)?
                .references()
                .to_vec())
        })
    }

    /// Density of a state at each x.
    fn density<'py>(&self, py: Python<'py>, state: u32, x: Array<'py>, step: f64, sigma: f64) -> Found<'py> {
        let states = 1_u32 << self.family.bits;
        if state >= states {
            return Err(ConfigError::new_err(format!(
                "state = {state}: accepted are 0 to {}",
                states - 1
            )));
        }
        let cell = guarded(|| self.family.cell(step, sigma).map_err(refused))?;
        mapped(py, [x], |[x]| Ok(cell.density(state, x)))
    }

    /// Rates by step and deviation: columns `page.0`, and so on, and one for each reading.
    fn rates<'py>(
        &self,
        py: Python<'py>,
        steps: Array<'py>,
        sigmas: Array<'py>,
        exact: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (steps, sigmas) = (steps.as_array().to_vec(), sigmas.as_array().to_vec());
        let bits = self.family.bits as usize;
        let columns = if exact { bits } else { bits + Reading::ALL.len() };
        let rows: Vec<Vec<f64>> = py.detach(|| {
            each(steps.len(), |row| {
                let cell = self.family.cell(steps[row], sigmas[row])?;
                if exact {
                    return Ok(cell.exact_rates());
                }
                let rates = cell.rates();
                let readings = Reading::ALL.iter().map(|reading| rates.reading(*reading));
                Ok(rates.pages().iter().copied().chain(readings).collect())
            })
        })?;
        let dict = PyDict::new(py);
        for column in 0..columns {
            let name = match column.checked_sub(bits) {
                None => format!("page.{column}"),
                Some(reading) => Reading::ALL[reading].name().to_owned(),
            };
            let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            dict.set_item(name, values.into_pyarray(py))?;
        }
        Ok(dict)
    }

    /// Deviations that give rates with program steps.
    fn sigma_for_rber<'py>(
        &self,
        py: Python<'py>,
        steps: Array<'py>,
        rates: Array<'py>,
        reading: Option<&str>,
    ) -> Found<'py> {
        let family = self.read_as(reading)?;
        mapped(py, [steps, rates], |[step, rate]| {
            family.sigma_for_rber(step, rate)
        })
    }

    /// Program steps that give rates with deviations.
    fn step_for_rber<'py>(
        &self,
        py: Python<'py>,
        sigmas: Array<'py>,
        rates: Array<'py>,
        reading: Option<&str>,
    ) -> Found<'py> {
        let family = self.read_as(reading)?;
        mapped(py, [sigmas, rates], |[sigma, rate]| {
            family.step_for_rber(sigma, rate)
        })
    }

    /// Times of programs by that at the reference step.
    fn slowdown<'py>(&self, py: Python<'py>, steps: Array<'py>) -> Found<'py> {
        mapped(py, [steps], |[step]| self.model.ispp().slowdown(step))
    }

    /// Rates of pages by cycles, age in days, block factor and reads.
    #[allow(clippy::too_many_arguments, reason = "the columns of a private interface")]
    fn rber<'py>(
        &self,
        py: Python<'py>,
        cycles: Array<'py>,
        ages: Array<'py>,
        factors: Array<'py>,
        reads: Array<'py>,
        step: Option<f64>,
        page: u32,
    ) -> Found<'py> {
        let with_step = match step {
            None => None,
            Some(step) => Some(guarded(|| {
                Reliability::new(&self.file.cell, Seed(0))
                    .and_then(|model| model.with_steps(&[step]))
                    .map_err(refused)
            })?),
        };
        let model = with_step.as_ref().unwrap_or(&self.model);
        let page = known_page(page, self.family.bits)?;
        mapped(
            py,
            [cycles, ages, factors, reads],
            |[cycles, age_days, factor, reads]| {
                let page = PageState {
                    factor: checked("factor", factor, f64::from(f32::MAX))? as f32,
                    cycles: checked("cycles", cycles, f64::from(u32::MAX))? as u32,
                    age_days: checked("age_days", age_days, 1e9)?,
                    reads: checked("reads", reads, 1e18)? as u64,
                    redone: 0,
                    step: u8::from(step.is_some()),
                    page,
                };
                Ok(model.rber(&page))
            },
        )
    }

    /// Factors of blocks.
    fn factors<'py>(
        &self,
        py: Python<'py>,
        blocks: PyReadonlyArray1<'py, u64>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let blocks = blocks.as_array().to_vec();
        let seed = Seed(self.file.cell.process_variation.seed.unwrap_or(seed));
        let law = self.model.variation();
        let found = py.detach(|| each(blocks.len(), |row| Ok(f64::from(law.factor(seed, blocks[row])))))?;
        Ok(found.into_pyarray(py))
    }

    /// Factors below which shares of all blocks lie.
    fn quantiles<'py>(&self, py: Python<'py>, shares: Array<'py>) -> Found<'py> {
        mapped(py, [shares], |[share]| self.model.variation().quantile(share))
    }

    /// Shares of all blocks below factors.
    fn shares_below<'py>(&self, py: Python<'py>, factors: Array<'py>) -> Found<'py> {
        mapped(py, [factors], |[factor]| {
            Ok(self.model.variation().share_below(factor))
        })
    }

    /// Bounds, mean and deviation of the block factors.
    #[getter]
    fn variation(&self) -> (f64, f64, f64, f64) {
        let (low, high) = self.model.variation().bounds();
        let (mean, deviation) = self.model.variation().moments();
        (low, high, mean, deviation)
    }

    /// Classes of blocks: quantile, largest factor, program step, time by that at the reference step.
    fn classes(&self, cycles: u32, quantiles: Vec<f64>) -> PyResult<Vec<(f64, f64, f64, f64)>> {
        guarded(|| {
            let classes = self.model.classes(cycles, &quantiles).map_err(refused)?;
            Ok(classes
                .into_iter()
                .map(|class| (class.quantile, class.factor, class.step, class.slowdown))
                .collect())
        })
    }
}

impl Cells {
    fn read_as(&self, reading: Option<&str>) -> PyResult<Family> {
        let Some(name) = reading else {
            return Ok(self.family.clone());
        };
        match Reading::ALL.into_iter().find(|reading| reading.name() == name) {
            Some(reading) => Ok(self.family.read_as(reading)),
            None => Err(ConfigError::new_err(format!(
                "reading = {name:?}: {}accepted are {}",
                wordline_units::did_you_mean(name, Reading::ALL.map(Reading::name).into_iter()),
                Reading::ALL.map(Reading::name).join(", ")
            ))),
        }
    }
}

fn known_page(page: u32, bits: u32) -> PyResult<u8> {
    match u8::try_from(page) {
        Ok(known) if page < bits => Ok(known),
        _ => Err(ConfigError::new_err(format!(
            "page = {page}: accepted are 0 to {}",
            bits - 1
        ))),
    }
}

fn checked(key: &str, value: f64, most: f64) -> Result<f64, CellError> {
    if (0.0..=most).contains(&value) {
        return Ok(value);
    }
    Err(CellError::Refused {
        key: key.to_owned(),
        found: value.to_string(),
        accepted: format!("accepted are numbers from 0 to {most:e}"),
    })
}

/// A function of numbers over columns of one length, without the interpreter's lock.
fn mapped<'py, const N: usize>(
    py: Python<'py>,
    columns: [Array<'py>; N],
    value: impl Fn([f64; N]) -> Result<f64, CellError> + Sync,
) -> Found<'py> {
    let columns = columns.map(|column| column.as_array().to_vec());
    let rows = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|column| column.len() != rows) {
        return Err(ConfigError::new_err("columns: accepted are arrays of one length"));
    }
    let found = py.detach(|| {
        each(rows, |row| {
            value(std::array::from_fn(|column| columns[column][row]))
        })
    })?;
    Ok(found.into_pyarray(py))
}

/// The value of every row; the first refusal with the number of its row.
fn each<T>(rows: usize, value: impl Fn(usize) -> Result<T, CellError>) -> PyResult<Vec<T>> {
    guarded(|| {
        let mut found = Vec::with_capacity(rows);
        for row in 0..rows {
            if row % BETWEEN_SIGNALS == BETWEEN_SIGNALS - 1
                && Python::attach(|py| py.check_signals()).is_err()
            {
                return Err(PyKeyboardInterrupt::new_err("interrupted"));
            }
            found.push(value(row).map_err(|error| ConfigError::new_err(format!("element {row}: {error}")))?);
        }
        Ok(found)
    })
}
