//! Placement by the host: what a drive makes of the handles of write commands. One file for each directive; their table is in
//! `registry`.

pub(crate) mod fdp;
pub(crate) mod groups;
pub(crate) mod streams;

use wordline_keys::{Entry, Keys, Parameters};

pub use groups::GroupSpan;

use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};

/// The most handles with open blocks of their own.
pub const MOST_UNITS: u8 = 64;

/// Where the data of a handle go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// Among the writes without a handle.
    Default,
    /// To the open blocks of a unit that is the handle's already.
    Unit(u8),
    /// To those of a unit that is the handle's from now on; what another handle has open there is closed.
    NewUnit(u8),
    /// Nowhere: the command is refused.
    Refused,
}

/// Decides by the handle of a write which unit it goes to. A unit is an open block in each plane, or two where moved pages have
/// open blocks of their own. A drive with reclaim groups has a directive for each, and units in its planes.
pub trait Directive: Send {
    /// Where a write with a handle (never 0, which is none) goes; asked once for each page that is written. A unit can be given to
    /// another handle only while `can_close` says so of it: not while collection moves pages there.
    fn place(&mut self, handle: u16, can_close: &dyn Fn(u8) -> bool) -> Placing;

    /// The host releases a handle: the unit that it had, which is free for another one.
    fn release(&mut self, handle: u16) -> Option<u8>;

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError>;
}

/// What becomes of the data of a handle when collection moves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// They may share blocks with moved data of others.
    Initial,
    /// They stay apart.
    Persistent,
}

/// What makes a directive; none where handles are ignored.
pub type BuildDirective = fn(&Parameters<DirectiveRow>) -> Option<Box<dyn Directive>>;

/// A directive in its table.
#[derive(Clone, Copy)]
pub struct DirectiveRow {
    /// What it says of itself.
    pub entry: Entry,
    /// Handles that have open blocks of their own at once, up to [`MOST_UNITS`].
    pub units: fn(&Parameters<Self>) -> u8,
    /// What becomes of data that are moved.
    pub isolation: fn(&Parameters<Self>) -> Isolation,
    /// Whether it may refuse a write.
    pub refuses: fn(&Parameters<Self>) -> bool,
    /// How many handles a host may write with in a reclaim group, where the drive reports them: from 0 on.
    pub reported: fn(&Parameters<Self>) -> Option<u16>,
    /// What a reclaim group is.
    pub groups: fn(&Parameters<Self>) -> GroupSpan,
    /// Checks the values of its keys.
    pub check: fn(&Parameters<Self>) -> Result<(), FtlError>,
    /// Makes it.
    pub build: BuildDirective,
}

/// `ftl.placement.directive = "none"`.
pub(crate) const NONE: DirectiveRow = DirectiveRow {
    entry: Entry {
        name: "none",
        help: "Handles are ignored.",
        keys: Keys::NONE,
        reads: &[],
    },
    units: |_| 0,
    isolation: |_| Isolation::Initial,
    refuses: |_| false,
    reported: |_| None,
    groups: |_| GroupSpan::Drive,
    check: |_| Ok(()),
    build: |_| None,
};
