//! A probe that keeps until when each die is busy with jobs and with the host.

use std::sync::{Arc, Mutex, PoisonError};

use wordline_ftl::Cause;
use wordline_ftl::functional::BusyDies;
use wordline_metrics::{CommandKind, Constituent, Probe};
use wordline_units::SimTime;

/// When the last operation of each die ended; a clone sees those of the original.
#[derive(Clone)]
pub(super) struct Busy(Arc<Mutex<BusyDies>>);

impl Busy {
    /// So many dies that have done nothing yet.
    pub(super) fn of(dies: u32) -> Self {
        Self(Arc::new(Mutex::new(BusyDies::idle(dies))))
    }

    /// Takes the times.
    pub(super) fn take(&self) -> BusyDies {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Probe for Busy {
    fn operation_done(&mut self, at: SimTime, _kind: CommandKind, constituent: &Constituent) {
        let mut busy = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let BusyDies { jobs, host, .. } = &mut *busy;
        let of = if constituent.cause == Cause::Host {
            host
        } else {
            jobs
        };
        of[constituent.die.index()] = at;
    }
}
