//! What the FTL is told of commands beside their pieces: their admission as a whole, and handles that the host releases.

use wordline_ftl::{HostAccess, Lpn, Refusal, Subjects};
use wordline_units::SimTime;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Whether commands are admitted as a whole.
    #[inline]
    pub(crate) fn admits(&self) -> bool {
        self.admits
    }

    /// Admits a command as a whole; see `ZonedHost::admit_at`.
    pub(crate) fn admit(&mut self, now: SimTime, access: &HostAccess) -> Result<(Lpn, u32), Refusal> {
        match self.ftl.zoned_host_mut() {
            Some(zoned) => zoned.admit_at(now + self.epoch, access),
            None => Ok((access.lpn, access.head)),
        }
    }

    /// The host releases a placement handle.
    pub(crate) fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.is_called = true;
        if let Some(placed) = self.ftl.placed_writes_mut() {
            placed.release_handle(now + self.epoch, handle);
        }
    }
}
