//! Classes of blocks: modes of `[[modes]]` that the strongest blocks have as a whole.

use wordline_cell::{CellConfig, CellError, Reliability as Cells};
use wordline_ftl::{BlockClasses, KnownFeature};
use wordline_keys::RefusedValue;
use wordline_nand::Geometry;
use wordline_units::Seed;

use crate::conflict::{COPYBACK, Feature, PAGE_MODES, SMALL_UNITS, mapping_without, named, rules_out};
use crate::reliability::ReliabilityError;
use crate::{Config, ModeConfig};

/// The controller has up to two bits for each block that say its class (DLV, section 4).
const MOST_CLASSES: usize = 3;

/// Modes with quantiles.
pub(crate) const BLOCK_CLASSES: Feature = Feature {
    name: "classes of blocks",
    with: "where modes have quantiles and are classes of blocks",
    is_on: Config::has_block_classes,
    example: &[(
        "modes",
        "[{name = \"strong\", quantile = 0.5, t_prog = \"100 us\"}]",
    )],
    conflicts: &[
        PAGE_MODES,
        rules_out(
            "ftl.mapping",
            |config| mapping_without(config, KnownFeature::BlockClasses),
            "\"page\"",
            &[("ftl.mapping", "delta")],
        ),
        rules_out(
            "ftl.mapping_unit",
            |config| config.ftl.mapping_unit.map(|unit| unit.to_string()),
            "left out",
            SMALL_UNITS,
        ),
        rules_out(
            "ftl.hot.classifier",
            |config| {
                let name = config.ftl.hot.classifier.name();
                named(name != "none", name)
            },
            "\"none\"",
            &[("ftl.hot.classifier", "multi_bloom")],
        ),
        rules_out(
            "ftl.placement.directive",
            |config| {
                let name = config.ftl.placement.directive.name();
                named(name != "none", name)
            },
            "\"none\"",
            &[("ftl.placement.directive", "streams")],
        ),
        COPYBACK,
    ],
};

fn refused(found: impl ToString, accepted: impl ToString) -> RefusedValue {
    RefusedValue::new("modes", found.to_string(), accepted.to_string())
}

impl Config {
    /// Whether the modes are classes of blocks.
    #[must_use]
    pub fn has_block_classes(&self) -> bool {
        self.modes.iter().any(|mode| mode.quantile.is_some())
    }

    /// Classes of blocks beside the normal one.
    #[must_use]
    pub fn strong_classes(&self) -> u8 {
        let classes = self.modes.iter().filter(|mode| mode.quantile.is_some());
        u8::try_from(classes.count()).unwrap_or(u8::MAX)
    }

    /// The cells of the drive as a file of cells describes them.
    #[must_use]
    pub fn cell_config(&self) -> CellConfig {
        CellConfig {
            bits_per_cell: self.geometry.cell_type.bits(),
            ber_reading: self.cell.ber_reading,
            vth: self.cell.vth.clone(),
            rber: self.cell.rber.clone(),
            process_variation: self.cell.process_variation,
            retention: self.cell.retention,
            ..CellConfig::default()
        }
    }

    /// The cells of the drive, whose pages are all programmed in the normal step.
    pub(crate) fn cells(&self) -> Result<Cells, CellError> {
        Cells::new(&self.cell_config(), Seed(self.seed))
    }

    /// Erases of a block for which classes of blocks are laid out.
    fn design_cycles(&self) -> u32 {
        self.cell.design_cycles.unwrap_or(self.age.initial_cycles)
    }

