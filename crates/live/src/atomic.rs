//! Writes that a power cut may not leave half done (`host.nvme.atomic_write_unit_power_fail`): which of them are on flash in part.
//!
//! A write is followed page by page from the host to the flash. The FTL numbers the writes of pages that it accepts, and the spare area of a page that was programmed names the number. What it
//! accepts shows the newest that hosts have sent of the sectors that it is about. So sectors of a write are seen with the first number that is given to them after the write was sent, and the page is
//! done when all of them have one that is on flash, or a newer one is. A write is half done while something of it is seen and not all of its pages are done. Drives without a buffer only: in a
//! buffer writes are merged before the FTL hears of them.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// A write that is not wholly on flash.
#[derive(Clone, Debug)]
struct Halves {
    /// Its pages.
    pages: Range<u64>,
    /// How many of them are not done.
    left: u32,
    /// Whether something of it is on flash.
    is_seen: bool,
}

/// A page of a write that is not done.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    write: u64,
    /// Its sectors in the page that the FTL has not accepted since the write was sent.
    ahead: u64,
    /// The first number with which some of them are seen, and that with which all are.
    seen: Option<u64>,
    all: Option<u64>,
}

/// Writes that are to be whole and are not wholly on flash.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtomicWrites {
    writes: FxHashMap<u64, Halves>,
    /// By page.
    pages: FxHashMap<u64, Vec<Waiting>>,
    /// Writes of which something is seen, and not all.
    halved: usize,
}

impl AtomicWrites {
    /// A host asks for a write of these sectors that is to be whole, which `write` names; `per_page` are those of a page, at most 64.
    pub(crate) fn begin(&mut self, write: u64, sectors: Range<u64>, per_page: u64) {
        let pages = sectors.start / per_page..sectors.end.div_ceil(per_page);
        for page in pages.clone() {
            let first = page * per_page;
            let (from, to) = (
                sectors.start.max(first) - first,
                sectors.end.min(first + per_page) - first,
            );
            let waiting = Waiting {
                write,
                ahead: (u64::MAX >> (64 - (to - from))) << from,
                seen: None,
                all: None,
            };
            self.pages.entry(page).or_default().push(waiting);
        }
        let halves = Halves {
            left: u32::try_from(pages.end - pages.start).unwrap_or(u32::MAX),
            is_seen: false,
            pages,
        };
        self.writes.insert(write, halves);
    }

    /// The drive has answered a write: what it has not accepted of it, as it has refused it, never comes.
    pub(crate) fn answered(&mut self, write: u64) {
        let pages = self.writes.get(&write).map(|halves| halves.pages.clone());
        for page in pages.into_iter().flatten() {
            self.drop_where(page, |each| each.write == write && each.all.is_none());
        }
    }

    /// The FTL has accepted a write of these sectors of a page under this number.
    pub(crate) fn accepted(&mut self, page: u64, sectors: u64, number: u64) {
        for waiting in self.pages.get_mut(&page).into_iter().flatten() {
            if waiting.ahead & sectors != 0 {
                waiting.ahead &= !sectors;
                waiting.seen.get_or_insert(number);
                waiting.all = (waiting.ahead == 0).then_some(number);
            }
        }
    }

    /// The content that a write of this number has is on flash.
    pub(crate) fn programmed(&mut self, page: u64, number: u64) {
        let is_there = |name: Option<u64>| name.is_some_and(|name| name <= number);
        let waiting = self.pages.get(&page).into_iter().flatten();
        let seen: Vec<u64> = (waiting.filter(|each| is_there(each.seen)))
            .map(|each| each.write)
            .collect();
        for write in seen {
            self.change(write, |halves| halves.is_seen = true);
        }
        self.drop_where(page, |each| is_there(each.all));
    }

    /// The FTL has accepted a TRIM of these pages: what it accepted before may never be programmed, and need not be.
    pub(crate) fn trimmed(&mut self, pages: &Range<u64>) {
        let concerned: Vec<u64> = if pages.end - pages.start > self.pages.len() as u64 {
            #[allow(clippy::iter_over_hash_type, reason = "each page by itself")]
            self.pages
                .keys()
                .copied()
                .filter(|page| pages.contains(page))
                .collect()
        } else {
            pages
                .clone()
                .filter(|page| self.pages.contains_key(page))
                .collect()
        };
        for page in concerned {
            self.drop_where(page, |each| each.all.is_some());
        }
    }

    /// Whether a power cut now would leave a write half done.
    pub(crate) const fn are_halved(&self) -> bool {
        self.halved > 0
    }

