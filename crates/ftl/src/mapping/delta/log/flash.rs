//! Pages of deltas on their way to flash and there: those that are packed anew, and those that are moved.

use super::{Delta, Log, Place};

impl Log {
    /// A page into which current deltas of others are packed; they are there once it is on flash. None if there can be no more
    /// pages.
    pub(in crate::mapping::delta) fn repack(&mut self, from: &[u32]) -> Option<u32> {
        let log = self.add(Place::Programming)?;
        let deltas: Vec<(u64, Delta)> = from.iter().flat_map(|from| self.current(*from)).collect();
        let used = deltas.iter().map(|(_, delta)| self.room_for(delta.bytes)).sum();
        let page = &mut self.pages[log as usize];
        page.deltas = deltas.iter().map(|(lpn, delta)| (*lpn, delta.stamp)).collect();
        page.used = used;
        Some(log)
    }

    /// Whether a page that is programmed has no delta that is current.
    pub(in crate::mapping::delta) fn is_superseded(&self, log: u32) -> bool {
        let Some(page) = self.page(log) else { return true };
        !page
            .deltas
            .iter()
            .any(|(lpn, stamp)| self.find(*lpn, *stamp).is_some())
    }

    /// A page is on flash, in a block: the deltas that were packed into it are there now. Says whether it holds any, and
    /// tells the pages that hold none any more.
    pub(in crate::mapping::delta) fn programmed(
        &mut self,
        log: u32,
        block: u32,
        emptied: &mut Vec<u32>,
    ) -> bool {
        self.pages[log as usize].place = Place::Flash(block);
        let deltas = std::mem::take(&mut self.pages[log as usize].deltas);
        for (lpn, stamp) in &deltas {
            let Some(delta) = self.find(*lpn, *stamp) else {
                continue;
            };
            if delta.log != log {
                if self.leave(delta) {
                    emptied.push(delta.log);
                }
                let page = &mut self.pages[log as usize];
                page.current += 1;
                page.current_bytes += delta.bytes;
                self.change(*lpn, Delta { log, ..delta });
            }
            self.settle(*lpn, *stamp, emptied);
        }
        self.pages[log as usize].deltas = deltas;
        let holds = self.pages[log as usize].current > 0;
        if holds {
            self.stale_bytes[block as usize] += self.stale_of(log);
        }
        holds
    }

    /// A page was moved to another block as it is.
    pub(in crate::mapping::delta) fn moved(&mut self, log: u32, block: u32) {
        if let Place::Flash(from) = self.pages[log as usize].place {
            let stale = self.stale_of(log);
            self.stale_bytes[from as usize] -= stale;
            self.stale_bytes[block as usize] += stale;
            self.pages[log as usize].place = Place::Flash(block);
        }
    }

    /// So many pages are needed for the current deltas of these, packed one after the other without dividing what is left of a page.
    pub(in crate::mapping::delta) fn pages_for(&self, logs: impl Iterator<Item = u32>) -> u32 {
        let (mut pages, mut used) = (0, self.room() + 1);
        for log in logs {
            let needed = self.current_room(log);
            if used + needed > self.room() {
                pages += 1;
                used = needed;
            } else {
                used += needed;
            }
        }
        pages
    }

    /// What the current deltas of a page take.
    pub(in crate::mapping::delta) fn current_room(&self, log: u32) -> u32 {
        let current = self.current(log);
        current.iter().map(|(_, delta)| self.room_for(delta.bytes)).sum()
    }
}