    /// The program step of a mode: as given or, of a class of blocks without times of its own, the largest with which the class keeps the
    /// error rate of the weakest block at `cell.design_age` and `cell.design_cycles`.
    ///
    /// # Errors
    /// Cells that are refused; no step that keeps it.
    pub(crate) fn step_of_mode(&self, mode: &ModeConfig) -> Result<Option<f64>, RefusedValue> {
        let Some(quantile) = mode
            .quantile
            .filter(|_| mode.step.is_none() && mode.t_prog.is_none())
        else {
            return Ok(mode.step);
        };
        let classes = self
            .cells()
            .and_then(|cells| cells.classes(self.design_cycles(), &[quantile]));
        let classes = classes.map_err(|error| {
            refused(
                format!("a class with quantile = {quantile}"),
                format!(
                    "t_prog or step given where the program step does not follow from the cells, here after {} erases \
                     (cell.design_cycles; if unset, age.initial_cycles): {error}",
                    self.design_cycles()
                ),
            )
        })?;
        Ok(classes.first().map(|class| class.step))
    }

    /// The largest factor of the error rates of each class of blocks, that of the normal one first; of the normal one alone where the modes are no
    /// classes.
    ///
    /// # Errors
    /// Cells that are refused.
    pub fn weakest_factors(&self, cells: &Cells) -> Result<Vec<f64>, CellError> {
        let quantiles = self.modes.iter().filter_map(|mode| mode.quantile);
        let strong = quantiles.map(|quantile| cells.variation().quantile(quantile));
        std::iter::once(Ok(cells.variation().bounds().1))
            .chain(strong)
            .collect()
    }

    /// The class of every block, by the factor of its error rates; none where the modes are no classes of blocks.
    ///
    /// # Errors
    /// Cells that are refused.
    pub fn block_classes(&self, geometry: &Geometry) -> Result<Option<BlockClasses>, ReliabilityError> {
        if !self.has_block_classes() {
            return Ok(None);
        }
        let cells = self.cells()?;
        let weakest = self.weakest_factors(&cells)?;
        let bounds = &weakest[1..];
        let class_of = |block: u32| {
            let factor = f64::from(cells.factor(u64::from(block)));
            bounds
                .iter()
                .position(|bound| factor <= *bound)
                .map_or(0, |place| place as u8 + 1)
        };
        let of_block = (0..geometry.blocks()).map(class_of).collect();
        Ok(Some(BlockClasses::new(self.mode_names(), of_block)))
    }

