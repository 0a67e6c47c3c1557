//! How a part suspends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// Whether a cancelled program phase must be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Redo {
    /// Always: the slowest cell of the page decides, and it has not reached its level yet.
    #[default]
    Always,
    /// Never: the phase counts as completed.
    Never,
    /// The phase counts as completed with a probability equal to its elapsed share.
    Linear,
}

/// When a suspended operation leaves the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// At the end of the phase (inter-phase suspension, IPS).
    PhaseEnd,
    /// At once but for the voltage reset: the phase is given up (intra-phase cancellation, IPC, of
    /// programs; the way of every erase).
    Cancel(Redo),
    /// After a fixed latency, at certain points or anywhere; nothing is lost.
    Vendor(VendorTimes),
}

/// Suspension as data sheets put it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VendorTimes {
    /// From the suspend command to the array being free.
    pub latency: Duration,
    /// Least time from a resumption to the next suspension.
    pub interval: Duration,
    /// Array time of the operation between two points at which it can leave; none where it can leave anywhere.
    pub safe_points: Option<Duration>,
}

/// How operations are suspended and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspendRules {
    /// How programs are suspended.
    pub program: Method,
    /// How erases are suspended.
    pub erase: Method,
    /// Reset of the high voltage, and ramping it up again (T_x).
    pub reset: Duration,
    /// Shadow buffer to page buffer (T_b), or back.
    pub shadow: Duration,
}
