//! What of an FTL is saved to a file and loaded.

use wordline_units::SimTime;

use crate::config::RecoveryKind;
use crate::state::archive::{Archive, ArchiveError, Extent};

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

    /// The names of the modes that its pages can have beside the normal one.
    fn modes(&self) -> &[String] {
        &[]
    }

    /// Of which mapping its state is one: the name in `ftl.mapping`. A state of another mapping is refused.
    fn mapping(&self) -> &'static str;

    /// What the pages of its state hold, by the keys that say it: a state with other values is refused.
    fn content_keys(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is kept on flash for recovery (`ftl.recovery.kind`).
    fn recovery(&self) -> RecoveryKind {
        RecoveryKind::None
    }
}
