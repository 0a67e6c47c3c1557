//! How many pages are mapped, current or given up.

use std::ops::Range;

use super::DenseMap;

/// Bits of a word.
const BITS: u64 = u64::BITS as u64;

/// The 64 bits of some words from one of them on; zeroes behind the last.
#[inline]
fn bits_from(words: &[u64], first: u64) -> u64 {
    let (word, shift) = ((first / BITS) as usize, first % BITS);
    let at = |word: usize| words.get(word).copied().unwrap_or(0);
    match shift {
        0 => at(word),
        _ => at(word) >> shift | at(word + 1) << (BITS - shift),
    }
}

impl DenseMap {
    /// How many of the first `user_pages` logical pages have a physical one.
    pub(crate) fn mapped_pages(&self, user_pages: u64) -> u64 {
        let (never, forgotten) = (0, self.partial_flag);
        let Some(permuted) = &self.permuted else {
            return self.forward.count_except(0..user_pages, never, forgotten);
        };
        // where nothing was set the entry is by rule
        let pages = permuted.pages().min(user_pages);
        self.touched.parts().fold(pages, |mapped, part| {
            let by_rule = part.start.min(pages)..part.end.min(pages);
            let later = part.start.clamp(pages, user_pages)..part.end.clamp(pages, user_pages);
            mapped - (by_rule.end - by_rule.start)
                + self.forward.count_except(by_rule, forgotten, forgotten)
                + self.forward.count_except(later, never, forgotten)
        })
    }

    /// Of some pages of a block, whose first page this is: how many hold the current version of a logical page, and how many were given up.
    pub(crate) fn count_in_block(
        &self,
        (block, first): (u32, u64),
        parts: impl Iterator<Item = Range<u64>>,
    ) -> (u32, u32) {
        let by_rule: &[u64] = match &self.permuted {
            Some(permuted) => permuted.assigned_bits(block),
            None => &[],
        };
        let (mut current, mut skipped) = (0, 0);
        for part in parts {
            let mut start = part.start;
            while start < part.end {
                let end = part.end.min(start + BITS);
                let assigned = bits_from(by_rule, start);
                if self.backward.is_untouched(first + start..first + end) {
                    current += (assigned << (BITS - (end - start))).count_ones();
                } else {
                    let mut bits = assigned;
                    self.backward.each(first + start..first + end, |entry| {
                        let is_current = entry != 0 && entry < self.empty;
                        current += u32::from(is_current) + u32::from(entry == 0) * (bits & 1) as u32;
                        skipped += u32::from(entry == self.skipped);
                        bits >>= 1;
                    });
                }
                start = end;
            }
        }
        (current, skipped)
    }

    /// How many of some pages were given up without being programmed.
    pub(crate) fn skipped_among(&self, pages: Range<u64>) -> u32 {
        if !self.has_skipped {
            return 0;
        }
        let all = pages.end - pages.start;
        (all - self.backward.count_except(pages, self.skipped, self.skipped)) as u32
    }
}
