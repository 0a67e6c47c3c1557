//! Start levels by the age of the data: from which age on a read starts at each level, learned from reads that had to be
//! tried again (J. Cui et al., DLV, IEEE TCAD 2018, the SL tables of its read scheduler).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use crate::error::{EccError, require};
use crate::ldpc::level::{LEVELS, Level};

/// Levels that have an entry: all but the first.
const ENTRIES: usize = LEVELS - 1;

/// The greatest age that is told apart, in days: an entry has 9 bits (DLV).
pub const MOST_DAYS: u16 = 511;

/// Bands of wear beside the first.
const MOST_BANDS: usize = 9;

/// What happens to the entry of a level when reads that start there have succeeded at once for a while, so that a single page
/// which needed more does not raise the level of all others of its age for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relax {
    /// The age from which on reads start at the level rises by a day: pages of just that age start a level lower.
    #[default]
    RaiseStartAge,
    /// It falls by a day. This is what DLV says in words, against the aim that it gives.
    LowerStartAge,
    /// Nothing.
    Off,
}

/// Start levels that are learned by age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StartAgesConfig {
    /// Age of the data in days, 0 to 511, from which on a read starts at levels 2 to 7, not decreasing. By default nothing is known,
    /// and every read of data younger than 511 days starts at level 1.
    pub initial: [u16; ENTRIES],
    /// What happens to the age of a level when `period` reads that started there have succeeded at once.
    pub relax: Relax,
    /// Reads that start at a level and succeed at once until `relax` applies (DLV: 100).
    #[schemars(range(min = 1, max = MANY))]
    pub period: u32,
    /// Program/erase cycles at which a further table begins, which learns by itself: up to nine, rising, above 0 (DLV: up to ten tables).
    /// Blocks of each class have tables of their own in any case.
    pub wear_bands: Vec<u32>,
}

impl Default for StartAgesConfig {
    fn default() -> Self {
        Self {
            initial: [MOST_DAYS; ENTRIES],
            relax: Relax::default(),
            period: 100,
            wear_bands: Vec::new(),
        }
    }
}

impl StartAgesConfig {
    /// The table of these values.
    ///
    /// # Errors
    /// Ages that decrease or are above 511 days; a period of 0; bands of wear that do not rise, or too many.
    pub fn build(&self) -> Result<StartAges, EccError> {
        let rises = self.initial.windows(2).all(|pair| pair[0] <= pair[1]);
        require(
            rises && self.initial[ENTRIES - 1] <= MOST_DAYS,
            "ages.initial",
            format!("{:?}", self.initial),
            || {
                format!(
                    "accepted are six ages of 0 to {MOST_DAYS} days, for levels 2 to 7, none below the one before"
                )
            },
        )?;
        require(self.period > 0, "ages.period", self.period, || {
            "accepted is 1 or more; `relax = \"off\"` switches relaxation off".to_owned()
        })?;
        let bands = &self.wear_bands;
        let rise =
            bands.first().is_none_or(|first| *first > 0) && bands.windows(2).all(|pair| pair[0] < pair[1]);
        require(
            rise && bands.len() <= MOST_BANDS,
            "ages.wear_bands",
            format!("{bands:?}"),
            || {
                format!(
                    "accepted are up to {MOST_BANDS} numbers of cycles above 0, each above the one before"
                )
            },
        )?;
        Ok(StartAges {
            days: self.initial,
            successes: [0; ENTRIES],
            relax: self.relax,
            period: self.period,
        })
    }
}

/// From which age on reads start at each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartAges {
    /// Age in days, of levels 2 to 7: it does not decrease.
    days: [u16; ENTRIES],
    /// Reads that started at the level and succeeded at once, since its age last changed by that.
    successes: [u32; ENTRIES],
    relax: Relax,
    period: u32,
}

/// The entry of a level, where it has one.
fn entry(level: Level) -> Option<usize> {
    level.index().checked_sub(1)
}

impl StartAges {
    /// Ages in days from which on reads start at levels 2 to 7.
    #[must_use]
    pub const fn days(&self) -> [u16; ENTRIES] {
        self.days
    }

    /// The level at which a read of data of so many days starts: the highest whose age they have.
    #[must_use]
    pub fn start(&self, days: u16) -> Level {
        let known = |level: &Level| entry(*level).is_none_or(|entry| self.days[entry] <= days);
        Level::all().rev().find(known).unwrap_or(Level::HARD)
    }

