//! Whether epochs and rates that were loaded are those of the drive.

use wordline_ftl::archive::{ArchiveError, require};

use super::{Epoch, EpochLedger, GroupRate, MOST_EPOCHS, WearRates};
use crate::checks::{StudySizes, require_finite};

impl EpochLedger {
    /// Checks what was loaded.
    pub(crate) fn check(&self, sizes: StudySizes) -> Result<(), ArchiveError> {
        require(
            self.epochs.len() <= MOST_EPOCHS,
            "more epochs than are remembered",
        )?;
        self.epochs.iter().try_for_each(|epoch| epoch.check(sizes))
    }
}

impl Epoch {
    fn check(&self, sizes: StudySizes) -> Result<(), ArchiveError> {
        require(
            self.groups.len() == sizes.groups && self.blocks.len() == sizes.blocks,
            "an epoch of another drive",
        )?;
        require(self.length >= 1.0, "an epoch without length")?;
        require_finite([self.length])?;
        require_finite(self.shape)?;
        // `elasticity` returns at least 0.01
        let elastic = self.groups.iter().all(|of| of.elasticity > 0.0);
        require(elastic, "wear that does not fall with longer rests")?;
        let groups = self.groups.iter();
        require_finite(groups.flat_map(|of| [of.cycles, of.erases, of.gain]))?;
        let blocks = self.blocks.iter();
        require_finite(blocks.flat_map(|of| [of.cycles, of.erases, of.rests].map(f64::from)))
    }
}

impl WearRates {
    /// Checks what was loaded.
    pub(crate) fn check(&self, sizes: StudySizes) -> Result<(), ArchiveError> {
        require(
            self.groups.len() == sizes.groups
                && self.blocks_per_group * sizes.groups == sizes.blocks
                && [self.erases.len(), self.rests.len()] == [sizes.blocks; 2],
            "rates of another drive",
        )?;
        require_finite(self.erases.iter().chain(&self.rests).copied())?;
        self.groups.iter().try_for_each(GroupRate::check)
    }
}

impl GroupRate {
    fn check(&self) -> Result<(), ArchiveError> {
        // at most one erase in a nanosecond
        let possible = (0.0..=1.0).contains(&self.erases) && self.wear_variance >= 0.0;
        require(possible, "erases faster than can be")?;
        let drift = [
            self.drift.variance,
            self.drift.restoring,
            self.drift.spread,
            self.drift.cycles,
            self.drift.present,
            self.drift.growth,
        ];
        require(
            drift.iter().all(|part| *part >= 0.0),
            "blocks that stray less than not at all",
        )?;
        require_finite(drift.into_iter().chain([self.wear_variance]))
    }
}

#[cfg(test)]
mod tests {
    use wordline_cell::fence::RestHistogram;

    use super::super::{BlockEpoch, GroupEpoch};
    use super::*;
    use crate::drift::Drift;

    type Change<T> = fn(&mut T);

    const SIZES: StudySizes = StudySizes {
        blocks: 4,
        groups: 2,
        cells: 0,
    };

    #[test]
    fn epochs_of_other_drives_are_refused() {
        let group = GroupEpoch {
            cycles: 60.0,
            erases: 8.0,
            gain: 9.0,
            elasticity: 0.1,
            rests: [0, 1].map(|_| RestHistogram::default()),
        };
        let block = BlockEpoch {
            cycles: 0.0,
            erases: 0.1,
            rests: 0.1,
        };
        let epoch = Epoch {
            length: 1e9,
            shape: [0.9, 1.0, 1.1],
            groups: vec![group; 2],
            blocks: vec![block; 4],
        };
        let ledger = EpochLedger {
            epochs: std::iter::repeat_n(epoch, MOST_EPOCHS).collect(),
        };
        ledger.check(SIZES).unwrap();
        let changes: [(Change<EpochLedger>, &str); 8] = [
            (
                |of| of.epochs.push_back(of.epochs[0].clone()),
                "than are remembered",
            ),
            (|of| of.epochs[3].groups.clear(), "another drive"),
            (|of| of.epochs[3].blocks.truncate(3), "another drive"),
            (|of| of.epochs[0].length = 0.0, "without length"),
            (|of| of.epochs[0].shape[2] = f64::NAN, "no number"),
            (|of| of.epochs[0].groups[1].elasticity = f64::NAN, "longer rests"),
            (|of| of.epochs[0].groups[1].gain = f64::INFINITY, "no number"),
            (|of| of.epochs[0].blocks[3].rests = f32::NAN, "no number"),
        ];
        for (change, told) in changes {
            let mut changed = ledger.clone();
            change(&mut changed);
            let error = changed.check(SIZES).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn rates_of_other_drives_are_refused() {
        let rates = WearRates {
            groups: vec![
                GroupRate {
                    rests: RestHistogram::default(),
                    erases: 1e-12,
                    drift: Drift::default(),
                    wear_variance: 0.0,
                };
                2
            ],
            blocks_per_group: 2,
            erases: vec![0.0; 4],
            rests: vec![0.0; 4],
            standard_error: 0.0,
        };
        rates.check(SIZES).unwrap();
        let changes: [(Change<WearRates>, &str); 9] = [
            (|of| of.groups.truncate(1), "another drive"),
            (|of| of.blocks_per_group = 0, "another drive"),
            (|of| of.erases.truncate(3), "another drive"),
            (|of| of.rests.push(0.0), "another drive"),
            (|of| of.rests[1] = f64::NAN, "no number"),
            (|of| of.groups[0].erases = 2.0, "faster"),
            (|of| of.groups[0].wear_variance = f64::NAN, "faster"),
            (|of| of.groups[1].drift.restoring = -1.0, "stray"),
            (|of| of.groups[1].drift.spread = f64::INFINITY, "no number"),
        ];
        for (change, told) in changes {
            let mut changed = rates.clone();
            change(&mut changed);
            let error = changed.check(SIZES).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
