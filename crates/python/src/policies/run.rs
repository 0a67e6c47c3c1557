//! What went wrong in a policy: it is kept where the run that the policy belongs to looks for it, since no policy of the engine can
//! fail. Until the run looks, the policy is not asked any more and something harmless stands for its answers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use wordline_exceptions::PolicyError;

thread_local! {
    /// Where policies that are made in this thread report to.
    static CURRENT: RefCell<Arc<Failure>> = RefCell::default();
}

/// The first error of the policies of a run.
#[derive(Debug, Default)]
pub(super) struct Failure {
    has_failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
    /// Channels that a scheduler has wait, and how it said so.
    waits: Mutex<BTreeMap<u32, String>>,
}

impl Failure {
    /// That of the run that is being built in this thread.
    pub(super) fn current() -> Arc<Self> {
        CURRENT.with(|current| Arc::clone(&current.borrow()))
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn set(&self, error: PyErr) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            *first = Some(error);
        }
    }

    /// A policy (`setting`) gave an answer that is not accepted.
    pub(super) fn refused(&self, setting: &str, problem: &str) {
        self.set(PolicyError::new_err(format!("{setting}: {problem}")));
    }

    /// A scheduler has a channel wait (`problem`), or has something start there.
    pub(super) fn waits(&self, channel: u32, problem: Option<String>) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        match problem {
            Some(problem) => waits.insert(channel, problem),
            None => waits.remove(&channel),
        };
    }

    /// What a policy did raised an exception; what is none, such as Ctrl-C, is passed on as it is.
    pub(super) fn raised(&self, py: Python<'_>, setting: &str, what: &str, raised: PyErr) {
        if !raised.is_instance_of::<PyException>(py) {
            self.set(raised);
            return;
        }
        let text = raised.value(py).to_string();
        let kind = raised.get_type(py);
        let kind = kind
            .qualname()
            .map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
        let place = place(&raised, py).map_or_else(String::new, |place| format!(" ({place})"));
        let colon = if text.is_empty() { "" } else { ": " };
        let error = PolicyError::new_err(format!("{setting}: {what} raised {kind}{colon}{text}{place}"));
        error.set_cause(py, Some(raised));
        self.set(error);
    }
}

/// File and line where an exception was raised.
fn place(raised: &PyErr, py: Python<'_>) -> Option<String> {
    let mut traceback = raised.traceback(py)?.into_any();
    while let Ok(next) = traceback.getattr("tb_next")
        && !next.is_none()
    {
        traceback = next;
    }
    let line: u32 = traceback.getattr("tb_lineno").ok()?.extract().ok()?;
    let code = traceback.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
    Some(format!("{file}, line {line}"))
}

/// A run whose policies are watched, from before it is built.
pub(crate) struct Watch {
    failure: Arc<Failure>,
    outer: Arc<Failure>,
}

impl Watch {
    /// Policies that this thread makes from now on belong to this run.
    pub(crate) fn begin() -> Self {
        let failure = Arc::<Failure>::default();
        let outer = CURRENT.replace(Arc::clone(&failure));
        Self { failure, outer }
    }

    /// Whether a policy has failed, so that there is no sense in going on.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.has_failed()
    }

    /// The error of a policy that has failed.
    ///
    /// # Errors
    /// That one.
    pub(crate) fn check(&self) -> PyResult<()> {
        let mut error = self.failure.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take().map_or(Ok(()), Err)
    }

    /// What a run came to in which nothing can happen any more: that is so because channels wait for a scheduler, where some do.
    ///
    /// # Errors
    /// The scheduler has them wait.
    pub(crate) fn check_stalled(&self) -> PyResult<()> {
        let waits = self.failure.waits.lock().unwrap_or_else(PoisonError::into_inner);
        match waits.values().next() {
            None => Ok(()),
            Some(problem) => Err(PolicyError::new_err(format!(
                "{problem} and nothing else could happen; accepted is None only where something on the channel is under way"
            ))),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        CURRENT.set(Arc::clone(&self.outer));
    }
}
