//! Cells: threshold voltages, raw bit error rates, how blocks differ.

use std::ops::RangeInclusive;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use wordline_cell::{
    BlockConfig, CellConfig, CellError, CellFile, Disturbances, ErrorRetention, Family, LIBRARY,
    LaterPrograms, PageRates, PageState, Reading, Reliability,
};
use wordline_exceptions::{guarded, refused};
use wordline_overlay::Source;
use wordline_units::Seed;

use crate::arrays::{Column, Found, each, mapped};

/// Ages of data in days, up to 500 years.
const AGES: RangeInclusive<f64> = 0.0..=500.0 * 365.0;
/// Block factors; those that are drawn lie below 2.
const FACTORS: RangeInclusive<f64> = 0.0..=1000.0;
/// Threshold voltages in gaps between states.
const POSITIONS: RangeInclusive<f64> = -1000.0..=1000.0;
const CYCLES: RangeInclusive<f64> = 0.0..=BlockConfig::MOST_CYCLES as f64;
const READS: RangeInclusive<f64> = 0.0..=BlockConfig::MOST_READS as f64;
/// Degrees Celsius.
const TEMPERATURES: RangeInclusive<f64> = -40.0..=150.0;
const PROGRAMS: RangeInclusive<f64> = 0.0..=BlockConfig::MOST_PROGRAMS as f64;

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

impl Cells {
    /// The description of the cells.
    pub(crate) const fn config(&self) -> &CellConfig {
        &self.file.cell
    }
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

    /// Later programs of the block to look at: of the page's layer of word lines, of the layers beside it, of all others.
    #[getter]
    fn later_programs(&self) -> (u32, u32, u32) {
        let programs = self.file.block.disturbed().programs;
        (programs.inhibited, programs.adjacent, programs.pass)
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

    /// The deviation that rates start from, if they do, which rate goes to the error correction, and what rates
    /// follow.
    #[getter]
    fn given(&self) -> (Option<f64>, &'static str, &'static str) {
        let cell = &self.file.cell;
        let idle = cell.idle();
        let starts = idle.iter().all(|(key, _)| *key != "cell.vth.sigma_programmed");
        (
            cell.vth.sigma_programmed.filter(|_| starts),
            self.family.reading.name(),
            cell.rber.model.name(),
        )
    }

    /// Which number of a cell's pages the rate of a page is; none where each page has its own.
    #[getter]
    fn shared(&self) -> Option<&'static str> {
        let cell = &self.file.cell;
        (!cell.rber.by_page_type).then(|| cell.nominal_reading().name())
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
    fn density<'py>(&self, py: Python<'py>, state: u32, x: Column<'py>, step: f64, sigma: f64) -> Found<'py> {
        let cell = guarded(|| self.family.cell(step, sigma).map_err(refused))?;
        mapped(py, [x], |[x]| {
            within("x", x, POSITIONS).map(|x| cell.density(state, x))
        })
    }

    /// Rates by step and deviation: columns `page.0`, and so on, and one for each reading.
    fn rates<'py>(
        &self,
        py: Python<'py>,
        steps: Column<'py>,
        sigmas: Column<'py>,
        exact: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (steps, sigmas) = (steps.as_array().to_vec(), sigmas.as_array().to_vec());
        let rows = py.detach(|| {
            each(steps.len(), |row| {
                let cell = self.family.cell(steps[row], sigmas[row])?;
                Ok::<_, CellError>(if exact {
                    cell.exact_rates()
                } else {
                    pages_and_readings(&cell.rates())
                })
            })
        })?;
        self.columns(py, &rows, exact)
    }