    /// Checks classes of blocks, if the modes are that.
    pub(crate) fn check_block_classes(&self) -> Result<(), RefusedValue> {
        if !self.has_block_classes() {
            return Ok(());
        }
        let quantiles: Vec<f64> = self.modes.iter().filter_map(|mode| mode.quantile).collect();
        if quantiles.len() < self.modes.len() {
            let found = format!(
                "{} of {} modes with a quantile",
                quantiles.len(),
                self.modes.len()
            );
            return Err(refused(found, "a quantile for each mode, or for none"));
        }
        let within = quantiles.iter().all(|share| *share > 0.0 && *share < 1.0);
        if !within || quantiles.windows(2).any(|pair| pair[0] >= pair[1]) {
            let accepted = "shares above 0 and below 1, strictly increasing";
            return Err(refused(format!("modes with quantiles {quantiles:?}"), accepted));
        }
        if quantiles.len() > MOST_CLASSES {
            let accepted = format!(
                "up to {MOST_CLASSES} beside the normal one: the controller keeps two bits for each block"
            );
            return Err(refused(
                format!("{} classes of blocks", quantiles.len()),
                accepted,
            ));
        }
        let described = self.described_modes()?;
        let (normal, strong) = described.split_at(1);
        let mut faster_than = strong.iter().zip(strong.iter().skip(1).chain(normal));
        if let Some((one, next)) = faster_than.find(|(one, next)| one.program_time > next.program_time) {
            let found = format!(
                "mode \"{}\" of {} before \"{}\" of {}",
                one.name, one.program_time, next.name, next.program_time
            );
            return Err(refused(
                found,
                "classes of blocks each as fast as the next or faster, none slower than the normal one",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::{CellType, PerPageType};
    use wordline_units::Duration;

    use super::*;

    fn class(quantile: f64) -> ModeConfig {
        ModeConfig {
            name: format!("up-to-{}", (quantile * 100.0) as u32),
            quantile: Some(quantile),
            ..ModeConfig::default()
        }
    }

    /// The drive of DLV: 600 us at a step of 0.3 V, 3000 cycles.
    fn with(modes: Vec<ModeConfig>) -> Config {
        let mut config = Config {
            modes,
            ..Config::default()
        };
        config.timing.t_prog = PerPageType::All(Duration::from_us(600));
        config.geometry.cell_type = CellType::Mlc;
        config.cell.vth.step = 0.3163;
        config.age.initial_cycles = 3000;
        config
    }

    /// Times of four classes that the specification gives: 459.5, 489.9, 522.1 and 600 us.
    #[test]
    fn times_follow_from_the_cells() {
        let config = with([0.25, 0.5, 0.75].map(class).to_vec());
        let found: Vec<f64> = config
            .described_modes()
            .unwrap()
            .iter()
            .map(|mode| (mode.program_time.ns() as f64 / 100.0).round() / 10.0)
            .collect();
        assert_eq!(found, [600.0, 459.5, 489.9, 522.1]);
        config.check_modes().unwrap();
        // a drive that goes on from a saved state says nothing of its cycles
        let mut later = config.clone();
        later.age.initial_cycles = 0;
        assert!(later.described_modes().is_err());
        later.cell.design_cycles = Some(3000);
        assert_eq!(
            later.described_modes().unwrap(),
            config.described_modes().unwrap()
        );
        // given ones stand
        let given = ModeConfig {
            t_prog: Some(PerPageType::All(Duration::from_us(300))),
            ..class(0.25)
        };
        assert_eq!(
            config.program_time_of_mode(&given),
            Ok(PerPageType::All(Duration::from_us(300)))
        );
        assert_eq!(config.step_of_mode(&given), Ok(None));
    }

    /// The share of blocks in each class is the one asked for, and strong blocks have lower factors.
    #[test]
    fn blocks_are_in_the_class_of_their_factor() {
        let mut config = with([0.25, 0.5].map(class).to_vec());
        config.geometry.blocks_per_plane = 4096;
        let geometry = config.array_geometry().unwrap();
        let classes = config.block_classes(&geometry).unwrap().unwrap();
        let share = |class: u8| {
            let of_class = (0..geometry.blocks()).filter(|block| classes.of_block(*block) == class);
            of_class.count() as f64 / f64::from(geometry.blocks())
        };
        for (class, expected) in [(1, 0.25), (2, 0.25), (0, 0.5)] {
            assert!(
                (share(class) - expected).abs() < 0.02,
                "{class}: {}",
                share(class)
            );
        }
        let cells = config.cells().unwrap();
        let most = |class: u8| {
            let blocks = (0..geometry.blocks()).filter(|block| classes.of_block(*block) == class);
            blocks
                .map(|block| cells.factor(u64::from(block)))
                .fold(0.0, f32::max)
        };
        // 0.8445 and 1 by the specification
        assert!(most(1) < 0.8446 && most(2) < 1.0001 && most(0) > 1.4);
    }

    #[test]
    fn refusals_name_what_was_found() {
        let slow = ModeConfig {
            t_prog: Some(PerPageType::All(Duration::from_us(601))),
            ..class(0.25)
        };
        let plain = ModeConfig {
            name: "plain".to_owned(),
            ..ModeConfig::default()
        };
        for (modes, found) in [
            (vec![class(0.25), class(0.25)], "none"),
            (vec![class(0.5), class(0.25)], "[0.5, 0.25]"),
            (vec![class(0.0)], "[0.0]"),
            (vec![class(1.0)], "[1.0]"),
            (vec![class(0.25), plain], "1 of 2 modes"),
            ([0.1, 0.2, 0.3, 0.4].map(class).to_vec(), "4 classes"),
            (vec![slow], "601 us"),
        ] {
            let error = with(modes).check_modes().unwrap_err();
            assert!(error.found.contains(found) || found == "none", "{}", error.found);
        }
    }
}