    /// A read of data of so many days, which started at level `first`, has succeeded at level `last`.
    pub fn succeeded(&mut self, first: Level, last: Level, days: u16) {
        let Some(reached) = entry(last) else {
            return;
        };
        if last > first {
            for start in &mut self.days[..=reached] {
                *start = (*start).min(days);
            }
            return;
        }
        self.successes[reached] += 1;
        if self.successes[reached] < self.period {
            return;
        }
        self.successes[reached] = 0;
        self.days[reached] = match self.relax {
            Relax::RaiseStartAge => {
                let next = self.days.get(reached + 1).copied().unwrap_or(MOST_DAYS);
                (self.days[reached] + 1).min(next)
            }
            Relax::LowerStartAge => {
                let before = reached.checked_sub(1).map_or(0, |before| self.days[before]);
                self.days[reached].saturating_sub(1).max(before)
            }
            Relax::Off => self.days[reached],
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ldpc::{Ldpc, Start};

    fn level(level: u32) -> Level {
        Level::new(level).unwrap()
    }

    /// The table of the specification's example.
    fn example() -> StartAges {
        let config = StartAgesConfig {
            initial: [14, 30, 42, 56, 70, 85],
            ..StartAgesConfig::default()
        };
        config.build().unwrap()
    }

    /// Reads a page of an age that needs a level: attempts, and nanoseconds.
    fn read(table: &mut StartAges, days: u16, needed: u32) -> (u32, f64) {
        let ldpc = Ldpc::default();
        let rber = ldpc.thresholds.of(level(needed));
        let read = ldpc.read(Start::At(table.start(days)), |_| rber);
        assert!(read.is_corrected);
        table.succeeded(read.first, read.last, days);
        (read.attempts(), ldpc.read_ns(read))
    }

    fn close(found: f64, us: f64) {
        assert!((found - 1e3 * us).abs() < 1.0, "{found} ns instead of {us} us");
    }

    /// DLV's example: an entry is learned, used, and given up again.
    #[test]
    fn a_level_is_learned_and_relaxed() {
        let mut table = example();
        let (attempts, ns) = read(&mut table, 29, 3);
        assert_eq!((attempts, table.days()), (2, [14, 29, 42, 56, 70, 85]));
        close(ns, 70.952);
        let (attempts, ns) = read(&mut table, 29, 3);
        assert_eq!(attempts, 1);
        close(ns, 41.905);
        // without a table every level is tried
        let ldpc = Ldpc::default();
        let conventional = ldpc.read(Start::At(Level::HARD), |_| 0.0095);
        close(ldpc.read_ns(conventional), 85.476);
        for _ in 1..99 {
            read(&mut table, 29, 3);
            assert_eq!(table.days()[1], 29);
        }
        read(&mut table, 29, 3);
        assert_eq!(table.days(), [14, 30, 42, 56, 70, 85]);
    }

    /// A page that needs far more than others of its age.
    #[test]
    fn an_outlier_loses_its_influence() {
        let mut table = example();
        let (attempts, ns) = read(&mut table, 27, 6);
        assert_eq!((attempts, table.days()), (5, [14, 27, 27, 27, 27, 85]));
        close(ns, 278.810);
        for _ in 0..100 {
            assert_eq!(table.start(27), level(6));
            let (attempts, ns) = read(&mut table, 27, 3);
            assert_eq!(attempts, 1);
            close(ns, 82.143);
        }
        assert_eq!(table.days(), [14, 27, 27, 27, 28, 85]);
        assert_eq!(table.start(27), level(5));
    }

    #[test]
    fn ages_between_entries() {
        let table = example();
        let starts = [(13, 1), (14, 2), (29, 2), (30, 3), (84, 6), (85, 7), (511, 7)];
        for (days, start) in starts {
            assert_eq!(table.start(days), level(start), "{days} days");
        }
    }

    #[test]
    fn the_literal_reading_lowers_the_age() {
        let config = StartAgesConfig {
            initial: [1, 1, 5, 5, 511, 511],
            relax: Relax::LowerStartAge,
            period: 1,
            ..StartAgesConfig::default()
        };
        let mut table = config.build().unwrap();
        table.succeeded(level(5), level(5), 9);
        // no lower than the age of the level below
        assert_eq!(table.days(), [1, 1, 5, 5, 511, 511]);
        table.succeeded(level(2), level(2), 3);
        table.succeeded(level(2), level(2), 3);
        assert_eq!(table.days(), [0, 1, 5, 5, 511, 511]);
        // level 1 has no entry
        table.succeeded(level(1), level(1), 0);
        assert_eq!(table.days(), [0, 1, 5, 5, 511, 511]);
    }

    #[test]
    fn bad_input_is_refused() {
        for (initial, period) in [
            ([14, 13, 42, 56, 70, 85], 100),
            ([14, 30, 42, 56, 70, 512], 100),
            ([14, 30, 42, 56, 70, 85], 0),
        ] {
            let config = StartAgesConfig {
                initial,
                period,
                ..StartAgesConfig::default()
            };
            let refused = config.build().unwrap_err();
            assert!(refused.key.starts_with("ages."), "{refused}");
        }
    }

    proptest! {
        /// Ages stay in their order and range, a read takes max(1, needed - start + 1) attempts, and a table of zeros never
        /// tries again.
        #[test]
        fn ages_do_not_decrease(
            reads in proptest::collection::vec((0_u16..=MOST_DAYS, 1_u32..=7), 1..300),
            period in 1_u32..5,
            relax in prop_oneof![Just(Relax::RaiseStartAge), Just(Relax::LowerStartAge), Just(Relax::Off)],
        ) {
            let config = StartAgesConfig { relax, period, ..StartAgesConfig::default() };
            let mut table = config.build().unwrap();
            let zeros = StartAgesConfig { initial: [0; 6], relax: Relax::Off, period, ..StartAgesConfig::default() };
            let mut zeros = zeros.build().unwrap();
            for (days, needed) in reads {
                let start = u32::from(table.start(days).get());
                let (attempts, ns) = read(&mut table, days, needed);
                prop_assert_eq!(attempts, (needed + 1).saturating_sub(start).max(1));
                prop_assert!(table.days().windows(2).all(|pair| pair[0] <= pair[1]));
                prop_assert!(table.days()[5] <= MOST_DAYS);
                if attempts > 1 {
                    prop_assert!(u32::from(table.start(days).get()) >= needed);
                }
                let (attempts, highest_ns) = read(&mut zeros, days, needed);
                prop_assert_eq!(attempts, 1);
                let ldpc = Ldpc::default();
                let exact_ns = ldpc.read_ns(ldpc.read(Start::At(level(needed)), |_| 0.0));
                prop_assert!(exact_ns <= highest_ns && exact_ns <= ns);
            }
        }
    }
}
