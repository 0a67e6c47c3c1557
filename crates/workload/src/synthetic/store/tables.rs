//! How large tables are: updates are uniform over the data, so that what several tables have in common is expected, not drawn.

/// What the sizes of tables follow from, in pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// Distinct data.
    pub(super) data: u64,
    /// Updates in memory before they are flushed.
    pub(super) memtable: u64,
    /// Pieces of a file of the log.
    pub(super) segment: u64,
    pub(super) fan: u32,
    pub(super) tiers: usize,
    pub(super) per_extent: u64,
}

/// Sizes of tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizing {
    pub(super) data: u64,
    pub(super) memtable: u64,
    /// Pieces of a flushed table.
    pub(super) flushed: u64,
}

impl Growth {
    /// The sizes that follow.
    pub(super) fn sizing(&self) -> Sizing {
        let data = self.data as f64;
        let distinct = -data * libm::expm1(-(self.memtable as f64) / data);
        Sizing {
            data: self.data,
            memtable: self.memtable,
            flushed: whole(distinct, self.memtable.min(self.data)),
        }
    }

    /// Extents that files take at most: two memories of log, the tables of each tier that are merged with what they become, and flushed tables that come
    /// while one merge follows another.
    pub(super) fn most_extents(&self) -> u64 {
        let sizing = self.sizing();
        let extents = |pieces: u64| pieces.div_ceil(self.per_extent);
        let fan = u64::from(self.fan);
        let logs = 2 * self.memtable.div_ceil(self.segment) + 1;
        let mut all = logs * (extents(self.segment.min(self.memtable)) + 1);
        // reads and writes of a merge in each tier, all of which may follow each other
        let mut work = 2 * self.data;
        let mut size = sizing.flushed;
        for tier in 1..self.tiers {
            let merged = sizing.union(std::iter::repeat_n(size, self.fan as usize));
            work += fan * size + merged;
            if tier > 1 {
                all += fan * extents(size);
            }
            size = merged;
        }
        work += fan * size;
        // merges that are due go faster the more tables wait: n + n²/(2 fan) come meanwhile
        let (wide, ratio) = (f64::from(self.fan), work as f64 / self.memtable as f64);
        let waiting = (wide * wide + 2.0 * wide * ratio).sqrt() - wide;
        all += (fan + 1 + waiting.ceil() as u64) * extents(sizing.flushed);
        all + fan * extents(size) + 2 * extents(self.data)
    }
}

impl Sizing {
    /// Pieces of the table that tables are merged into.
    pub(super) fn union(&self, tables: impl Iterator<Item = u64>) -> u64 {
        let data = self.data as f64;
        let (mut missing, mut sum) = (1.0, 0_u64);
        for pieces in tables {
            missing *= 1.0 - (pieces as f64 / data).min(1.0);
            sum = sum.saturating_add(pieces);
        }
        whole(data * (1.0 - missing), sum.min(self.data))
    }
}

/// A size in whole pieces, at least one.
fn whole(pieces: f64, most: u64) -> u64 {
    (pieces.round() as u64).clamp(1, most.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROWTH: Growth = Growth {
        data: 1000,
        memtable: 100,
        segment: 25,
        fan: 4,
        tiers: 3,
        per_extent: 5,
    };

    /// 1000 (1 - e^-0.1) distinct pieces, and 1000 (1 - 0.905^4) of four such tables.
    #[test]
    fn sizes_by_hand() {
        let sizing = GROWTH.sizing();
        assert_eq!(sizing.flushed, 95);
        assert_eq!(sizing.union([95; 4].into_iter()), 329);
        assert_eq!(sizing.union([1000, 329, 329, 329].into_iter()), 1000);
        assert_eq!(sizing.union([3].into_iter()), 3);
    }
}
