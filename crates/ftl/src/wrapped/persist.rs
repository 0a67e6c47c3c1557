//! What a wrapped mapping saves and loads.

use wordline_units::SimTime;

use super::{Wrapped, Wrapper};
use crate::config::RecoveryKind;
use crate::contract::Persist;
use crate::state::archive::{Archive, ArchiveError, Extent};

impl<W: Wrapper> Persist for Wrapped<W> {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        self.inner.archive(now, extent, archive)?;
        self.wrapper.archive(extent, archive)
    }

    fn latest(&self) -> SimTime {
        self.inner.latest()
    }

    fn modes(&self) -> &[String] {
        self.wrapper.modes(&*self.inner)
    }

    fn mapping(&self) -> &'static str {
        self.inner.mapping()
    }

    fn content_keys(&self) -> Vec<(&'static str, String)> {
        self.inner.content_keys()
    }

    fn recovery(&self) -> RecoveryKind {
        self.inner.recovery()
    }
}
