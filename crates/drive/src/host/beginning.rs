//! Commands that are in the drive begin: at once, or after their time in the controller. They are served when something works for them.

use wordline_units::{Duration, SimTime};
use wordline_workload::HostCommand;

use super::Host;
use super::latency::Latencies;
use crate::features::{Features, Presence};

/// A command that begins in the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) command: HostCommand,
    /// Whether it touches several pages.
    pub(crate) has_several_pages: bool,
    /// Whether it reaches beyond the last sector.
    pub(crate) is_beyond: bool,
}

impl<F: Features> Host<F> {
    /// A command in the drive begins.
    #[inline]
    pub(crate) fn begin(&self, id: u32) -> Begun {
        let command = self.requests[id].command;
        Begun {
            command,
            has_several_pages: self.cutter.has_several_pages(&command),
            is_beyond: self.cutter.is_beyond(&command),
        }
    }

    /// Whether commands spend time in the controller before their first step.
    #[inline(always)]
    pub(crate) fn delays_commands(&self) -> bool {
        F::Options::IS_POSSIBLE && self.latencies.is_any()
    }

    /// Time from the admission of a command to its first step.
    pub(crate) fn latency_of(&self, id: u32) -> Duration {
        self.latencies.of(self.requests[id].command.op)
    }

    /// Whether it is noted when requests begin to be served.
    #[inline(always)]
    pub(crate) fn notes_service(&self) -> bool {
        self.notes_service
    }

    /// Something begins to work for a command, which counts if it is the first.
    #[inline]
    pub(crate) fn serve(&mut self, now: SimTime, id: u32) {
        if self.notes_service
            && let Some(request) = self.requests.get_mut(id)
        {
            request.served = request.served.min(now);
        }
    }

    /// Commands begin as soon as they are admitted, from now on.
    pub(crate) fn stop_delaying(&mut self) {
        self.latencies = Latencies::default();
    }
}
