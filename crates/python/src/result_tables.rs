//! Tables as dictionaries of NumPy arrays. A column's memory is handed over, never copied.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_metrics::{
    AttributionColumns, BlockTable, ModeColumns, RequestLog, SeriesColumns, SpanColumns, StartLevelColumns,
    StoryColumns, ThermalColumns, UtilisationColumns,
};

/// A dictionary that takes over the named fields of a table, in this order; a column that is none of its fields has its value behind its name.
macro_rules! columns {
    ($py:expr, $table:expr, [$($field:ident $(= $value:expr)?),* $(,)?]) => {{
        let table = $table;
        let dict = PyDict::new($py);
        $(dict.set_item(stringify!($field), columns!(@ table $field $($value)?).into_pyarray($py))?;)*
        Ok(dict.unbind())
    }};
    (@ $table:ident $field:ident) => { $table.$field };
    (@ $table:ident $field:ident $value:expr) => { $value };
}

/// One row per request.
pub(crate) fn requests(py: Python<'_>, table: RequestLog) -> PyResult<Py<PyDict>> {
    let processing = table.processing_ns();
    columns!(
        py,
        table,
        [
            number,
            arrival_ns,
            admitted_ns,
            completed_ns,
            waiting_ns,
            processing_ns = processing,
            class,
            status,
            sector,
            sectors,
            queue
        ]
    )
}

/// One row per window of simulated time.
pub(crate) fn time_series(py: Python<'_>, table: SeriesColumns) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [
            start_ns,
            width_ns,
            reads,
            writes,
            others,
            read_bytes,
            written_bytes,
            read_mean_us,
            write_mean_us,
            other_mean_us,
            read_max_us,
            write_max_us,
            other_max_us,
            pages_programmed_host,
            pages_programmed_gc,
            pages_programmed_other,
            pages_read,
            blocks_erased,
            outstanding_mean,
            power_mw,
            power_flash_host_mw,
            power_flash_gc_mw,
            power_flash_other_mw,
        ]
    )
}

/// One row per block.
pub(crate) fn blocks(py: Python<'_>, table: BlockTable) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [
            block,
            channel,
            chip,
            die,
            plane,
            index,
            role,
            valid,
            invalid,
            free,
            skipped,
            erase_count
        ]
    )
}

/// One row per class, band of latency and part of the response time.
pub(crate) fn attribution(py: Python<'_>, table: AttributionColumns) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [class, band, part, requests, latency_mean_us, part_mean_us]
    )
}

/// One row per span of the stretch of the run that is shown in full.
pub(crate) fn timeline(py: Python<'_>, table: SpanColumns) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [
            track, unit, activity, cause, from_ns, to_ns, address, count, mode, request
        ]
    )
}

/// One row per slow request; the parts of its time; what stood in front of it.
pub(crate) fn slowest(
    py: Python<'_>,
    mut table: StoryColumns,
) -> PyResult<(Py<PyDict>, Py<PyDict>, Py<PyDict>)> {
    let in_front = timeline(py, std::mem::take(&mut table.front))?;
    let take = |rows: &mut Vec<u32>| std::mem::take(rows).into_pyarray(py);
    in_front.bind(py).set_item("row", take(&mut table.front_row))?;
    let parts = PyDict::new(py);
    parts.set_item("row", take(&mut table.part_row))?;
    parts.set_item("part", std::mem::take(&mut table.part).into_pyarray(py))?;
    parts.set_item("ns", std::mem::take(&mut table.part_ns).into_pyarray(py))?;
    let requests: PyResult<Py<PyDict>> = columns!(
        py,
        table,
        [
            number,
            class,
            arrival_ns,
            admitted_ns,
            completed_ns,
            sector,
            sectors,
            queue,
            operation,
            channel,
            die,
            block,
            issued_ns,
            left_out
        ]
    );
    Ok((requests?, parts.unbind(), in_front))
}

/// One row for each mode in each interval of the run.
pub(crate) fn modes(py: Python<'_>, table: ModeColumns) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [
            start_ns,
            width_ns,
            mode,
            host_pages_read,
            host_pages_programmed,
            idle_ended,
            idle_mean_us,
            expected_idle_us
        ]
    )
}

/// One row for each level of each table of start levels, at the start and at each change.
pub(crate) fn start_levels(py: Python<'_>, table: StartLevelColumns) -> PyResult<Py<PyDict>> {
    columns!(py, table, [at_ns, class, from_cycles, level, start_days])
}

/// One row for each stretch of the run, with the temperature of the drive.
pub(crate) fn temperature(py: Python<'_>, table: ThermalColumns) -> PyResult<Py<PyDict>> {
    columns!(py, table, [start_ns, width_ns, temperature_c, power_mw, state])
}

/// One row for each die and channel in each stretch of the run.
pub(crate) fn utilisation(py: Python<'_>, table: UtilisationColumns) -> PyResult<Py<PyDict>> {
    columns!(py, table, [track, unit, start_ns, width_ns, busy, background])
}
