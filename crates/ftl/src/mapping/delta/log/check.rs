//! What holds of deltas and their pages at all times.

use super::super::keys::PackingRule;
use super::{Log, Place};

impl Log {
    /// Checks counts against deltas (invariants K1, K2, G2 to G4), and how much of what is stale lies in each block.
    pub(in crate::mapping::delta) fn check(&self) {
        let mut stale = vec![0; self.stale_bytes.len()];
        let mut found = 0;
        for (log, page) in (0..).zip(&self.pages) {
            let current = self.current(log);
            let bytes: u32 = current.iter().map(|(_, delta)| delta.bytes).sum();
            assert_eq!(
                (page.current as usize, page.current_bytes),
                (current.len(), bytes),
                "{page:?}"
            );
            found += current.len();
            match page.place {
                Place::Vacant => assert!(self.vacant.contains(&log) && page.deltas.is_empty()),
                Place::Open => assert!(self.open.contains(&log)),
                Place::Programming => {}
                Place::Flash(block) => {
                    assert!(page.current > 0);
                    stale[block as usize] += self.page_bytes.saturating_sub(bytes);
                }
            }
            if self.packing == PackingRule::NoSplit {
                assert!(page.used <= self.room(), "{page:?}");
            }
        }
        assert_eq!(found, self.deltas.len() + self.kept());
        assert_eq!(stale, self.stale_bytes);
        assert_eq!(self.live as usize + self.vacant.len(), self.pages.len());
    }
}
