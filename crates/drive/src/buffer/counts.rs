//! What the buffer counts.

use wordline_units::SimTime;

/// Pieces served and pages moved; a piece is what a request asks of one page.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) read_hits: u64,
    pub(crate) read_misses: u64,
    pub(crate) write_hits: u64,
    pub(crate) write_misses: u64,
    /// Pages that were written back, or found clean, to make room.
    pub(crate) evicted_dirty: u64,
    pub(crate) evicted_clean: u64,
    /// Groups that left as a whole.
    pub(crate) groups: u64,
    /// Pages written back because a flush or a forced access asked.
    pub(crate) flushes: u64,
    /// Pages written back because too many were dirty.
    pub(crate) background: u64,
    /// Pages read from flash, and written with them, to complete groups.
    pub(crate) padding_reads: u64,
    pub(crate) padding_writes: u64,
    /// Pages that entered because they were read.
    pub(crate) fills: u64,
    /// Writes that had to wait for room.
    pub(crate) waits: u64,
    /// Pages on their way to flash.
    pub(super) under_way: u64,
    /// Pages held that are not on flash, since when, and their number summed over time.
    pub(super) unsaved: u64,
    since: SimTime,
    area: u128,
    /// When counting began.
    origin: SimTime,
}

impl Counts {
    /// Counts afresh from `now` on; what the buffer holds stays. So many pages are on their way to flash for the host, and so many
    /// to complete groups: they count, since their programs are still to come.
    pub(super) fn restart(&mut self, now: SimTime, of_host: u64, padding: u64) {
        *self = Self {
            evicted_dirty: of_host,
            padding_writes: padding,
            under_way: self.under_way,
            unsaved: self.unsaved,
            since: now,
            origin: now,
            ..Self::default()
        };
    }

    /// The number of pages that are not on flash changes by `by`.
    pub(super) fn unsaved_changes(&mut self, now: SimTime, by: i64) {
        self.area += u128::from(self.unsaved) * u128::from(now.since(self.since).ns());
        self.since = now;
        self.unsaved = self.unsaved.saturating_add_signed(by);
    }

    pub(super) fn mean_unsaved(&self, end: SimTime) -> Option<f64> {
        let rest = u128::from(self.unsaved) * u128::from(end.since(self.since).ns());
        let time = end.since(self.origin).ns();
        (time > 0).then(|| (self.area + rest) as f64 / time as f64)
    }
}
