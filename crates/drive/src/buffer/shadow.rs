//! For the audit: which version of every sub-page the buffer holds, which one flash would return,
//! and whether a read gets the last one written.
//!
//! Versions count the writes of the run. What the FTL returns is taken in the order in which it was
//! asked, which is what the FTL promises; the audit checks its pages by themselves.

mod checking;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wordline_ftl::{Lpn, PageRequest};

/// Never written, or trimmed.
const NOTHING: u32 = 0;
/// Written before the run.
const BEFORE: u32 = 1;
/// A TRIM is under way: a read may return what was there, or nothing.
const EITHER: u32 = u32::MAX;

/// The versions of the sub-pages of one page.
#[derive(Debug)]
struct Versions {
    /// What a read must return.
    latest: Vec<u32>,
    buffered: Vec<u32>,
    flash: Vec<u32>,
}

/// The versions of every page that was touched.
#[derive(Debug)]
pub(super) struct Shadow {
    sectors: usize,
    writes: u32,
    pages: BTreeMap<Lpn, Versions>,
    /// What each read to keep will get from flash.
    reading: FxHashMap<u32, Vec<u32>>,
    found: Option<String>,
    /// Changes since the sectors were counted again.
    changes: usize,
}

fn bits(bitmap: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| bitmap >> bit & 1 == 1)
}

impl Shadow {
    pub(super) fn new(sectors_per_page: u32) -> Self {
        Self {
            sectors: sectors_per_page as usize,
            writes: BEFORE,
            pages: BTreeMap::new(),
            reading: FxHashMap::default(),
            found: None,
            changes: 0,
        }
    }

    /// Whether the sectors of so many pages are to be counted again, after another change.
    fn is_due(&mut self, pages: usize) -> bool {
        self.changes += 1;
        let is_due = self.changes > pages;
        if is_due {
            self.changes = 0;
        }
        is_due
    }

    /// A page is asked for: if for the first time, flash holds the sub-pages `valid` of it.
    pub(super) fn touch(&mut self, lpn: Lpn, valid: u64) {
        let sectors = self.sectors;
        self.pages.entry(lpn).or_insert_with(|| {
            let flash: Vec<u32> = (0..sectors)
                .map(|bit| (valid >> bit & 1) as u32 * BEFORE)
                .collect();
            Versions {
                latest: flash.clone(),
                buffered: vec![NOTHING; sectors],
                flash,
            }
        });
    }

    pub(super) fn written(&mut self, lpn: Lpn, bitmap: u64) {
        self.writes += 1;
        if let Some(page) = self.pages.get_mut(&lpn) {
            for bit in bits(bitmap) {
                page.latest[bit] = self.writes;
                page.buffered[bit] = self.writes;
            }
        }
    }

    /// Sub-pages are handed to the FTL.
    pub(super) fn handed_on(&mut self, lpn: Lpn, bitmap: u64) {
        if let Some(page) = self.pages.get_mut(&lpn) {
            for bit in bits(bitmap) {
                page.flash[bit] = page.buffered[bit];
            }
        }
    }

    pub(super) fn reading(&mut self, fill: u32, lpn: Lpn) {
        if let Some(page) = self.pages.get(&lpn) {
            self.reading.insert(fill, page.flash.clone());
        }
    }

    /// What was read is kept.
    pub(super) fn filled(&mut self, fill: u32, lpn: Lpn, bitmap: u64) {
        if let (Some(page), Some(read)) = (self.pages.get_mut(&lpn), self.reading.remove(&fill)) {
            for bit in bits(bitmap) {
                page.buffered[bit] = read[bit];
            }
        }
    }

    fn each_in(&mut self, page: &PageRequest, mut change: impl FnMut(Lpn, &mut Versions)) {
        let end = Lpn(page.lpn.0.saturating_add(page.pages));
        for (lpn, versions) in self.pages.range_mut(page.lpn..end) {
            change(*lpn, versions);
        }
    }

