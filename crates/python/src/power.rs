//! Chips and what their operations cost in energy.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use wordline_exceptions::{ConfigError, guarded, refused};
use wordline_power::config::{PARAMETERS, reference};
use wordline_power::{
    Breakdown, ChipSource, Data, Measured, MeasuredOperation, Operation, PageKind, ProgramState, Pulsed,
    States,
};

/// Operation, kind of page, seconds, data bits, joules by component.
type PageRow<'py> = (&'static str, String, f64, f64, Bound<'py, PyDict>);
/// Operation, state, seconds, and joules by component.
type StateRow<'py> = (&'static str, String, f64, Bound<'py, PyDict>);

/// The built-in chips: name, title and TOML text of each.
#[pyfunction]
pub(crate) fn chips(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for chip in wordline_power::chips() {
        let entry = PyDict::new(py);
        entry.set_item("name", chip.name)?;
        entry.set_item("title", chip.title())?;
        entry.set_item("text", chip.text)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// The reference of chip files in Markdown.
#[pyfunction]
pub(crate) fn chip_reference() -> PyResult<String> {
    guarded(|| Ok(reference()))
}

/// The numeric inputs of a chip that arrays can vary: key and unit.
#[pyfunction]
pub(crate) fn chip_parameters() -> Vec<(&'static str, &'static str)> {
    PARAMETERS
        .iter()
        .map(|parameter| (parameter.key, parameter.unit))
        .collect()
}

/// A chip whose energies are worked out.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Chip {
    inner: wordline_power::Chip,
}

#[pymethods]
impl Chip {
    #[new]
    fn new(source: &str, is_text: bool, overrides: Vec<(String, String)>) -> PyResult<Self> {
        let source = if is_text {
            ChipSource::Text(source)
        } else {
            ChipSource::Named(source)
        };
        guarded(|| {
            wordline_power::Chip::load(source, &overrides)
                .map(|inner| Self { inner })
                .map_err(refused)
        })
    }

    /// What the chip is called.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.config().chip.name
    }

    /// The description as TOML.
    #[getter]
    fn toml(&self) -> PyResult<String> {
        guarded(|| toml::to_string(self.inner.config()).map_err(refused))
    }

    /// What the reader of the numbers should know, one sentence each.
    #[getter]
    fn advisories(&self) -> PyResult<Vec<String>> {
        guarded(|| Ok(self.inner.advisories()))
    }

    /// Cells of a page.
    #[getter]
    fn cells(&self) -> f64 {
        self.inner.cells()
    }

    /// Share of ones in a page when nothing is said.
    #[getter]
    fn ones(&self) -> f64 {
        self.inner.default_ones() / self.inner.cells()
    }

    /// Bits of the chip, spare bytes included.
    #[getter]
    fn capacity_bits(&self) -> f64 {
        self.inner.capacity_bits()
    }

    /// Names of the kinds of page, in the order in which they are programmed.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        self.inner.kinds().map(|kind| kind.name(self.bits())).collect()
    }

    /// Names of the read, program and erase states.
    fn states(&self) -> (Vec<String>, Vec<String>, Vec<String>) {
        let states = States::of(self.bits());
        (states.read, states.program, states.erase)
    }

    /// Joules by component of a read; `ones` is a share, none for a page that is not programmed.
    fn read<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        ones: Option<f64>,
        planes: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let energy = guarded(|| {
            let kind = self.inner.kind(kind).map_err(refused)?;
            let ones = ones.map(|share| share * self.inner.cells());
            let energy = self.inner.read(kind, ones).map_err(refused)?;
            self.inner.in_planes(energy, planes).map_err(refused)
        })?;
        parts(py, &energy)
    }

    /// Joules by component of a program; `ones` is a share, in place of which `states` may count cells by the
    /// name of their state.
    fn program<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        ones: f64,
        states: Option<Vec<(String, f64)>>,
        planes: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let energy = guarded(|| {
            let kind = self.inner.kind(kind).map_err(refused)?;
            let energy = match states {
                Some(states) => {
                    let counts = self.counts(kind, &states)?;
                    self.inner.program(kind, Data::States(&counts))
                }
                None => self.inner.program(kind, Data::Ones(ones * self.inner.cells())),
            }
            .map_err(refused)?;
            self.inner.in_planes(energy, planes).map_err(refused)
        })?;
        parts(py, &energy)
    }

    /// Joules by component of an erase; `programmed` is a share of the cells.
    fn erase<'py>(&self, py: Python<'py>, programmed: f64, planes: u32) -> PyResult<Bound<'py, PyDict>> {
        let energy = guarded(|| {
            let energy = self.inner.erase(programmed).map_err(refused)?;
            self.inner.in_planes(energy, planes).map_err(refused)
        })?;
        parts(py, &energy)
    }

    /// The energy of every power state: operation, state, seconds, joules by component.
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Vec<StateRow<'py>>> {
        guarded(|| Ok(self.inner.energies()))?
            .into_iter()
            .map(|row| Ok((row.operation.name(), row.state, row.time, parts(py, &row.energy)?)))
            .collect()
    }

    /// What pages with a share of ones cost: operation, kind of page, seconds, data bits, joules by component.
    fn pages<'py>(&self, py: Python<'py>, ones: f64) -> PyResult<Vec<PageRow<'py>>> {
        guarded(|| self.inner.pages(ones).map_err(refused))?
            .into_iter()
            .map(|row| {
                let energy = parts(py, &row.energy)?;
                Ok((row.operation.name(), row.page, row.time, row.data_bits, energy))
            })
            .collect()
    }

    /// The pulses of a program of a kind of page, or of an erase: columns of volts, V/m, A/m^2, and joules of a
    /// cell for each volt of shift.
    fn pulses<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        kind: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let pulsed: &Pulsed = guarded(|| match (operation, kind) {
            ("erase", None) => Ok(&self.inner.operations().erase),
            ("program", Some(kind)) => {
                let kind = self.inner.kind(kind).map_err(refused)?;
                Ok(&self.inner.operations().program[kind.index()])
            }
            _ => Err(ConfigError::new_err(format!(
                "operation = {operation:?} of kind {kind:?}: accepted are \"program\" of a kind of page and \"erase\""
            ))),
        })?;
        let dict = PyDict::new(py);
        let column = |value: fn(&wordline_power::Pulse) -> f64| {
            pulsed
                .pulses
                .iter()
                .map(value)
                .collect::<Vec<f64>>()
                .into_pyarray(py)
        };
        dict.set_item("volts", column(|pulse| pulse.volts))?;
        dict.set_item("field", column(|pulse| pulse.field))?;
        dict.set_item("current_density", column(|pulse| pulse.current_density))?;
        dict.set_item("tunnelling", column(|pulse| pulse.tunnelling))?;
        Ok(dict)
    }

    /// Capacitances and what else was derived, in SI units.
    fn circuit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let circuit = self.inner.circuit();
        let dict = PyDict::new(py);
        macro_rules! fields {
            ($($field:ident),* $(,)?) => {
                $(dict.set_item(stringify!($field), circuit.$field)?;)*
            };
        }
        fields![
            bit_lines,
            word_line_length,
            bit_line_length,
            wire,
            cell_gate,
            cell_drain,
            word_line,
            bit_line,
            isolated_bit_line,
            select_line,
            source_line,
            sense_amplifier,
            latch,
            sense,
            block_decode,
            page_decode,
            built_in,
            junction,
            well_area,
            cell_area,
            power_up,
        ];
        Ok(dict)
    }

    /// Kind and word line of a page, and the other pages of its cells.
    fn page(&self, page: u32) -> PyResult<(&'static str, u32, Vec<u32>)> {
        guarded(|| {
            let map = self.inner.map();
            let kind = map.kind(page).map_err(refused)?;
            Ok((
                kind.name(self.bits()),
                map.word_line(page).map_err(refused)?,
                map.partners(page).map_err(refused)?,
            ))
        })
    }

    /// Energies of variants: columns of joules by operation and state, and component where `by_part`.
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        variables: Vec<(String, PyReadonlyArray1<'py, f64>)>,
        by_part: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let variables: Vec<(String, Vec<f64>)> = variables
            .into_iter()
            .map(|(key, values)| (key, values.as_array().to_vec()))
            .collect();
        let config = self.inner.config();
        let swept = py.detach(|| {
            guarded(|| {
                let borrowed: Vec<(&str, &[f64])> = variables
                    .iter()
                    .map(|(key, values)| (key.as_str(), values.as_slice()))
                    .collect();
                let mut go_on = || Python::attach(|py| py.check_signals().is_ok());
                wordline_power::sweep(config, &borrowed, by_part, &mut go_on)
                    .map_err(refused)?
                    .ok_or_else(|| PyKeyboardInterrupt::new_err("interrupted"))
            })
        })?;
        let dict = PyDict::new(py);
        for column in swept.columns {
            let operation: Operation = column.operation;
            let name = match column.component {
                Some(component) => format!("{}.{}.{}", operation.name(), column.state, component.name()),
                None => format!("{}.{}", operation.name(), column.state),
            };
            dict.set_item(name, column.joules.into_pyarray(py))?;
        }
        Ok(dict)
    }

    /// Fits inputs to measured energies: the chip, the values found and the residuals. A measurement is its operation,
    /// kind, share of ones (of programmed cells for an erase), settings and joules.
    #[allow(clippy::type_complexity, reason = "the tuples of a private interface")]
    fn calibrate(
        &self,
        py: Python<'_>,
        unknowns: Vec<(String, f64)>,
        measured: Vec<(String, Option<String>, f64, Vec<(String, f64)>, f64)>,
        tolerance: f64,
    ) -> PyResult<(Self, Vec<f64>, Vec<f64>)> {
        py.detach(|| {
            guarded(|| {
                let measured = measured
                    .into_iter()
                    .map(|(operation, kind, share, settings, joules)| {
                        Ok(Measured {
                            operation: self.measured(&operation, kind.as_deref(), share)?,
                            settings,
                            joules,
                        })
                    })
                    .collect::<PyResult<Vec<_>>>()?;
                let unknowns: Vec<(&str, f64)> = unknowns
                    .iter()
                    .map(|(key, value)| (key.as_str(), *value))
                    .collect();
                let found = wordline_power::calibrate(self.inner.config(), &unknowns, &measured, tolerance)
                    .map_err(refused)?;
                let inner = wordline_power::Chip::new(found.chip).map_err(refused)?;
                Ok((Self { inner }, found.values, found.residuals))
            })
        })
    }
}

