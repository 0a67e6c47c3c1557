//! Operations on their way out of the arrays, and back.

use wordline_units::{Duration, SimTime};

use crate::operation::{Kind, OpId};

/// Operations of a die that leave the array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// The first of them, which leads to the others.
    pub(crate) first: OpId,
    /// When they came into the array last, and what they did of their own work since then.
    pub(crate) since: SimTime,
    pub(crate) worked: Duration,
}

/// Operations of a die that are back in the array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returning {
    /// The first of them, which leads to the others.
    pub(crate) first: OpId,
    pub(crate) kind: Kind,
    /// When the array step ends, and what of that time is their own work.
    pub(crate) end: SimTime,
    pub(crate) left: Duration,
}
