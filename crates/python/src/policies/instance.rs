//! A policy at work in a drive: an object of the interpreter, and the method that is called.

use std::sync::Arc;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use wordline_units::{Seed, SimTime};

use super::Slot;
use super::run::Failure;

/// The longest text of an answer that a message repeats.
const LONGEST: usize = 80;

/// A policy of one drive.
#[derive(Debug)]
pub(super) struct Instance {
    /// How the configuration names it.
    setting: String,
    method: &'static str,
    /// The bound method; none where the policy could not be made.
    call: Option<Py<PyAny>>,
    failure: Arc<Failure>,
}

impl Instance {
    /// Makes the policy that a name stands for.
    pub(super) fn new<T>(slot: &Slot<T>, method: &'static str, seed: Seed) -> Self {
        let failure = Failure::current();
        let setting = slot.setting();
        let maker = slot.maker();
        let call = Python::attach(|py| {
            let make = maker.make.bind(py);
            let made = if maker.takes_seed {
                let given = PyDict::new(py);
                given
                    .set_item("seed", seed.0)
                    .and_then(|()| make.call((), Some(&given)))
            } else {
                make.call0()
            };
            let found = made.and_then(|policy| {
                let call = policy.getattr(method)?;
                if call.is_callable() {
                    return Ok(call.unbind());
                }
                Err(PyTypeError::new_err(format!("`{method}` is no method")))
            });
            found
                .map_err(|error| failure.raised(py, &setting, "making the policy", error))
                .ok()
        });
        Self {
            setting,
            method,
            call,
            failure,
        }
    }

    /// Asks the policy, unless one of its run has failed before. None where it fails: its answer is not accepted (`read` says
    /// what was accepted), or it raises an exception.
    #[inline]
    pub(super) fn ask<'py, A: PyCallArgs<'py>, T>(
        &self,
        py: Python<'py>,
        now: SimTime,
        arguments: A,
        read: impl FnOnce(&Bound<'py, PyAny>) -> Result<T, String>,
    ) -> Option<T> {
        let call = self.call.as_ref().filter(|_| !self.failure.has_failed())?;
        match call.bind(py).call1(arguments) {
            Ok(answer) => read(&answer)
                .map_err(|accepted| self.refuse(now, &told(&answer), &accepted))
                .ok(),
            Err(error) => {
                let what = format!("{}, at {now},", self.method);
                self.failure.raised(py, &self.setting, &what, error);
                None
            }
        }
    }

    /// The policy has a channel wait, or has something start there.
    pub(super) fn waits(&self, channel: u32, at: Option<SimTime>) {
        let Self { setting, method, .. } = self;
        let problem =
            at.map(|now| format!("{setting}: {method} returned None at {now} for channel {channel},"));
        self.failure.waits(channel, problem);
    }

    /// The policy gave an answer that is not accepted.
    #[cold]
    pub(super) fn refuse(&self, now: SimTime, answer: &str, accepted: &str) {
        let method = self.method;
        let problem = format!("{method} returned {answer} at {now}; accepted is {accepted}");
        self.failure.refused(&self.setting, &problem);
    }
}

/// An answer as a message shows it.
fn told(answer: &Bound<'_, PyAny>) -> String {
    let text = answer.repr().map_or_else(
        |_| "an object that cannot be shown".to_owned(),
        |text| text.to_string_lossy().into_owned(),
    );
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// A whole number; true and false are none.
pub(super) fn whole(answer: &Bound<'_, PyAny>) -> Option<u32> {
    answer
        .extract()
        .ok()
        .filter(|_| !answer.is_instance_of::<PyBool>())
}
