//! The row of the zoned mapping.

use wordline_keys::{Entry, Keys};

use super::ZonedFtl;
use super::keys::{ZonedKeys, Zoning};
use crate::error::FtlError;
use crate::mapping::{KnownFeature, MappingRow};

/// `ftl.mapping = "zoned"`.
pub(crate) const ZONED: MappingRow = MappingRow {
    entry: Entry {
        name: "zoned",
        help: "Zones that the host writes in order and resets as a whole; the drive collects nothing.",
        keys: Keys::of::<ZonedKeys>(),
        reads: &["allocation.order", "ftl.failures"],
    },
    recovers: &[],
    knows: &[KnownFeature::Zones],
    has_closed_form: false,
    recovers_units: false,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |input| {
        let zoning = Zoning::of(input)?;
        let lost = zoning.lost.iter().map(|(zone, _)| *zone).collect();
        Ok(Some((zoning.layout, lost)))
    },
    exported: |input| {
        let layout = Zoning::of(input)?.layout;
        Ok(u64::from(layout.zones) * layout.zone_pages)
    },
    check_filled: |_, _| {
        let accepted = "\"fresh\" or \"snapshot\" with ftl.mapping = \"zoned\": only the host writes zones";
        Err(FtlError::new("age.method", "another", accepted))
    },
    build: |input, _| Ok(Box::new(ZonedFtl::new(input)?)),
};
