//! A probe that keeps the requests that are done.

use std::sync::{Arc, Mutex, PoisonError};

use wordline_metrics::{FinishedRequest, Probe};

/// Requests that are done, in the order of their completions; a clone sees those of the original.
#[derive(Clone, Default)]
pub(crate) struct Finished(Arc<Mutex<Vec<FinishedRequest>>>);

impl Finished {
    /// Takes them.
    pub(crate) fn take(&self) -> Vec<FinishedRequest> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Probe for Finished {
    fn request_done(&mut self, request: &FinishedRequest) {
        let mut done = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        done.push(*request);
    }
}
