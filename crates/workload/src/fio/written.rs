//! `verify`: what a job has written and reads back at the end of each pass (`do_verify` of fio's backend.c).

use std::collections::{BTreeMap, VecDeque};

/// What a job wrote and has not read back.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    extents: Extents,
    /// The pass is over: all of it is read back.
    is_reading: bool,
    /// `verify_backlog`: after so many writes some are read back, and how many; 0: none are.
    backlog: (u64, u64),
    /// How many are still to be read back of those.
    due: u64,
    /// The last command was a write.
    is_behind_write: bool,
}

/// Extents in sectors.
#[derive(Clone, Debug)]
enum Extents {
    /// Nothing is written twice in a pass: read back in the order of the writes.
    Once(VecDeque<(u64, u64)>),
    /// Later writes hide earlier ones: read back in the order of addresses.
    Overlapping(BTreeMap<u64, u64>),
}

impl Written {
    /// Nothing yet.
    pub(crate) const fn nothing(may_overlap: bool, backlog: (u64, u64)) -> Self {
        Self {
            extents: if may_overlap {
                Extents::Overlapping(BTreeMap::new())
            } else {
                Extents::Once(VecDeque::new())
            },
            is_reading: false,
            backlog,
            due: 0,
            is_behind_write: false,
        }
    }

    /// A write was sent. An earlier one that it touches is not read back, as in fio.
    pub(crate) fn add(&mut self, sector: u64, sectors: u64) {
        self.is_reading = false;
        self.is_behind_write = true;
        match &mut self.extents {
            Extents::Once(extents) => extents.push_back((sector, sectors)),
            Extents::Overlapping(extents) => {
                let end = sector + sectors;
                // extents are disjoint, so that those that reach into this one end the range below its end
                while let Some((first, length)) = extents
                    .range(..end)
                    .next_back()
                    .map(|(first, length)| (*first, *length))
                    && first + length > sector
                {
                    extents.remove(&first);
                }
                extents.insert(sector, sectors);
            }
        }
    }

    /// The pass is over: what was written is read back.
    pub(crate) const fn begin(&mut self) {
        self.is_reading = true;
        self.due = 0;
    }

    /// Commands that read it back.
    pub(crate) fn held(&self) -> u64 {
        match &self.extents {
            Extents::Once(extents) => extents.len() as u64,
            Extents::Overlapping(extents) => extents.len() as u64,
        }
    }

    /// Sectors that are to be read back.
    pub(crate) fn sectors(&self) -> u64 {
        match &self.extents {
            Extents::Once(extents) => extents.iter().map(|(_, sectors)| sectors).sum(),
            Extents::Overlapping(extents) => extents.values().sum(),
        }
    }

    /// Whether the pass is over.
    pub(crate) const fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// The next extent to be read back, if it is time (`check_get_verify` of fio's io_u.c).
    pub(crate) fn next(&mut self) -> Option<(u64, u64)> {
        let (after, batch) = self.backlog;
        let behind_write = std::mem::take(&mut self.is_behind_write);
        let held = self.held();
        if self.due == 0 && behind_write && after > 0 && held > 0 && held.is_multiple_of(after) {
            self.due = batch;
        }
        if !self.is_reading && self.due == 0 {
            return None;
        }
        let found = match &mut self.extents {
            Extents::Once(extents) => extents.pop_front(),
            Extents::Overlapping(extents) => extents.pop_first(),
        };
        self.due = if found.is_some() {
            self.due.saturating_sub(1)
        } else {
            0
        };
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(may_overlap: bool, writes: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut written = Written::nothing(may_overlap, (0, 0));
        for (sector, sectors) in writes {
            written.add(*sector, *sectors);
        }
        assert_eq!(written.next(), None);
        written.begin();
        std::iter::from_fn(|| written.next()).collect()
    }

    #[test]
    fn later_writes_hide_those_that_they_touch() {
        let writes = [(16, 8), (0, 8), (8, 4), (4, 8), (16, 8)];
        assert_eq!(read_back(true, &writes), [(4, 8), (16, 8)]);
        assert_eq!(read_back(false, &[(16, 8), (0, 8)]), [(16, 8), (0, 8)]);
    }

    /// Of every four writes two are read back, and the rest at the end of the pass.
    #[test]
    fn a_backlog_is_read_back_on_the_way() {
        let mut written = Written::nothing(false, (4, 2));
        let mut order = Vec::new();
        for sector in 0..8 {
            written.add(sector, 1);
            order.push(format!("w{sector}"));
            order.extend(std::iter::from_fn(|| written.next()).map(|(sector, _)| format!("r{sector}")));
        }
        written.begin();
        order.extend(std::iter::from_fn(|| written.next()).map(|(sector, _)| format!("r{sector}")));
        assert_eq!(order.join(" "), "w0 w1 w2 w3 r0 r1 w4 w5 r2 r3 w6 w7 r4 r5 r6 r7");
    }
}
