//! Start levels by age for blocks that differ: a table for each class of blocks and each band of wear (J. Cui et al., DLV, IEEE TCAD
//! 2018, which has up to ten tables).

use std::ops::Range;

use crate::error::EccError;
use crate::ldpc::start_ages::{ENTRIES, StartAges, StartAgesConfig};

/// From which age on reads start at each level, by class of block and band of wear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartTables {
    /// Cycles at which the next band of wear begins.
    bands: Vec<u32>,
    /// By class, and within it by band.
    tables: Vec<StartAges>,
}

impl StartTables {
    /// Tables that have learned nothing yet, for blocks of so many classes, at least 1. `model` tells the ages of the model for a class and a band
    /// of program/erase cycles, where tables begin with these.
    ///
    /// # Errors
    /// As for [`StartAgesConfig::build`].
    pub fn new(
        config: &StartAgesConfig,
        classes: u8,
        model: impl Fn(u8, Range<u32>) -> [u16; ENTRIES],
    ) -> Result<Self, EccError> {
        let bands = &config.wear_bands;
        let from = |band: usize| band.checked_sub(1).map_or(0, |place| bands[place]);
        let cycles = |band: usize| from(band)..bands.get(band).copied().unwrap_or(u32::MAX);
        let all = (0..classes.max(1)).flat_map(|class| (0..=bands.len()).map(move |band| (class, band)));
        let tables = all.map(|(class, band)| config.build(|| model(class, cycles(band))));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            bands: bands.clone(),
        })
    }

    /// Of every table its class, the cycles at which its band begins, and the table.
    pub fn all(&self) -> impl Iterator<Item = (u8, u32, &StartAges)> {
        let per_class = self.bands.len() + 1;
        self.tables.iter().enumerate().map(move |(place, table)| {
            let from = (place % per_class)
                .checked_sub(1)
                .map_or(0, |band| self.bands[band]);
            ((place / per_class) as u8, from, table)
        })
    }

    /// The number of the table for blocks of a class that have gone through so many program/erase cycles, as [`Self::all`] counts them.
    #[must_use]
    pub fn number(&self, class: u8, cycles: u32) -> usize {
        self.place(class, cycles)
    }

    /// The table for blocks of a class that have gone through so many program/erase cycles. A class that there is not has that of the
    /// last one.
    #[must_use]
    pub fn of(&self, class: u8, cycles: u32) -> &StartAges {
        &self.tables[self.place(class, cycles)]
    }

    /// The same, to be taught.
    pub fn of_mut(&mut self, class: u8, cycles: u32) -> &mut StartAges {
        let place = self.place(class, cycles);
        &mut self.tables[place]
    }

    fn place(&self, class: u8, cycles: u32) -> usize {
        let per_class = self.bands.len() + 1;
        let class = usize::from(class).min(self.tables.len() / per_class - 1);
        class * per_class + self.bands.partition_point(|from| *from <= cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldpc::{InitialAges, InitialRule, Level};

    #[test]
    fn what_is_learned_stays_in_its_class_and_band() {
        let config = StartAgesConfig {
            wear_bands: vec![1_000, 3_000],
            ..StartAgesConfig::default()
        };
        let mut tables = StartTables::new(&config, 2, |_, _| [511; ENTRIES]).unwrap();
        let third = Level::new(3).unwrap();
        tables.of_mut(1, 1_000).succeeded(Level::HARD, third, 20);
        for (class, cycles, level) in [
            (1, 1_000, third),
            (1, 2_999, third),
            (1, 999, Level::HARD),
            (1, 3_000, Level::HARD),
            (0, 1_000, Level::HARD),
            // the last class there is
            (2, 1_000, third),
        ] {
            assert_eq!(
                tables.of(class, cycles).start(20),
                level,
                "class {class}, {cycles} cycles"
            );
        }
    }

    /// Each table asks the model for its own class and cycles, and is found by them.
    #[test]
    fn tables_begin_with_the_ages_of_the_model() {
        let config = StartAgesConfig {
            initial: InitialAges::Rule(InitialRule::Model),
            wear_bands: vec![1_000, 3_000],
            ..StartAgesConfig::default()
        };
        let model = |class: u8, cycles: Range<u32>| {
            let first = u16::from(class) * 100 + (cycles.start / 100) as u16;
            assert_eq!(cycles.contains(&2_000), cycles.start == 1_000);
            [first; ENTRIES]
        };
        let tables = StartTables::new(&config, 2, model).unwrap();
        let found: Vec<(u8, u32, u16)> = tables
            .all()
            .map(|(class, from, ages)| (class, from, ages.days()[0]))
            .collect();
        let expected = [
            (0, 0, 0),
            (0, 1_000, 10),
            (0, 3_000, 30),
            (1, 0, 100),
            (1, 1_000, 110),
            (1, 3_000, 130),
        ];
        assert_eq!(found, expected);
        assert_eq!(tables.number(1, 2_999), 4);
    }

    #[test]
    fn bands_that_do_not_rise_are_refused() {
        for wear_bands in [vec![0], vec![5, 5], (1..=10).collect()] {
            let config = StartAgesConfig {
                wear_bands,
                ..StartAgesConfig::default()
            };
            let refused = StartTables::new(&config, 1, |_, _| [511; ENTRIES]).unwrap_err();
            assert_eq!(refused.key, "ages.wear_bands", "{refused}");
        }
    }
}
