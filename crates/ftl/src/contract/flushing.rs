//! How far a flush has come.

/// How far the writes of an FTL have come: [`Ftl::is_flushed`](super::Ftl::is_flushed) compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlushMark(pub u64);

/// What a flush has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushing {
    /// What to ask [`Ftl::is_flushed`](super::Ftl::is_flushed) about.
    pub mark: FlushMark,
    /// Whether another call has more to plan.
    pub goes_on: bool,
}

impl Flushing {
    /// Nothing waits in the controller, and nothing acknowledged is under way.
    pub const DONE: Self = Self {
        mark: FlushMark(0),
        goes_on: false,
    };
}