    pub(super) fn trim_asked(&mut self, page: &PageRequest) {
        self.each_in(page, |_, versions| {
            for bit in bits(page.bitmap) {
                versions.latest[bit] = EITHER;
            }
        });
    }

    /// The FTL has forgotten sub-pages; `unsaved` tells those that were written since and are in the
    /// buffer, and those on their way to flash.
    pub(super) fn trim_done(&mut self, page: &PageRequest, unsaved: impl Fn(Lpn) -> (u64, u64)) {
        self.each_in(page, |lpn, versions| {
            let (written, on_the_way) = unsaved(lpn);
            for bit in bits(page.bitmap & !on_the_way) {
                versions.flash[bit] = NOTHING;
            }
            for bit in bits(page.bitmap & !written & !on_the_way) {
                versions.latest[bit] = NOTHING;
            }
        });
    }

    /// A read of sub-pages of which the buffer holds `held`.
    pub(super) fn read(&mut self, lpn: Lpn, bitmap: u64, held: u64) {
        let Some(page) = self.pages.get(&lpn) else { return };
        for bit in bits(bitmap) {
            let from_buffer = held >> bit & 1 == 1;
            let seen = if from_buffer {
                page.buffered[bit]
            } else {
                page.flash[bit]
            };
            let wanted = page.latest[bit];
            if seen != wanted && wanted != EITHER && self.found.is_none() {
                let place = if from_buffer { "the buffer" } else { "flash" };
                self.found = Some(format!(
                    "sub-page {bit} of logical page {} would be read from {place} as of write {seen}, not {wanted}",
                    lpn.0
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_ftl::PageOp;

    const PAGE: Lpn = Lpn(7);

    fn shadow() -> Shadow {
        let mut shadow = Shadow::new(4);
        shadow.touch(PAGE, 0b0011);
        shadow
    }

    fn trim(pages: u64) -> PageRequest {
        PageRequest {
            op: PageOp::Trim,
            lpn: PAGE,
            pages,
            bitmap: 0b1111,
            placement: 0,
            class: 0,
            command_sectors: 4,
        }
    }

    #[test]
    fn finds_a_lost_write() {
        let mut shadow = shadow();
        shadow.read(PAGE, 0b1111, 0);
        shadow.written(PAGE, 0b0110);
        shadow.read(PAGE, 0b1111, 0b0110);
        assert_eq!(shadow.found, None);
        // sub-page 1 is dropped from the buffer without having been handed on
        shadow.handed_on(PAGE, 0b0100);
        shadow.read(PAGE, 0b1111, 0);
        let found = shadow.found.unwrap();
        assert!(
            found.contains("sub-page 1 of logical page 7") && found.contains("flash as of write 1, not 2"),
            "{found}"
        );
    }

    #[test]
    fn finds_a_read_kept_too_long() {
        let mut shadow = shadow();
        shadow.reading(0, PAGE);
        shadow.written(PAGE, 0b0001);
        shadow.handed_on(PAGE, 0b0001);
        shadow.filled(0, PAGE, 0b0001);
        shadow.read(PAGE, 0b0001, 0b0001);
        assert!(shadow.found.unwrap().contains("the buffer as of write 1, not 2"));
    }

    #[test]
    fn a_trim_may_be_seen_before_it_is_done_and_must_be_after() {
        for pages in [1, 2] {
            let mut shadow = shadow();
            shadow.trim_asked(&trim(pages));
            shadow.read(PAGE, 0b1111, 0b0001);
            shadow.written(PAGE, 0b1000);
            shadow.trim_done(&trim(pages), |_| (0b1000, 0));
            shadow.read(PAGE, 0b1110, 0b1000);
            assert_eq!(shadow.found, None);
            shadow.written(PAGE, 0b0001);
            shadow.trim_asked(&trim(pages));
            shadow.trim_done(&trim(pages), |_| (0, 0));
            shadow.read(PAGE, 0b0001, 0b0001);
            assert!(shadow.found.is_some(), "the buffer kept a trimmed sub-page");
        }
    }
}
