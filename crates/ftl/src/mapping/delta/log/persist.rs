//! What pages of deltas save and load. Counts follow from the deltas.

use std::collections::BTreeMap;

use super::{Delta, Log, Page, Place};
use crate::state::archive::{Archive, ArchiveError, require};

impl Log {
    /// Passes the deltas to a state file or takes them from it. `block_of` says in which block a page of deltas is, by the map.
    pub(in crate::mapping::delta) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
        user_pages: u64,
        block_of: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<(), ArchiveError> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted at once")]
        let mut deltas = {
            let mut deltas = Vec::with_capacity(self.deltas.len());
            for (lpn, delta) in &self.deltas {
                deltas.push((*lpn, *delta));
            }
            deltas
        };
        deltas.sort_unstable_by_key(|(lpn, _)| *lpn);
        archive.part(&mut deltas)?;
        if let Some(kept) = &mut self.kept {
            let mut sorted: BTreeMap<u64, Vec<Delta>> = kept.drain().collect();
            archive.part(&mut sorted)?;
            *kept = sorted.into_iter().collect();
        }
        archive.part(&mut self.pages)?;
        archive.part(&mut self.vacant)?;
        archive.part(&mut self.open)?;
        archive.part(&mut self.stamps)?;
        if !archive.is_loading() {
            return Ok(());
        }
        require(
            self.pages.len() <= self.most as usize,
            "more pages of deltas than there can be",
        )?;
        self.deltas.clear();
        for (lpn, delta) in &deltas {
            let known = self.pages.get(delta.log as usize);
            let listed = known.is_some_and(|page| page.deltas.contains(&(*lpn, delta.stamp)));
            let possible = *lpn < user_pages && delta.bytes <= self.page_bytes && delta.stamp <= self.stamps;
            require(listed && possible, "a delta that is in no page")?;
            let is_second = self.deltas.insert(*lpn, *delta).is_some();
            require(!is_second, "a logical page with two deltas")?;
        }
        for (lpn, delta) in self.kept_deltas() {
            let known = self.pages.get(delta.log as usize);
            let listed = known.is_some_and(|page| page.deltas.contains(&(lpn, delta.stamp)));
            let is_before = self.get(lpn).is_some_and(|current| delta.stamp < current.stamp);
            let possible = listed && is_before && delta.bytes <= self.page_bytes;
            require(possible, "a delta that is kept and in no page")?;
        }
        self.count(block_of)
    }

    fn kept_deltas(&self) -> Vec<(u64, Delta)> {
        let mut all = Vec::new();
        for (lpn, kept) in self.kept.iter().flatten() {
            all.extend(kept.iter().map(|delta| (*lpn, *delta)));
        }
        all
    }

    /// Counts afresh what follows from deltas and pages.
    fn count(&mut self, block_of: &dyn Fn(u32) -> Option<u32>) -> Result<(), ArchiveError> {
        self.stale_bytes.fill(0);
        self.live = 0;
        let (mut vacant, mut open) = (0, 0);
        for log in 0..self.pages.len() as u32 {
            let current = self.current(log);
            let page = &mut self.pages[log as usize];
            let mut owners: Vec<_> = page.deltas.clone();
            owners.sort_unstable();
            owners.dedup();
            require(
                owners.len() == page.deltas.len(),
                "a delta that is in a page twice",
            )?;
            require(
                page.used <= self.page_bytes,
                "a page with more deltas than it holds",
            )?;
            page.current = current.len() as u32;
            page.current_bytes = current.iter().map(|(_, delta)| delta.bytes).sum();
            let (place, is_empty) = (page.place, current.is_empty());
            match place {
                Place::Vacant => vacant += 1,
                Place::Open => open += 1,
                Place::Programming => return Err(ArchiveError::Busy),
                Place::Flash(block) => {
                    let is_there = block_of(log) == Some(block) && !is_empty;
                    require(is_there, "a page of deltas that is not where it is said to be")?;
                    self.stale_bytes[block as usize] += self.stale_of(log);
                }
            }
            let is_mapped = block_of(log).is_some();
            require(
                is_mapped == matches!(place, Place::Flash(_)),
                "a page of deltas on flash that is said not to be there",
            )?;
            self.live += u32::from(place != Place::Vacant);
        }
        let of = |list: &[u32], place| {
            let known =
                |log: &u32| self.pages.get(*log as usize).map(|page: &Page| page.place) == Some(place);
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len() == list.len() && list.iter().all(known)
        };
        let agree = of(&self.vacant, Place::Vacant)
            && of(&self.open, Place::Open)
            && (self.vacant.len(), self.open.len()) == (vacant, open);
        require(agree, "lists of pages of deltas that do not agree with them")
    }
}
