//! What is doubtful about a drive: where the model does not hold, or where keys contradict each other.

use crate::drive::Drive;
use crate::table::{EntryWidth, HitRate};
use crate::tables::bits;
use crate::waf::given_spare;
use crate::workload::WriteAmplification;

/// Packages on a channel from which on its rate depends on how many there are (assumed).
const LOADED: u64 = 16;
/// How far a write amplification that is given may be from that of the spare flash before it is told.
const APART: f64 = 0.1;

impl Drive {
    /// What is doubtful about the configuration, in words.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let found = [
            self.narrow_entries(),
            self.loaded_channels(),
            self.idle_channels(),
            self.odd_amplification(),
            self.skew_without_effect(),
        ];
        found.into_iter().flatten().collect()
    }

    fn narrow_entries(&self) -> Option<String> {
        let needed = bits(self.slots());
        (self.table.entry == EntryWidth::Word32 && needed > 32).then(|| {
            format!(
                "table.entry = \"word32\" cannot number the {} slots of the drive, which takes {needed} bits; \"packed\" can",
                self.slots()
            )
        })
    }

    fn loaded_channels(&self) -> Option<String> {
        let packages = self.packages_per_channel();
        (packages > LOADED && self.channels.derating.is_empty()).then(|| {
            format!(
                "{packages} packages share a channel at its full rate, {:.0} MB/s: so many slow a channel down, for which channels.derating has a rate",
                self.channels.rate / 1e6
            )
        })
    }

    fn idle_channels(&self) -> Option<String> {
        let (used, all) = (self.used_channels(), self.channels.count);
        (used < u64::from(all)).then(|| {
            format!(
                "{used} of {all} channels have a package: nand.dies_per_package puts so many dies into each"
            )
        })
    }

    fn odd_amplification(&self) -> Option<String> {
        let load = &self.workload;
        let expected = given_spare(1.0 + self.over_provisioning);
        let is_odd = load.write_fraction > 0.0
            && load.waf_mode == WriteAmplification::Given
            && self.is_uniform()
            && (load.waf / expected - 1.0).abs() > APART;
        is_odd.then(|| {
            format!(
                "workload.waf = {} is given, but uniform random writes over {:.1} % of spare flash have {expected:.2}; workload.waf_mode = \"from_op\" computes it",
                load.waf,
                100.0 * self.over_provisioning
            )
        })
    }

    fn skew_without_effect(&self) -> Option<String> {
        let load = &self.workload;
        let is_skewed = load.zipf > 0.0 || load.hot_pages > 0.0;
        (is_skewed && self.table.hit == HitRate::Uniform)
            .then(|| "the hit rate is that of uniform addresses although they are skewed; table.hit = \"che\" computes it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    #[test]
    fn each_doubt_has_its_cause() {
        let warned = |change: fn(&mut Drive), words: &str| {
            let mut drive = Drive::default();
            assert_eq!(drive.warnings(), Vec::<String>::new());
            change(&mut drive);
            let found = drive.warnings();
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(words), "{found:?}");
        };
        warned(
            |drive| drive.capacity = ByteSize(16 << 40),
            "cannot number the 4810363372 slots",
        );
        warned(
            |drive| drive.nand.dies_per_package = 1,
            "18 packages share a channel",
        );
        warned(
            |drive| drive.channels.count = 32,
            "18 of 32 channels have a package",
        );
        warned(
            |drive| {
                drive.workload.write_fraction = 0.5;
                drive.over_provisioning = 0.28;
            },
            "have 2.48",
        );
        warned(|drive| drive.workload.zipf = 0.9, "although they are skewed");
    }
}
