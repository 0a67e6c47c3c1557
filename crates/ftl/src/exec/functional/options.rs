//! How the functional mode goes about its work.

use wordline_units::Duration;

use crate::allocation::Order;

/// How the functional mode goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionalOptions {
    /// Time that passes with each page written by the host.
    pub time_per_write: Duration,
    /// Plans that jobs of normal or idle urgency get after each command, together.
    pub background_plans: u32,
    /// In which order the planes of a scope take turns, fastest level first.
    pub order: Order,
    /// How long the steps of jobs take; none where they take no time.
    pub pace: Option<Pace>,
    /// Commands outstanding of a closed loop whose times follow from those of the dies ([`begin_command`](super::Functional::begin_command)), where jobs take time; 0 where time goes on otherwise.
    pub depth: u32,
}

impl Default for FunctionalOptions {
    /// 100 us a write, one background plan a command.
    fn default() -> Self {
        Self {
            time_per_write: Duration::from_us(100),
            background_plans: 1,
            order: Order::default(),
            pace: None,
            depth: 0,
        }
    }
}

/// How long a die is busy with each step of a job, or of a command of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// With a page that is read.
    pub read: Duration,
    /// With a page that is programmed, or copied inside its plane beside the read.
    pub program: Duration,
    /// With a block that is erased.
    pub erase: Duration,
    /// Pages that a job moves at a time where it needs no plan: before any of that time has passed they are moved.
    pub moves: usize,
}