impl Chip {
    fn bits(&self) -> u32 {
        self.inner.config().geometry.bits_per_cell
    }

    /// Counts in the order of the states.
    fn counts(&self, kind: PageKind, given: &[(String, f64)]) -> PyResult<Vec<f64>> {
        let names: Vec<String> = ProgramState::of(kind)
            .map(|state| state.name(self.bits()))
            .collect();
        let mut counts = vec![0.0; names.len()];
        for (name, count) in given {
            let Some(index) = names.iter().position(|known| known == name) else {
                return Err(ConfigError::new_err(format!(
                    "states = {name:?}: {}accepted are {}",
                    wordline_units::did_you_mean(name, names.iter().map(String::as_str)),
                    names.join(", ")
                )));
            };
            counts[index] += count;
        }
        Ok(counts)
    }

    fn measured(&self, operation: &str, kind: Option<&str>, share: f64) -> PyResult<MeasuredOperation> {
        let kind = || {
            kind.map_or(Ok(PageKind::default()), |kind| self.inner.kind(kind))
                .map_err(refused)
        };
        Ok(match operation {
            "read" => MeasuredOperation::Read(kind()?, share),
            "program" => MeasuredOperation::Program(kind()?, share),
            "erase" => MeasuredOperation::Erase(share),
            other => {
                return Err(ConfigError::new_err(format!(
                    "operation = {other:?}: accepted are \"read\", \"program\" and \"erase\""
                )));
            }
        })
    }
}

/// Joules by component.
fn parts<'py>(py: Python<'py>, energy: &Breakdown) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (component, joules) in energy.iter() {
        dict.set_item(component.name(), joules)?;
    }
    Ok(dict)
}
