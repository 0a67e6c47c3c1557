//! What the FTL is told of commands beside their pieces: their admission as a whole, and handles that the host releases.

use wordline_ftl::{Ftl, HostAccess, Lpn, Refusal};
use wordline_units::SimTime;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Whether commands are admitted as a whole.
    #[inline]
    pub(crate) fn admits(&self) -> bool {
        self.ftl.admits()
    }

    /// Admits a command as a whole; see `Ftl::admit`.
    pub(crate) fn admit(&mut self, now: SimTime, access: &HostAccess) -> Result<Lpn, Refusal> {
        self.ftl.admit(now + self.epoch, access)
    }

    /// The host releases a placement handle.
    pub(crate) fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.is_called = true;
        self.ftl.release_handle(now + self.epoch, handle);
    }
}