    /// Waits no longer for a page of these writes.
    fn drop_where(&mut self, page: u64, concerned: impl Fn(&Waiting) -> bool) {
        let Some(waiting) = self.pages.get_mut(&page) else {
            return;
        };
        let gone: Vec<u64> = waiting
            .extract_if(.., |each| concerned(each))
            .map(|each| each.write)
            .collect();
        if waiting.is_empty() {
            self.pages.remove(&page);
        }
        for write in gone {
            self.change(write, |halves| halves.left -= 1);
        }
    }

    fn change(&mut self, write: u64, change: impl FnOnce(&mut Halves)) {
        let Some(halves) = self.writes.get_mut(&write) else {
            return;
        };
        let is_halved = |halves: &Halves| halves.is_seen && halves.left > 0;
        let was = is_halved(halves);
        change(halves);
        let is = is_halved(halves);
        if halves.left == 0 {
            self.writes.remove(&write);
        }
        self.halved = self.halved + usize::from(is) - usize::from(was);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_halved_from_its_first_page_on_flash_to_its_last() {
        let mut writes = AtomicWrites::default();
        writes.begin(1, 40..52, 4);
        for (page, number) in [(10, 1), (11, 2), (12, 3)] {
            writes.accepted(page, 0b1111, number);
        }
        let mut seen = Vec::new();
        for (page, number) in [(11, 2), (10, 1), (12, 3)] {
            writes.programmed(page, number);
            seen.push(writes.are_halved());
        }
        assert_eq!(seen, [true, true, false]);
        assert!(writes.pages.is_empty() && writes.writes.is_empty());
    }

    /// Page 5 with number 2 is never programmed, as the write with number 3 takes its place in the controller.
    #[test]
    fn a_newer_write_of_a_page_stands_for_the_older_one() {
        let mut writes = AtomicWrites::default();
        writes.begin(1, 16..24, 4);
        for (page, number) in [(4, 1), (5, 2), (5, 3)] {
            writes.accepted(page, 0b1111, number);
        }
        writes.programmed(4, 1);
        assert!(writes.are_halved());
        writes.programmed(5, 3);
        assert!(!writes.are_halved());
        assert!(writes.pages.is_empty());
    }

    /// What was accepted before a write was sent says nothing of it; what is accepted for another write after that shows it.
    #[test]
    fn a_write_is_seen_with_the_first_number_after_it_was_sent() {
        let mut writes = AtomicWrites::default();
        writes.accepted(5, 0b1111, 1);
        writes.begin(1, 16..24, 4);
        writes.programmed(5, 1);
        assert!(!writes.are_halved());
        // of another write, which was sent before
        writes.accepted(4, 0b1111, 2);
        writes.programmed(4, 2);
        assert!(writes.are_halved());
        writes.accepted(4, 0b1111, 3);
        writes.accepted(5, 0b1111, 4);
        writes.programmed(5, 4);
        assert!(!writes.are_halved());
    }

    /// Sectors 2 to 5: another write brings sector 2 with it, which had not been sent before; sector 3 follows.
    #[test]
    fn a_page_is_half_done_while_a_part_of_its_sectors_is_seen() {
        let mut writes = AtomicWrites::default();
        writes.begin(1, 2..6, 4);
        writes.accepted(0, 0b0011, 1);
        writes.programmed(0, 1);
        assert!(!writes.are_halved());
        writes.accepted(0, 0b0111, 2);
        writes.programmed(0, 2);
        assert!(writes.are_halved());
        writes.accepted(1, 0b0011, 3);
        writes.programmed(1, 3);
        assert!(writes.are_halved());
        writes.accepted(0, 0b1100, 4);
        writes.programmed(0, 4);
        assert!(!writes.are_halved());
        assert!(writes.pages.is_empty() && writes.writes.is_empty());
    }

    #[test]
    fn what_is_trimmed_or_refused_is_not_waited_for() {
        let mut writes = AtomicWrites::default();
        writes.begin(1, 0..8, 4);
        writes.begin(2, 8..16, 4);
        writes.accepted(0, 0b1111, 1);
        writes.accepted(1, 0b1111, 2);
        writes.accepted(2, 0b1111, 3);
        writes.programmed(0, 1);
        writes.programmed(2, 3);
        assert_eq!(writes.halved, 2);
        writes.trimmed(&(0..u64::MAX));
        assert_eq!(writes.halved, 1);
        writes.answered(2);
        assert!(!writes.are_halved());
        assert!(writes.pages.is_empty() && writes.writes.is_empty());
    }
}