    /// Rates of the pages of a nominal block by cycles, age in days, reads, later programs and program step: columns as `rates` has.
    #[allow(clippy::too_many_arguments, reason = "the columns of a private interface")]
    fn page_rates<'py>(
        &self,
        py: Python<'py>,
        cycles: Column<'py>,
        ages: Column<'py>,
        reads: Column<'py>,
        inhibited: Column<'py>,
        adjacent: Column<'py>,
        pass: Column<'py>,
        steps: Column<'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let [cycles, ages, reads, inhibited, adjacent, pass, steps] =
            [cycles, ages, reads, inhibited, adjacent, pass, steps].map(|column| column.as_array().to_vec());
        let rows = py.detach(|| {
            each(steps.len(), |row| {
                let cycles = whole("cycles", cycles[row], CYCLES)?;
                let age = within("age_days", ages[row], AGES)?;
                let disturbed = disturbances([reads[row], inhibited[row], adjacent[row], pass[row]])?;
                let rates = self.model.page_rates(cycles, age, disturbed, steps[row])?;
                Ok::<_, CellError>(pages_and_readings(&rates))
            })
        })?;
        self.columns(py, &rows, false)
    }

    /// The deviation that explains the rate of a block of the described cycles, reads and later programs.
    fn sigma_after(&self, factor: f64, age_days: f64) -> PyResult<f64> {
        guarded(|| {
            let block = self.file.block;
            let factor = within("factor", factor, FACTORS).map_err(refused)?;
            let age = within("age_days", age_days, AGES).map_err(refused)?;
            self.model
                .sigma(factor, f64::from(block.cycles), age, block.disturbed())
                .map_err(refused)
        })
    }

    /// Deviations that give rates with program steps.
    fn sigma_for_rber<'py>(
        &self,
        py: Python<'py>,
        steps: Column<'py>,
        rates: Column<'py>,
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
        sigmas: Column<'py>,
        rates: Column<'py>,
        reading: Option<&str>,
    ) -> Found<'py> {
        let family = self.read_as(reading)?;
        mapped(py, [sigmas, rates], |[sigma, rate]| {
            family.step_for_rber(sigma, rate)
        })
    }

    /// Times of programs by that at the reference step.
    fn slowdown<'py>(&self, py: Python<'py>, steps: Column<'py>) -> Found<'py> {
        mapped(py, [steps], |[step]| self.model.ispp().slowdown(step))
    }

    /// Seconds for which a nominal block keeps data at so many degrees Celsius, with a code that corrects up to a rate, by cycles.
    fn retention<'py>(
        &self,
        py: Python<'py>,
        cycles: Column<'py>,
        corrected: f64,
        celsius: f64,
    ) -> Found<'py> {
        let law = ErrorRetention::new(&self.model, corrected, self.file.cell.retention).map_err(refused)?;
        let factor = law.heat_factor(within("temperature", celsius, TEMPERATURES).map_err(refused)?);
        mapped(py, [cycles], |[cycles]| {
            within("cycles", cycles, CYCLES).map(|cycles| law.seconds(cycles) * factor)
        })
    }

    /// Rates of pages by cycles, age in days, block factor, reads and later programs.
    #[allow(clippy::too_many_arguments, reason = "the columns of a private interface")]
    fn rber<'py>(
        &self,
        py: Python<'py>,
        cycles: Column<'py>,
        ages: Column<'py>,
        factors: Column<'py>,
        reads: Column<'py>,
        inhibited: Column<'py>,
        adjacent: Column<'py>,
        pass: Column<'py>,
        step: Option<f64>,
        page: u8,
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
        mapped(
            py,
            [cycles, ages, factors, reads, inhibited, adjacent, pass],
            |[cycles, age_days, factor, reads, inhibited, adjacent, pass]| {
                let page = PageState {
                    factor: within("factor", factor, FACTORS)? as f32,
                    cycles: whole("cycles", cycles, CYCLES)? as u32,
                    age_days: within("age_days", age_days, AGES)?,
                    disturbed: disturbances([reads, inhibited, adjacent, pass])?,
                    redone: 0,
                    step: u8::from(step.is_some()),
                    page,
                };
                Ok::<_, CellError>(model.rber(&page))
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
        let found = py.detach(|| {
            each(blocks.len(), |row| {
                Ok::<_, CellError>(f64::from(law.factor(seed, blocks[row])))
            })
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Factors below which shares of all blocks lie.
    fn quantiles<'py>(&self, py: Python<'py>, shares: Column<'py>) -> Found<'py> {
        mapped(py, [shares], |[share]| self.model.variation().quantile(share))
    }

    /// Shares of all blocks below factors.
    fn shares_below<'py>(&self, py: Python<'py>, factors: Column<'py>) -> Found<'py> {
        mapped(py, [factors], |[factor]| {
            within("factor", factor, FACTORS).map(|factor| self.model.variation().share_below(factor))
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
            None => Err(refused(format!(
                "reading = {name:?}: {}accepted are {}",
                wordline_units::did_you_mean(name, Reading::ALL.map(Reading::name).into_iter()),
                Reading::ALL.map(Reading::name).join(", ")
            ))),
        }
    }

    /// Columns of pages, `page.0` and so on, and unless there are pages alone one for each reading.
    fn columns<'py>(
        &self,
        py: Python<'py>,
        rows: &[Vec<f64>],
        pages_alone: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let pages = (0..self.family.bits).map(|page| format!("page.{page}"));
        let readings = Reading::ALL.iter().map(|reading| reading.name().to_owned());
        let names = pages.chain(readings.filter(|_| !pages_alone));
        let dict = PyDict::new(py);
        for (column, name) in names.enumerate() {
            let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            dict.set_item(name, values.into_pyarray(py))?;
        }
        Ok(dict)
    }
}

fn pages_and_readings(rates: &PageRates) -> Vec<f64> {
    let readings = Reading::ALL.iter().map(|reading| rates.reading(*reading));
    rates.pages().iter().copied().chain(readings).collect()
}

/// A number within a range.
fn within(key: &str, value: f64, accepted: RangeInclusive<f64>) -> Result<f64, CellError> {
    if accepted.contains(&value) {
        return Ok(value);
    }
    Err(CellError::Refused {
        key: key.to_owned(),
        found: value.to_string(),
        accepted: format!(
            "accepted are numbers from {} to {}",
            accepted.start(),
            accepted.end()
        ),
    })
}

/// What has disturbed a page: reads of its block, later programs of its layer of word lines, of the layers beside it, of all others.
fn disturbances([reads, inhibited, adjacent, pass]: [f64; 4]) -> Result<Disturbances, CellError> {
    let programs = |key, count| whole(key, count, PROGRAMS).map(|count| count as u32);
    Ok(Disturbances {
        reads: whole("reads", reads, READS)? as u64,
        programs: LaterPrograms {
            inhibited: programs("inhibited", inhibited)?,
            adjacent: programs("adjacent", adjacent)?,
            pass: programs("pass_programs", pass)?,
        },
    })
}

/// A whole number within a range.
fn whole(key: &str, value: f64, accepted: RangeInclusive<f64>) -> Result<f64, CellError> {
    if value.fract() == 0.0 {
        return within(key, value, accepted);
    }
    Err(CellError::Refused {
        key: key.to_owned(),
        found: value.to_string(),
        accepted: format!(
            "accepted are whole numbers from {} to {}",
            accepted.start(),
            accepted.end()
        ),
    })
}
