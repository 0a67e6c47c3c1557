//! Zones as whoever executes plans sees them.

use wordline_units::SimTime;

use crate::plan::Lpn;
use crate::request::Refusal;
use crate::zone::{HostAccess, ZoneFacts, ZoneTotals};

/// A mapping with zones.
pub trait ZonedHost {
    /// Admits a command of the host as a whole, before its pieces are submitted: the first logical page that it concerns, which is another one than it names where the drive chooses it.
    ///
    /// # Errors
    /// What the rules of the interface refuse as a whole; no piece is to be submitted then.
    fn admit(&mut self, now: SimTime, access: &HostAccess) -> Result<Lpn, Refusal>;

    /// The zones of the drive, in order.
    fn zones(&self) -> Vec<ZoneFacts>;

    /// Whether the step that was done last is a program or erase that a command of the host has asked for and that nothing makes good: the host is told of it. Once for each.
    fn take_write_fault(&mut self) -> bool;

    /// What was done with them, since counting began.
    fn totals(&self) -> ZoneTotals;

    /// Counting begins anew.
    fn restart_counts(&mut self);
}
