//! Zones as whoever executes plans sees them.

use wordline_units::SimTime;

use crate::plan::Lpn;
use crate::request::Refusal;
use crate::zone::{HostAccess, ZoneFacts, ZoneTotals};

/// A mapping with zones.
pub trait ZonedHost {
    /// Admits a command of the host as a whole, before its pieces are submitted: the first logical page that it concerns, which is another one than it names where the drive chooses it, and
    /// the sectors of that page that lie before it.
    ///
    /// # Errors
    /// What the rules of the interface refuse as a whole; no piece is to be submitted then.
    fn admit_at(&mut self, now: SimTime, access: &HostAccess) -> Result<(Lpn, u32), Refusal>;

    /// As [`Self::admit_at`], of a command of whole pages.
    ///
    /// # Errors
    /// As [`Self::admit_at`].
    fn admit(&mut self, now: SimTime, access: &HostAccess) -> Result<Lpn, Refusal> {
        self.admit_at(now, access).map(|(lpn, _)| lpn)
    }

    /// The zones of the drive, in order.
    fn zones(&self) -> Vec<ZoneFacts>;

    /// Whether the step that was done last is a program or erase that a command of the host has asked for and that nothing makes good: the host is told of it. Once for each.
    fn take_write_fault(&mut self) -> bool;

    /// What was done with them, since counting began.
    fn totals(&self) -> ZoneTotals;

    /// Counting begins anew.
    fn restart_counts(&mut self);
}
