//! Translation pages that flash has in an old version, since the pages of data that a pool's job moved are elsewhere.

use std::collections::HashSet;

use crate::state::archive::{Archive, ArchiveError};

/// Those of one pool, each once, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Outdated {
    pages: Vec<u32>,
    /// The same, to be found: a block of small units may concern thousands.
    known: HashSet<u32>,
}

impl Outdated {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    /// One more, if it is not among them.
    pub(super) fn add(&mut self, page: u32) {
        if self.known.insert(page) {
            self.pages.push(page);
        }
    }

    /// Takes the first ones out, `most` at most.
    pub(super) fn take(&mut self, most: usize) -> Vec<u32> {
        let count = self.pages.len().min(most);
        let taken: Vec<u32> = self.pages.drain(..count).collect();
        for page in &taken {
            self.known.remove(page);
        }
        taken
    }

    /// Passes those of all pools to a state file or takes them from one.
    pub(super) fn archive(all: &mut [Self], archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut lists: Vec<Vec<u32>> = all.iter().map(|one| one.pages.clone()).collect();
        archive.table(&mut lists)?;
        for (one, list) in all.iter_mut().zip(lists) {
            let known = list.iter().copied().collect();
            *one = Self { pages: list, known };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_taken_once_and_in_order() {
        let mut outdated = Outdated::default();
        for page in [7, 3, 7, 9, 3] {
            outdated.add(page);
        }
        assert_eq!(outdated.len(), 3);
        assert_eq!(outdated.take(2), [7, 3]);
        outdated.add(7);
        assert_eq!(outdated.take(9), [9, 7]);
        assert_eq!(outdated.len(), 0);
    }
}
