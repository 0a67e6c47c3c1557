//! Start levels by the age of the data: from which age on a read starts at each level, learned from reads that had to be
//! tried again (J. Cui et al., DLV, IEEE TCAD 2018, the SL tables of its read scheduler).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use crate::error::{EccError, require};
use crate::ldpc::level::{LEVELS, Level};
use crate::ldpc::thresholds::Thresholds;

/// Levels that have an entry in a table of start levels: all but the first.
pub const ENTRIES: usize = LEVELS - 1;

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

/// Ages with which tables of start levels begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "accepted are \"model\" and a list of six ages in days")]
pub enum InitialAges {
    /// Where they come from.
    Rule(InitialRule),
    /// Ages in days of levels 2 to 7, not decreasing, the same in all tables.
    Days([u16; ENTRIES]),
}

/// Where the ages come from with which tables begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InitialRule {
    /// From the cells of the drive: the first whole day at which the weakest block of the class needs the level, at the cycles with which the drive
    /// begins where these lie in the band of wear, else at those at which the band begins.
    Model,
}

/// Start levels that are learned by age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StartAgesConfig {
    /// Age of the data in days, 0 to 511, from which on a read starts at levels 2 to 7, not decreasing; or `"model"`, the ages from which on the
    /// weakest block of each class needs the level, by the model of the cells. By default nothing is known, and every read of data younger
    /// than 511 days starts at level 1.
    pub initial: InitialAges,
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
            initial: InitialAges::Days([MOST_DAYS; ENTRIES]),
            relax: Relax::default(),
            period: 100,
            wear_bands: Vec::new(),
        }
    }
}

impl StartAgesConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// As for [`Self::build`].
    pub fn check(&self) -> Result<(), EccError> {
        self.build(|| [MOST_DAYS; ENTRIES]).map(|_| ())
    }

    /// The table of these values; `model` tells the ages of the model, where the table begins with these.
    ///
    /// # Errors
    /// Ages that decrease or are above 511 days; a period of 0; bands of wear that do not rise, or too many.
    pub fn build(&self, model: impl FnOnce() -> [u16; ENTRIES]) -> Result<StartAges, EccError> {
        let days = match self.initial {
            InitialAges::Days(days) => days,
            InitialAges::Rule(InitialRule::Model) => model(),
        };
        let rises = days.windows(2).all(|pair| pair[0] <= pair[1]);
        require(
            rises && days[ENTRIES - 1] <= MOST_DAYS,
            "ages.initial",
            format!("{days:?}"),
            || {
                format!(
                    "accepted are six ages of 0 to {MOST_DAYS} days, for levels 2 to 7, none below the one before, and \"model\""
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
            days,
            successes: [0; ENTRIES],
            relax: self.relax,
            period: self.period,
        })
    }
}

/// The first whole day, up to [`MOST_DAYS`], at which data need each level from the second on, if their error rate is `rate` of their age in
/// days and does not fall with it; [`MOST_DAYS`] where they never do.
#[must_use]
pub fn needed_from(thresholds: &Thresholds, rate: impl Fn(f64) -> f64) -> [u16; ENTRIES] {
    let mut entries = [MOST_DAYS; ENTRIES];
    for (level, entry) in Level::all().zip(&mut entries) {
        // a level is needed as soon as the one below it fails
        let (mut from, mut to) = (0, MOST_DAYS);
        while from < to {
            let middle = from.midpoint(to);
            if rate(f64::from(middle)) > thresholds.of(level) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        *entry = from;
    }
    entries
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

    fn no_model() -> [u16; ENTRIES] {
        panic!("the ages are given")
    }

    /// The rate rises by 0.001 in a day: the thresholds 0.0044, 0.0076, 0.0095, 0.0104, 0.0108 and 0.0110 are passed on days 5, 8, 10, 11, 11 and
    /// 12; one that stays below them needs no level ever, and one that is above all of them needs every level at once.
    #[test]
    fn ages_of_a_model_by_hand() {
        let thresholds = Thresholds::default();
        // 0.0110 itself is still read
        let days = needed_from(&thresholds, |days| 0.001 * days);
        assert_eq!(days, [5, 8, 10, 11, 11, 12]);
        assert_eq!(needed_from(&thresholds, |_| 0.0044), [MOST_DAYS; ENTRIES]);
        assert_eq!(needed_from(&thresholds, |_| 0.2), [0; ENTRIES]);
        let config = StartAgesConfig {
            initial: InitialAges::Rule(InitialRule::Model),
            ..StartAgesConfig::default()
        };
        assert_eq!(config.build(|| days).unwrap().days(), days);
    }

    /// The table of the specification's example.
    fn example() -> StartAges {
        let config = StartAgesConfig {
            initial: InitialAges::Days([14, 30, 42, 56, 70, 85]),
            ..StartAgesConfig::default()
        };
        config.build(no_model).unwrap()
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
            initial: InitialAges::Days([1, 1, 5, 5, 511, 511]),
            relax: Relax::LowerStartAge,
            period: 1,
            ..StartAgesConfig::default()
        };
        let mut table = config.build(no_model).unwrap();
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
                initial: InitialAges::Days(initial),
                period,
                ..StartAgesConfig::default()
            };
            let refused = config.build(no_model).unwrap_err();
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
            let mut table = config.build(no_model).unwrap();
            let zeros = StartAgesConfig { initial: InitialAges::Days([0; 6]), relax: Relax::Off, period, ..StartAgesConfig::default() };
            let mut zeros = zeros.build(no_model).unwrap();
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
