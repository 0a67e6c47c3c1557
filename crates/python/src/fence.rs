//! How long cells keep data.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use wordline_cell::fence::{
    Barrier, CellKind, CellParams, PARAMETERS, ParamError, RestAcceleration, RetentionModel as Model,
};
use wordline_exceptions::{guarded, refused};
use wordline_units::{Celsius, Duration};

use crate::arrays::{Column, Found, mapped};

/// Seconds of a duration such as "1 y".
#[pyfunction]
pub(crate) fn seconds(text: &str) -> PyResult<f64> {
    guarded(|| text.parse::<Duration>().map(Duration::as_secs).map_err(refused))
}

/// Degrees Celsius of a temperature such as "55 degC".
#[pyfunction]
pub(crate) fn celsius(text: &str) -> PyResult<f64> {
    guarded(|| text.parse::<Celsius>().map(|celsius| celsius.0).map_err(refused))
}

/// The constants of a cell: name, unit, value, where it comes from, meaning.
#[pyfunction]
pub(crate) fn cell_constants() -> Vec<(&'static str, &'static str, f64, &'static str, &'static str)> {
    let params = CellParams::default();
    PARAMETERS
        .iter()
        .map(|each| {
            (
                each.name,
                each.unit,
                each.value(&params),
                each.provenance.name(),
                each.meaning,
            )
        })
        .collect()
}

/// How long a cell keeps its data.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct RetentionModel {
    inner: Model,
}

#[pymethods]
impl RetentionModel {
    #[new]
    fn new(
        level_gap: f64,
        heat_heals: bool,
        constants: Vec<(String, f64)>,
        barrier: Option<Vec<(f64, f64)>>,
        allow_thick_oxide: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let mut params = CellParams {
                allow_thick_oxide,
                ..CellParams::default()
            };
            for (name, value) in constants {
                params.set(&name, value).map_err(refused)?;
            }
            if let Some(knots) = barrier {
                params.barrier = Barrier::new(knots).map_err(refused)?;
            }
            let acceleration = if heat_heals {
                RestAcceleration::On
            } else {
                RestAcceleration::Off
            };
            Model::new(params, CellKind::Custom { level_gap }, acceleration)
                .map(|inner| Self { inner })
                .map_err(refused)
        })
    }

    /// Volts trapped, by equivalent events.
    fn vth_trapped<'py>(&self, py: Python<'py>, events: Column<'py>) -> Found<'py> {
        mapped(py, [events], |[events]| self.inner.vth_trapped(events))
    }

    /// Equivalent events, by volts trapped.
    fn equivalent_events_for<'py>(&self, py: Python<'py>, volts: Column<'py>) -> Found<'py> {
        mapped(py, [volts], |[volts]| self.inner.equivalent_events_for(volts))
    }

    /// Leakage current density in A/m^2, by equivalent events.
    fn silc_current<'py>(&self, py: Python<'py>, events: Column<'py>) -> Found<'py> {
        mapped(py, [events], |[events]| self.inner.silc_current(events))
    }

    /// Volts freed, by equivalent events and seconds of one rest.
    fn vth_recovered<'py>(&self, py: Python<'py>, events: Column<'py>, rest: Column<'py>) -> Found<'py> {
        mapped(py, [events, rest], |[events, rest]| {
            self.inner.vth_recovered(events, rest)
        })
    }

    /// Real events for one equivalent event, by equivalent events and seconds of rest.
    fn events_per_equivalent<'py>(
        &self,
        py: Python<'py>,
        events: Column<'py>,
        rest: Column<'py>,
    ) -> Found<'py> {
        mapped(py, [events, rest], |[events, rest]| {
            self.inner.events_per_equivalent(events, rest)
        })
    }

    /// Retention in seconds, by equivalent events, seconds of rest and degrees Celsius.
    fn retention<'py>(
        &self,
        py: Python<'py>,
        events: Column<'py>,
        rest: Column<'py>,
        celsius: Column<'py>,
    ) -> Found<'py> {
        mapped(py, [events, rest, celsius], |[events, rest, celsius]| {
            self.inner.retention(events, rest, celsius)
        })
    }

    /// Retention in seconds, by program/erase cycles, all with one rest and temperature.
    fn retention_curve<'py>(
        &self,
        py: Python<'py>,
        rest: f64,
        celsius: f64,
        cycles: Column<'py>,
    ) -> Found<'py> {
        let cycles = cycles.as_array().to_vec();
        let found = py.detach(|| {
            guarded(|| {
                self.inner
                    .retention_curve(rest, celsius, &cycles)
                    .map_err(refused)
            })
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Equivalent events, by program/erase cycles, all with one rest and temperature.
    fn wear_curve<'py>(&self, py: Python<'py>, rest: f64, celsius: f64, cycles: Column<'py>) -> Found<'py> {
        let cycles = cycles.as_array().to_vec();
        let found =
            py.detach(|| guarded(|| self.inner.wear_curve(rest, celsius, &cycles).map_err(refused)))?;
        Ok(found.into_pyarray(py))
    }

    /// Cycles to a retention in seconds, by seconds of rest and degrees Celsius; not a number where a new cell is
    /// below it.
    fn cycles_to_retention<'py>(
        &self,
        py: Python<'py>,
        threshold: Column<'py>,
        rest: Column<'py>,
        celsius: Column<'py>,
    ) -> Found<'py> {
        mapped(py, [threshold, rest, celsius], |[threshold, rest, celsius]| {
            let cycles = self.inner.cycles_to_retention(threshold, rest, celsius)?;
            Ok::<_, ParamError>(cycles.unwrap_or(f64::NAN))
        })
    }
}
