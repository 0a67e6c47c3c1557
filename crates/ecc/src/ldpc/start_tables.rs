//! Start levels by age for blocks that differ: a table for each class of blocks and each band of wear (J. Cui et al., DLV, IEEE TCAD
//! 2018, which has up to ten tables).

use crate::error::EccError;
use crate::ldpc::start_ages::{StartAges, StartAgesConfig};

/// From which age on reads start at each level, by class of block and band of wear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartTables {
    /// Cycles at which the next band of wear begins.
    bands: Vec<u32>,
    /// By class, and within it by band.
    tables: Vec<StartAges>,
}

impl StartTables {
    /// Tables that have learned nothing yet, for blocks of so many classes, at least 1.
    ///
    /// # Errors
    /// As for [`StartAgesConfig::build`].
    pub fn new(config: &StartAgesConfig, classes: u8) -> Result<Self, EccError> {
        let count = usize::from(classes.max(1)) * (config.wear_bands.len() + 1);
        Ok(Self {
            tables: vec![config.build()?; count],
            bands: config.wear_bands.clone(),
        })
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
    use crate::ldpc::Level;

    #[test]
    fn what_is_learned_stays_in_its_class_and_band() {
        let config = StartAgesConfig {
            wear_bands: vec![1_000, 3_000],
            ..StartAgesConfig::default()
        };
        let mut tables = StartTables::new(&config, 2).unwrap();
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

    #[test]
    fn bands_that_do_not_rise_are_refused() {
        for wear_bands in [vec![0], vec![5, 5], (1..=10).collect()] {
            let config = StartAgesConfig {
                wear_bands,
                ..StartAgesConfig::default()
            };
            let refused = StartTables::new(&config, 1).unwrap_err();
            assert_eq!(refused.key, "ages.wear_bands", "{refused}");
        }
    }
}
