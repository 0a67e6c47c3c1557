//! Functions of numbers over columns, without the interpreter's lock.

use std::fmt::Display;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use wordline_exceptions::{guarded, refused};

/// Elements worked out between two looks at Ctrl-C.
const BETWEEN_SIGNALS: usize = 4096;

/// A column of numbers that Python hands over.
pub(crate) type Column<'py> = PyReadonlyArray1<'py, f64>;
/// A column of numbers that Python gets.
pub(crate) type Found<'py> = PyResult<Bound<'py, PyArray1<f64>>>;

/// The values of a function over columns of one length.
pub(crate) fn mapped<'py, const N: usize, E: Display>(
    py: Python<'py>,
    columns: [Column<'py>; N],
    value: impl Fn([f64; N]) -> Result<f64, E> + Sync,
) -> Found<'py> {
    let columns = columns.map(|column| column.as_array().to_vec());
    let rows = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|column| column.len() != rows) {
        return Err(refused("columns: accepted are arrays of one length"));
    }
    let found = py.detach(|| {
        each(rows, |row| {
            value(std::array::from_fn(|column| columns[column][row]))
        })
    })?;
    Ok(found.into_pyarray(py))
}

/// The value of every row; the first refusal, where there are several rows with the number of its row.
pub(crate) fn each<T, E: Display>(rows: usize, value: impl Fn(usize) -> Result<T, E>) -> PyResult<Vec<T>> {
    guarded(|| {
        let mut found = Vec::with_capacity(rows);
        for row in 0..rows {
            if row % BETWEEN_SIGNALS == BETWEEN_SIGNALS - 1
                && Python::attach(|py| py.check_signals()).is_err()
            {
                return Err(PyKeyboardInterrupt::new_err("interrupted"));
            }
            found.push(value(row).map_err(|error| match rows {
                1 => refused(error),
                _ => refused(format!("element {row}: {error}")),
            })?);
        }
        Ok(found)
    })
}
