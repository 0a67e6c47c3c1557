//! What pages of deltas save and load. Counts follow from the deltas.

use std::collections::BTreeMap;

use super::{Delta, Log, Place};
use crate::state::archive::{Archive, ArchiveError};

impl Log {
    /// Passes the deltas to a state file or takes them from it.
    pub(in crate::mapping::delta) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
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
        self.deltas = deltas.into_iter().collect();
        self.count();
        Ok(())
    }

    /// Counts afresh what follows from deltas and pages.
    fn count(&mut self) {
        self.stale_bytes.fill(0);
        self.live = 0;
        for log in 0..self.pages.len() as u32 {
            let current = self.current(log);
            let page = &mut self.pages[log as usize];
            page.current = current.len() as u32;
            page.current_bytes = current.iter().map(|(_, delta)| delta.bytes).sum();
            let place = page.place;
            if let Place::Flash(block) = place {
                self.stale_bytes[block as usize] += self.stale_of(log);
            }
            self.live += u32::from(place != Place::Vacant);
        }
    }
}
