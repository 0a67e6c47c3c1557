//! Tables as dictionaries of NumPy arrays. A column's memory is handed over, never copied.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_metrics::{AttributionColumns, BlockTable, RequestLog, SeriesColumns};

/// A dictionary that takes over the named fields of a table.
macro_rules! columns {
    ($py:expr, $table:expr, [$($field:ident),* $(,)?]) => {{
        let table = $table;
        let dict = PyDict::new($py);
        $(dict.set_item(stringify!($field), table.$field.into_pyarray($py))?;)*
        Ok(dict.unbind())
    }};
}

/// One row per request.
pub(crate) fn requests(py: Python<'_>, table: RequestLog) -> PyResult<Py<PyDict>> {
    columns!(
        py,
        table,
        [
            number,
            arrival_ns,
            admitted_ns,
            completed_ns,
            class,
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
