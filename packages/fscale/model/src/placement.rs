//! Which die the controller gives a write to.

use serde::{Deserialize, Serialize};

/// Which die a write goes to. With `local.stale = "sticky"` it is that of the old copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Any, with the same probability, as in the source.
    Uniform,
    /// One after the other, over packages first.
    RoundRobin,
    /// The die with fewest writes and moves under way or waiting, of several the next in turn: in FScale the top directory knows
    /// them, as it tells dies to collect.
    LeastLoaded,
}
