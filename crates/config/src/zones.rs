//! What a drive with zones can be combined with.

use wordline_ftl::{AgeMethod, FtlError, KnownFeature, MappingInput, ZoneLayout, zone_layout};
use wordline_nand::Geometry;
use wordline_workload::Translation;

use crate::Config;
use crate::conflict::{Feature, named, rules_out, shown};

/// A mapping with zones.
pub(crate) const ZONES: Feature = Feature {
    name: "zones",
    with: "with ftl.mapping = \"zoned\"",
    is_on: |config| config.mapping_knows(KnownFeature::Zones),
    example: &[("ftl.mapping", "zoned")],
    conflicts: &[
        rules_out(
            "buffer.policy",
            |config| named(config.buffer.is_present(), config.buffer.policy.name()),
            "\"none\", as a write buffer acknowledges a write before the rules of its zone are looked at,",
            &[("buffer.policy", "lru")],
        ),
        rules_out(
            "age.method",
            |config| match config.age.method {
                AgeMethod::Fresh | AgeMethod::Snapshot => None,
                AgeMethod::Invalidated => named(true, "invalidated"),
                AgeMethod::Overwritten => named(true, "overwritten"),
                AgeMethod::SteadyState => named(true, "steady_state"),
            },
            "\"fresh\" or \"snapshot\", as only the host writes zones,",
            &[("age.method", "steady_state")],
        ),
        rules_out(
            "ftl.failures.min_spare",
            |config| {
                let spare = config.ftl.failures.min_spare;
                shown(spare > 0, &spare.to_string())
            },
            "0, as zones become read-only or offline one by one,",
            &[("ftl.failures.min_spare", "1"), ("ftl.failures.program", "1e-6")],
        ),
        rules_out(
            "workload.translation",
            |config| {
                let is_blind =
                    config.ftl.failures.is_on() && config.workload.translation == Translation::Zones;
                named(is_blind, "zones")
            },
            "\"none\" with ftl.failures, as the host of the translation does not look at how commands end,",
            &[
                ("workload.translation", "zones"),
                ("ftl.failures.program", "1e-6"),
            ],
        ),
    ],
};

impl Config {
    /// The zones of the drive, and those of them that cannot be written from the start; none of a drive without.
    ///
    /// # Errors
    /// A mapping that is not in the table; zones that are not possible.
    pub fn zone_layout(&self, geometry: &Geometry) -> Result<Option<(ZoneLayout, Vec<u32>)>, FtlError> {
        zone_layout(&MappingInput {
            geometry,
            config: &self.ftl,
            allocation: &self.allocation,
            strong_classes: self.strong_classes(),
        })
    }
}
