//! `[workload.zones]`: how the host runs a workload on zones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;

/// Placement handles with zones of their own at most.
const MOST_HANDLES: u32 = 64;
/// Zones kept empty at most.
const MOST_SPARE: u32 = 1_000_000;

/// Who turns the addresses of the workload into those of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Translation {
    /// Nobody: they are the same.
    #[default]
    None,
    /// The host, which writes zones in order and collects them (with `ftl.mapping = "zoned"`).
    Zones,
}

/// `[workload.zones]`: how the host runs a workload on zones, with `translation = "zones"`. It keeps a map of pages, writes each zone from its start to its end, and where too few
/// zones are empty moves the current pages of the full zone that has the fewest and resets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostZonesConfig {
    /// What the zones hold beyond the workload, as a fraction of the workload's pages.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub over_provisioning: f64,
    /// Zones that are kept empty, at least 1: where there are no more, the host collects before it begins another.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub spare_zones: u32,
    /// Placement handles, 1 to this number, whose writes go to zones of their own; 0: all writes share a zone.
    #[schemars(range(max = 64))]
    pub handles: u32,
    /// Whether pages that are moved go to zones of their own, apart from those that the workload writes.
    pub separate: bool,
    /// Whether the host first writes every page of the workload once, in order and without a handle, as `age.method = "overwritten"` fills a drive that collects by itself.
    pub fill: bool,
    /// Whether zone appends are sent in place of writes at the write pointer.
    pub append: bool,
}

impl Default for HostZonesConfig {
    /// The over-provisioning of `ftl.over_provisioning`. Assumed: two empty zones, four handles as in the prototype of Kang et al. (HotStorage 2014), pages that are
    /// moved apart.
    fn default() -> Self {
        Self {
            over_provisioning: 0.28,
            spare_zones: 2,
            handles: 4,
            separate: true,
            fill: false,
            append: false,
        }
    }
}

impl HostZonesConfig {
    /// Zones that are written at once.
    pub(crate) const fn open_zones(&self) -> u32 {
        1 + self.handles + self.separate as u32
    }

    /// # Errors
    /// A value out of its range.
    pub(super) fn check(&self) -> Result<(), RefusedValue> {
        if !(self.over_provisioning > 0.0 && self.over_provisioning <= 100.0) {
            let accepted = "a share above 0 and at most 100";
            return Err(RefusedValue::new(
                "workload.zones.over_provisioning",
                self.over_provisioning,
                accepted,
            ));
        }
        if !(1..=MOST_SPARE).contains(&self.spare_zones) {
            let accepted = format!("1 to {MOST_SPARE}: pages that are moved need an empty zone");
            return Err(RefusedValue::new(
                "workload.zones.spare_zones",
                self.spare_zones,
                accepted,
            ));
        }
        if self.handles > MOST_HANDLES {
            let accepted = format!("0 to {MOST_HANDLES}");
            return Err(RefusedValue::new(
                "workload.zones.handles",
                self.handles,
                accepted,
            ));
        }
        Ok(())
    }
}
