//! Work of the host in a drive: what a drive with a clock tells its mapping, and policies of modes see of it.

use wordline_units::{Duration, SimTime};

/// Flash operations of the host in a part of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostWork {
    /// Reads that wait to start.
    pub reads: u32,
    /// Programs that wait to start.
    pub programs: u32,
    /// Since when there has been no operation of the host, waiting or in execution; `None` where there is one.
    pub idle_since: Option<SimTime>,
}

/// What a drive knows when it has a program bound to a page of a unit. A unit is what becomes busy as a whole: a die, or a chip where
/// `scheduler.busy_grain = "chip"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLoad {
    /// Number of the unit, counted over the drive.
    pub unit: u32,
    /// Units of the drive.
    pub units: u32,
    /// Operations of the host for this unit. The program that is bound is one of them, or, where it could go to several units,
    /// one of the drive's only.
    pub of_unit: HostWork,
    /// Operations of the host in the drive, those for this unit among them.
    pub of_drive: HostWork,
    /// When the last array step that is known in the unit ends; not after the present moment where the unit is idle.
    pub free_at: SimTime,
}

/// A time without operations of the host, waiting or in execution, which has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleInterval {
    /// The unit; `None` for the drive as a whole.
    pub unit: Option<u32>,
    /// Its begin.
    pub from: SimTime,
    /// Its end.
    pub to: SimTime,
}

/// A mapping that chooses modes of pages by the work of the host.
pub trait LoadObserver {
    /// What else the host wants of a drive with a clock, which has a program bound next.
    fn observe_load(&mut self, load: &HostLoad);

    /// A time without operations of the host has ended in a drive with a clock.
    fn observe_idle(&mut self, interval: &IdleInterval);

    /// How long an idle interval was expected to be when a mode was decided on last; see `ModePolicy::take_expected_idle`.
    fn take_expected_idle(&mut self) -> Option<Duration>;
}
