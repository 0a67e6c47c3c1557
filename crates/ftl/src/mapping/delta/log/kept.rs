//! Deltas that must be found after a power cut: one that was replaced counts until the one that replaces it is on flash, and so does its page of deltas (FTL
//! specification, D7). And deltas as they are found.

use super::{Delta, Log, Place};

impl Log {
    /// Whether deltas must be found after a power cut.
    pub(in crate::mapping::delta) const fn recovers(&self) -> bool {
        self.kept.is_some()
    }

    /// A delta of a logical page by its stamp, whether it is current or kept.
    pub(in crate::mapping::delta) fn find(&self, lpn: u64, stamp: u64) -> Option<Delta> {
        let of_stamp = |delta: &Delta| delta.stamp == stamp;
        let current = self.get(lpn).filter(of_stamp);
        let kept = || self.kept.as_ref()?.get(&lpn)?.iter().copied().find(of_stamp);
        current.or_else(kept)
    }

    /// Deltas that are kept.
    #[cfg(test)]
    pub(in crate::mapping::delta) fn kept(&self) -> usize {
        self.kept
            .iter()
            .flat_map(|kept| kept.values())
            .map(Vec::len)
            .sum()
    }

    /// The delta of a logical page is replaced. It goes if it waits in the controller, or nobody has to find it after a power cut.
    pub(super) fn replace(&mut self, lpn: u64) {
        let is_open = |delta: &Delta| self.is_open(delta.log);
        let kept = self
            .get(lpn)
            .filter(|delta| self.kept.is_some() && !is_open(delta));
        if let (Some(delta), Some(all)) = (kept, &mut self.kept) {
            self.deltas.remove(&lpn);
            all.entry(lpn).or_default().push(delta);
        } else {
            self.drop_delta(lpn);
        }
    }

    /// A delta is in another page now.
    pub(super) fn change(&mut self, lpn: u64, changed: Delta) {
        let kept = self.kept.as_mut().and_then(|kept| kept.get_mut(&lpn));
        let kept = kept.into_iter().flatten();
        for delta in kept.chain(self.deltas.get_mut(&lpn)) {
            if delta.stamp == changed.stamp {
                *delta = changed;
            }
        }
    }

    /// A delta is on flash: those before it are kept no longer. Tells the pages that hold none by that.
    pub(super) fn settle(&mut self, lpn: u64, stamp: u64, emptied: &mut Vec<u32>) {
        self.drop_kept(lpn, |delta| delta.stamp < stamp, emptied);
    }

    /// No delta of a logical page is kept any longer.
    pub(super) fn forget_kept(&mut self, lpn: u64, emptied: &mut Vec<u32>) {
        self.drop_kept(lpn, |_| true, emptied);
    }

    fn drop_kept(&mut self, lpn: u64, goes: impl Fn(&Delta) -> bool, emptied: &mut Vec<u32>) {
        let Some(of_page) = self.kept.as_mut().and_then(|kept| kept.remove(&lpn)) else {
            return;
        };
        let (gone, left): (Vec<Delta>, Vec<Delta>) = of_page.into_iter().partition(goes);
        if let Some(kept) = self.kept.as_mut().filter(|_| !left.is_empty()) {
            kept.insert(lpn, left);
        }
        for delta in gone {
            if self.leave(delta) {
                emptied.push(delta.log);
            }
        }
    }

    /// A page of deltas was found on flash, in a block, with these current ones: logical page, bytes and number. Its number; none where there can be no more pages.
    /// How many writes their bases are old is not on flash: each counts as the first.
    pub(in crate::mapping::delta) fn found(&mut self, block: u32, deltas: &[(u64, u32, u64)]) -> Option<u32> {
        let log = self.add(Place::Flash(block))?;
        for (lpn, bytes, number) in deltas {
            self.stamps += 1;
            let delta = Delta {
                log,
                bytes: *bytes,
                stamp: self.stamps,
                writes: 1,
                number: *number,
            };
            let needed = self.room_for(*bytes);
            let page = &mut self.pages[log as usize];
            page.deltas.push((*lpn, delta.stamp));
            page.used += needed;
            page.current += 1;
            page.current_bytes += bytes;
            self.deltas.insert(*lpn, delta);
        }
        self.stale_bytes[block as usize] += self.stale_of(log);
        Some(log)
    }
}
