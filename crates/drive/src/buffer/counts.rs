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
    /// Of these, pages of groups that wait for their padding of which nothing is left to be written: they were trimmed.
    pub(super) emptied: u64,
    /// Pages held that are not on flash.
    pub(super) unsaved: OverTime,
}

/// A number, summed over time.
#[derive(Debug, Default)]
pub(super) struct OverTime {
    value: u64,
    /// When it changed last.
    since: SimTime,
    area: u128,
    /// When counting began.
    origin: SimTime,
}

impl OverTime {
    pub(super) fn value(&self) -> u64 {
        self.value
    }

    /// It changes by `by`.
    pub(super) fn changes(&mut self, now: SimTime, by: i64) {
        self.area += u128::from(self.value) * u128::from(now.since(self.since).ns());
        self.since = now;
        self.add(by);
    }

    /// It changes by `by` at the moment of the last change.
    pub(super) fn add(&mut self, by: i64) {
        self.value = self.value.saturating_add_signed(by);
    }

    /// Its mean up to `end`.
    pub(super) fn mean(&self, end: SimTime) -> Option<f64> {
        let rest = u128::from(self.value) * u128::from(end.since(self.since).ns());
        let time = end.since(self.origin).ns();
        (time > 0).then(|| (self.area + rest) as f64 / time as f64)
    }

    /// Sums afresh from `now` on.
    pub(super) fn restart(&mut self, now: SimTime) {
        self.area = 0;
        self.since = now;
        self.origin = now;
    }
}

impl Counts {
    /// Counts afresh from `now` on; what the buffer holds stays. So many pages are on their way to flash for the host, and so many
    /// to complete groups: they count, since their programs are still to come.
    pub(super) fn restart(&mut self, now: SimTime, of_host: u64, padding: u64) {
        let mut unsaved = std::mem::take(&mut self.unsaved);
        unsaved.restart(now);
        *self = Self {
            evicted_dirty: of_host,
            padding_writes: padding,
            under_way: self.under_way,
            emptied: self.emptied,
            unsaved,
            ..Self::default()
        };
    }
}
