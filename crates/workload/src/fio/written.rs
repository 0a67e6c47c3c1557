//! `verify`: what a job has written and reads back at the end of each pass (`do_verify` of fio's backend.c).

use std::collections::{BTreeMap, VecDeque};

/// Extents that a job wrote, in sectors.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// Nothing is written twice in a pass: read back in the order of the writes.
    Once {
        extents: VecDeque<(u64, u64)>,
        is_reading: bool,
    },
    /// Later writes hide earlier ones: read back in the order of addresses.
    Overlapping {
        extents: BTreeMap<u64, u64>,
        is_reading: bool,
    },
}

impl Written {
    /// Nothing yet.
    pub(crate) const fn nothing(may_overlap: bool) -> Self {
        if may_overlap {
            Self::Overlapping {
                extents: BTreeMap::new(),
                is_reading: false,
            }
        } else {
            Self::Once {
                extents: VecDeque::new(),
                is_reading: false,
            }
        }
    }

    /// A write was sent. An earlier one that it touches is not read back, as in fio.
    pub(crate) fn add(&mut self, sector: u64, sectors: u64) {
        match self {
            Self::Once { extents, is_reading } => {
                *is_reading = false;
                extents.push_back((sector, sectors));
            }
            Self::Overlapping { extents, is_reading } => {
                *is_reading = false;
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
        match self {
            Self::Once { is_reading, .. } | Self::Overlapping { is_reading, .. } => *is_reading = true,
        }
    }

    /// The next extent to be read back, if it is time.
    pub(crate) fn next(&mut self) -> Option<(u64, u64)> {
        match self {
            Self::Once { extents, is_reading } if *is_reading => extents.pop_front(),
            Self::Overlapping { extents, is_reading } if *is_reading => extents.pop_first(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(may_overlap: bool, writes: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut written = Written::nothing(may_overlap);
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
}
