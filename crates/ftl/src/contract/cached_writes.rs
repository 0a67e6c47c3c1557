//! An SLC cache as whoever executes plans sees it.

use wordline_units::SimTime;

/// A mapping whose host writes go to blocks in SLC mode first.
pub trait CachedWrites {
    /// When a page of the host first found no room in the cache, since counting began; none where it never did.
    fn full_since(&self) -> Option<SimTime>;

    /// Counting begins anew.
    fn restart_counts(&mut self);
}
