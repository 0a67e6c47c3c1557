//! Files of columns, Parquet and Arrow, which Polars reads and writes: it is loaded where such a file is met.

use std::path::Path;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use wordline_workload::{TableError, TableFiles, TableText};

/// The module that reads and writes them.
const MODULE: &str = "wordline.tabular";

/// Has traces in files of columns read and written by that module.
pub(crate) fn set() {
    wordline_workload::set_table_files(TableFiles { open, write });
}

/// What went wrong. Ctrl-C stays pending, so that whoever asks for it next hears of it.
fn problem(py: Python<'_>, error: &PyErr) -> TableError {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        // what it answers is of no use: the work ends in any case
        drop(
            py.import("_thread")
                .and_then(|module| module.call_method0("interrupt_main")),
        );
        return TableError::Interrupted;
    }
    TableError::Problem(error.value(py).to_string())
}

fn open(path: &Path) -> Result<Box<dyn TableText>, TableError> {
    Python::attach(|py| {
        let pieces = py
            .import(MODULE)
            .and_then(|module| module.call_method1("pieces", (path,)));
        match pieces {
            Ok(pieces) => Ok(Box::new(Pieces(pieces.unbind())) as Box<dyn TableText>),
            Err(error) => Err(problem(py, &error)),
        }
    })
}

fn write(text: &Path, output: &Path) -> Result<(), TableError> {
    Python::attach(|py| {
        py.import(MODULE)
            .and_then(|module| module.call_method1("write", (text, output)))
            .map(drop)
            .map_err(|error| problem(py, &error))
    })
}

/// An iterator of pieces of text, each with the share of the table that was read with it.
struct Pieces(Py<PyAny>);

impl TableText for Pieces {
    fn next_piece(&mut self) -> Result<Option<(Vec<u8>, f64)>, TableError> {
        Python::attach(|py| {
            let next = self.0.bind(py).try_iter().and_then(|mut pieces| {
                let piece = pieces.next().transpose()?;
                piece.map(|piece| piece.extract::<(Vec<u8>, f64)>()).transpose()
            });
            next.map_err(|error| problem(py, &error))
        })
    }
}
