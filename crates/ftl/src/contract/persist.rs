//! What of an FTL is saved to a file and loaded.

use wordline_units::SimTime;

use crate::config::RecoveryKind;
use crate::state::archive::{Archive, ArchiveError, Extent};

/// What the state of an FTL must have in common with the drive that loads it, beside dimensions and capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name in `ftl.mapping`.
    pub mapping: &'static str,
    /// What is kept on flash for recovery (`ftl.recovery.kind`).
    pub recovery: RecoveryKind,
    /// What the pages of the state hold, by the keys that say it.
    pub content_keys: Vec<(&'static str, String)>,
}

impl Identity {
    /// The state of a mapping without records for recovery, whose pages no further key describes.
    #[must_use]
    pub const fn of_mapping(mapping: &'static str) -> Self {
        Self {
            mapping,
            recovery: RecoveryKind::None,
            content_keys: Vec::new(),
        }
    }
}

/// An FTL whose state can be saved and loaded.
pub trait Persist {
    /// Passes the state to a file or takes it from one, at time `now`. Loading is for a fresh FTL of the same geometry and
    /// capacity, and with [`Extent::Everything`] of the same configuration.
    ///
    /// # Errors
    /// A write, a relocation or an erase is under way; a table of another length; pages, blocks or identifiers that the
    /// drive does not have; a map that is not one to one. An FTL that was being loaded must not be used then.
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError>;

    /// The latest time that it remembers, of a write, of a host operation or of a notice.
    fn latest(&self) -> SimTime;

    /// Whose state it is.
    fn identity(&self) -> Identity;
}
