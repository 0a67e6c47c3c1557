//! Time that commands spend in the controller beside what occupies a core of it: any number of them at once.

use wordline_config::FirmwareConfig;
use wordline_units::Duration;
use wordline_workload::HostOp;

/// Time from the admission of a command to its first step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latencies {
    read: Duration,
    /// Of all commands that are no reads, so that none of them overtakes another.
    other: Duration,
}

impl Latencies {
    pub(super) fn new(config: &FirmwareConfig) -> Self {
        Self {
            read: config.read_latency,
            other: config.write_latency,
        }
    }

    /// Whether there is any.
    #[inline(always)]
    pub(super) fn is_any(&self) -> bool {
        self.read.max(self.other) > Duration::ZERO
    }

    /// That of a command.
    pub(super) fn of(&self, op: HostOp) -> Duration {
        if op == HostOp::Read { self.read } else { self.other }
    }
}
