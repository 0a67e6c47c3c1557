//! What a drive with zones can be combined with.

use wordline_ftl::{AgeMethod, FtlError, MappingInput, ZoneLayout, zone_layout};
use wordline_keys::RefusedValue;
use wordline_nand::Geometry;
use wordline_workload::Translation;

use crate::Config;

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

    /// Checks what stands beside zones.
    pub(crate) fn check_zones(&self, geometry: &Geometry) -> Result<(), RefusedValue> {
        if self.zone_layout(geometry)?.is_none() {
            return Ok(());
        }
        let refused = |key, found: String, accepted: &str| {
            let with = "with ftl.mapping = \"zoned\"";
            Err(RefusedValue::new(key, found, format!("{accepted} {with}")))
        };
        if self.buffer.is_present() {
            let found = format!("\"{}\"", self.buffer.policy.name());
            let accepted =
                "\"none\": a write buffer acknowledges a write before the rules of its zone are looked at,";
            return refused("buffer.policy", found, accepted);
        }
        if !matches!(self.age.method, AgeMethod::Fresh | AgeMethod::Snapshot) {
            let found = match self.age.method {
                AgeMethod::Invalidated => "\"invalidated\"",
                AgeMethod::Overwritten => "\"overwritten\"",
                AgeMethod::Fresh | AgeMethod::SteadyState | AgeMethod::Snapshot => "\"steady_state\"",
            };
            return refused(
                "age.method",
                found.to_owned(),
                "\"fresh\" or \"snapshot\": only the host writes zones,",
            );
        }
        if self.ftl.failures.min_spare > 0 {
            let accepted = "0: zones become read-only or offline one by one,";
            let found = self.ftl.failures.min_spare.to_string();
            return refused("ftl.failures.min_spare", found, accepted);
        }
        if self.ftl.failures.is_on() && self.workload.translation == Translation::Zones {
            let accepted = "\"none\" with ftl.failures, as its host does not look at how commands end,";
            return refused("workload.translation", "\"zones\"".to_owned(), accepted);
        }
        if self.ftl.refresh.is_on()? {
            let found = format!("\"{}\"", self.ftl.refresh.policy.name());
            return refused("ftl.refresh.policy", found, "\"none\": the drive moves no pages");
        }
        Ok(())
    }
}
