//! Start levels of reads over time: from which age of the data on reads start at each level, as the tables of a drive that learns them have it.

use wordline_units::SimTime;

/// Entries of a table: the levels from the second on.
const ENTRIES: usize = 6;
/// Changes that are kept at most.
const MOST: usize = 4_096;
/// Of the changes of a table in an interval of this length only the last is kept, where there are too many; ns. The interval doubles as often as
/// need be.
const FIRST: u64 = 1_000_000;

/// A change of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at: u64,
    table: u32,
    days: [u16; ENTRIES],
}

/// The tables of start levels over a run: what they held at first, and every change. Memory is flat: where there are too many changes, the last of
/// each table in an interval of time is kept.
#[derive(Clone, Debug, Default)]
pub struct StartLevels {
    /// Of each table the class of blocks and the program/erase cycles at which its band of wear begins.
    tables: Vec<(u8, u32)>,
    changes: Vec<Change>,
    /// Length of the intervals; 0 while every change is kept.
    interval: u64,
}

impl StartLevels {
    /// Of tables for these classes and bands of wear, with what they hold at first.
    #[must_use]
    pub fn new(tables: impl Iterator<Item = (u8, u32, [u16; ENTRIES])>) -> Self {
        let mut found = Self::default();
        for (number, (class, from, days)) in (0..).zip(tables) {
            found.tables.push((class, from));
            found.changes.push(Change {
                at: 0,
                table: number,
                days,
            });
        }
        found
    }

    /// Whether there are no tables.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// A table holds this from now on.
    pub fn changed(&mut self, now: SimTime, table: usize, days: [u16; ENTRIES]) {
        self.changes.push(Change {
            at: now.ns(),
            table: table as u32,
            days,
        });
        while self.changes.len() > MOST.max(2 * self.tables.len()) {
            self.interval = (2 * self.interval).max(FIRST);
            self.thin();
        }
    }

    /// Keeps of each table what it held at first, and of each interval its last change.
    fn thin(&mut self) {
        let first = self.tables.len();
        // by table, the interval of the change that was kept last, from the back
        let mut seen = vec![u64::MAX; first];
        let mut kept = Vec::with_capacity(MOST / 2);
        for change in self.changes[first..].iter().rev() {
            let seen = &mut seen[change.table as usize];
            let interval = change.at / self.interval;
            if *seen != interval {
                *seen = interval;
                kept.push(*change);
            }
        }
        kept.reverse();
        self.changes.truncate(first);
        self.changes.append(&mut kept);
    }

    /// Measuring begins: of the past stays what each table holds.
    pub(crate) fn restart(&mut self, now: SimTime) {
        let tables = 0..self.tables.len() as u32;
        let last = |table: u32| self.changes.iter().rev().find(|change| change.table == table);
        let held: Vec<Change> = tables
            .filter_map(last)
            .map(|change| Change {
                at: now.ns(),
                ..*change
            })
            .collect();
        self.changes = held;
        self.interval = 0;
    }

    /// The table, a row for each level of each change.
    #[must_use]
    pub fn columns(&self) -> StartLevelColumns {
        let mut columns = StartLevelColumns::default();
        for change in &self.changes {
            let (class, from_cycles) = self.tables[change.table as usize];
            for (level, days) in (2..).zip(change.days) {
                columns.at_ns.push(change.at);
                columns.class.push(class);
                columns.from_cycles.push(from_cycles);
                columns.level.push(level);
                columns.start_days.push(days);
            }
        }
        columns
    }
}

/// One row for each level of each table, at the start of the run and at each of its changes, one vector per column.
#[derive(Clone, Debug, Default)]
pub struct StartLevelColumns {
    /// When the table came to hold this, ns since the start of the run.
    pub at_ns: Vec<u64>,
    /// Class of the blocks: 0 for the normal one.
    pub class: Vec<u8>,
    /// Program/erase cycles of the blocks from which on the table holds.
    pub from_cycles: Vec<u32>,
    /// Sensing level, from 2.
    pub level: Vec<u8>,
    /// Age of the data from which on a read starts at the level or above, days.
    pub start_days: Vec<u16>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two tables, of which the second changes twice; measuring begins after the first change.
    #[test]
    fn a_small_run_by_hand() {
        let mut found = StartLevels::new([(0, 0, [511; 6]), (1, 1_000, [5; 6])].into_iter());
        found.changed(SimTime(30), 1, [3, 4, 5, 5, 5, 5]);
        let columns = found.columns();
        assert_eq!(columns.at_ns, [[0; 6], [0; 6], [30; 6]].concat());
        assert_eq!(columns.class, [[0; 6], [1; 6], [1; 6]].concat());
        assert_eq!(columns.from_cycles, [[0; 6], [1_000; 6], [1_000; 6]].concat());
        assert_eq!(columns.level[12..], [2, 3, 4, 5, 6, 7]);
        assert_eq!(columns.start_days[12..], [3, 4, 5, 5, 5, 5]);
        found.restart(SimTime(40));
        found.changed(SimTime(50), 0, [7; 6]);
        let columns = found.columns();
        assert_eq!(columns.at_ns, [[40; 6], [40; 6], [50; 6]].concat());
        assert_eq!(
            columns.start_days,
            [[511; 6], [3, 4, 5, 5, 5, 5], [7; 6]].concat()
        );
    }

    proptest! {
        /// However many changes there are, they are kept in order and in bounds, with the first and the last of every table.
        #[test]
        fn the_ends_are_kept(steps in prop::collection::vec((0_u64..100_000, 0_usize..3), 1..400), repeated in 1_u64..60) {
            let mut found = StartLevels::new((0..3).map(|class| (class, 0, [511; 6])));
            let (mut now, mut last) = (0, [511; 3]);
            for round in 0..repeated {
                for (step, (later, table)) in (0..).zip(&steps) {
                    now += later;
                    let days = ((round * 7 + step) % 500) as u16;
                    last[*table] = days;
                    found.changed(SimTime(now), *table, [days; 6]);
                }
            }
            let columns = found.columns();
            prop_assert!(columns.at_ns.len() <= 6 * MOST && columns.at_ns.is_sorted());
            prop_assert_eq!(&columns.start_days[..18], &[511; 18]);
            for (class, days) in (0..).zip(last) {
                let rows = (0..columns.class.len()).rev();
                let row = rows.into_iter().find(|row| columns.class[*row] == class).unwrap();
                prop_assert_eq!(columns.start_days[row], days);
            }
        }
    }
}
