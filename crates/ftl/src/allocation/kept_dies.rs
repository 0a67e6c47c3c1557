//! Which dies take no program of the host, where there is no clock.

use wordline_nand::{Geometry, PlaneId};
use wordline_units::SimTime;

/// Dies that jobs keep from programs of the host now, and those that commands keep beyond a time; all dies are idle where they take no time.
#[derive(Clone, Copy)]
pub struct KeptDies<'a> {
    /// The array.
    pub geometry: &'a Geometry,
    /// Until when jobs keep each die; empty where dies take no time.
    pub jobs: &'a [SimTime],
    /// Until when commands keep each die; as many as of the former.
    pub host: &'a [SimTime],
    /// The present time.
    pub now: SimTime,
    /// Up to which time commands may keep a die that is idle.
    pub free: SimTime,
}

impl KeptDies<'_> {
    /// Whether the die of a plane takes a program of the host.
    #[inline]
    #[must_use]
    pub fn is_idle(&self, plane: PlaneId) -> bool {
        if self.jobs.is_empty() {
            return true;
        }
        let die = self.geometry.die_of(plane).index();
        self.jobs[die] <= self.now && self.host[die] <= self.free
    }
}
