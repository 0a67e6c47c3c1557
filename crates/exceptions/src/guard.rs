//! Turns a panic, which is a defect of ours, into an exception that says where it happened.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

use pyo3::prelude::*;

use crate::RunError;

thread_local! {
    /// Message and place of the last panic of this thread.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Notes panics instead of printing them: they are reported as exceptions.
pub fn keep_panics_to_ourselves() {
    set_hook(Box::new(|panic| {
        LAST.with(|last| *last.borrow_mut() = panic.to_string());
    }));
}

/// Runs `work`; a panic in it becomes a `RunError`.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let what = LAST.with(|last| last.take());
        Err(RunError::new_err(
            what.split_whitespace().collect::<Vec<_>>().join(" "),
        ))
    })
}
