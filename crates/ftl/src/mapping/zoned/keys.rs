//! The keys of the zoned mapping.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;
use wordline_nand::Geometry;
use wordline_units::ByteSize;

use crate::config::{MappingInput, OverProvisioningBasis};
use crate::error::FtlError;
use crate::zone::{ZoneLayout, ZoneState};

/// Blocks of a zone at most: a reset erases them in one plan.
const MOST_BLOCKS: u32 = 64;

/// `[ftl.zones]`: how the drive is divided into zones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ZonesConfig {
    /// Blocks of a zone, in planes that follow each other in `allocation.order`, 1 to 64: no more than the drive has planes, or a multiple of them.
    /// Unset: one in each plane, at most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    blocks: Option<u32>,
    /// Bytes of a zone that can be written (ZCAP), a multiple of the page. Unset: all pages of its blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<ByteSize>,
    /// Bytes from the start of a zone to that of the next (ZSZE), a multiple of the page and at least the capacity. Unset: the capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<ByteSize>,
    /// Zones that may be open at once, at least 1. Unset: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MANY))]
    max_open: Option<u32>,
    /// Zones that may be active at once, open or closed, at least 1 and at least `max_open`. Unset: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MANY))]
    max_active: Option<u32>,
    /// Numbers of zones, counted from 0, that are read-only from the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_only: Vec<u32>,
    /// Numbers of zones, counted from 0, that are offline from the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    offline: Vec<u32>,
}

/// Keys of `zoned`.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ZonedKeys {
    /// `zoned`: how the drive is divided into zones.
    zones: ZonesConfig,
}

/// The zones of a drive, checked.
#[derive(Clone, Debug)]
pub(super) struct Zoning {
    pub(super) layout: ZoneLayout,
    /// Blocks of a zone.
    pub(super) blocks: u32,
    /// Blocks of a zone that are written side by side.
    pub(super) width: u32,
    /// Zones that are read-only or offline from the start.
    pub(super) lost: Vec<(u32, ZoneState)>,
}

impl Zoning {
    /// # Errors
    /// A key out of its range; blocks, capacity and size that do not go together; a drive too small for one zone.
    pub(super) fn of(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let ZonedKeys { zones: keys } = input.config.keys.read();
        refuse_placement(input)?;
        let geometry = input.geometry;
        let planes = geometry.planes();
        let blocks = keys.blocks.unwrap_or_else(|| planes.min(MOST_BLOCKS));
        if !(1..=MOST_BLOCKS).contains(&blocks) || (blocks > planes && !blocks.is_multiple_of(planes)) {
            let accepted = format!(
                "1 to {MOST_BLOCKS}, and no more than the {planes} planes of the drive or a multiple of them"
            );
            return Err(FtlError::new("ftl.zones.blocks", blocks, accepted));
        }
        let of_blocks = u64::from(blocks) * u64::from(geometry.pages_per_block);
        let capacity = pages(
            "ftl.zones.capacity",
            keys.capacity,
            of_blocks,
            (1, of_blocks),
            geometry,
        )?;
        let size = pages(
            "ftl.zones.size",
            keys.size,
            capacity,
            (capacity, u64::from(u32::MAX)),
            geometry,
        )?;
        let limits = Limits::of(&keys)?;
        let zones = zones(input, blocks)?;
        Ok(Self {
            layout: ZoneLayout {
                zones,
                zone_pages: size,
                capacity_pages: capacity,
                max_open: limits.open,
                max_active: limits.active,
            },
            blocks,
            width: blocks.min(planes),
            lost: lost(&keys, zones)?,
        })
    }
}

/// Limits of zones that hold data and are not full.
struct Limits {
    open: Option<u32>,
    active: Option<u32>,
}

impl Limits {
    fn of(keys: &ZonesConfig) -> Result<Self, FtlError> {
        let (open, active) = (keys.max_open, keys.max_active);
        for (key, limit) in [("ftl.zones.max_open", open), ("ftl.zones.max_active", active)] {
            if limit == Some(0) {
                return Err(FtlError::new(key, 0, "at least 1; unset: no limit"));
            }
        }
        if let (Some(open), Some(active)) = (open, active)
            && open > active
        {
            let accepted = format!("at most ftl.zones.max_active = {active}: open zones are active");
            return Err(FtlError::new("ftl.zones.max_open", open, accepted));
        }
        Ok(Self { open, active })
    }
}

/// What takes part in the placement of pages elsewhere is not for zones, whose host places them.
fn refuse_placement(input: &MappingInput<'_>) -> Result<(), FtlError> {
    if input.config.placement.units()?.count > 0 {
        let directive = format!("\"{}\"", input.config.placement.directive.name());
        let accepted = "\"none\" with ftl.mapping = \"zoned\": the host chooses zones";
        return Err(FtlError::new("ftl.placement.directive", directive, accepted));
    }
    Ok(())
}

/// A size in pages: `unset` where the key says nothing, within bounds.
fn pages(
    key: &'static str,
    size: Option<ByteSize>,
    unset: u64,
    (least, most): (u64, u64),
    geometry: &Geometry,
) -> Result<u64, FtlError> {
    let Some(size) = size else { return Ok(unset) };
    let page = u64::from(geometry.page_bytes);
    let pages = size.bytes() / page;
    if size.bytes() % page != 0 || !(least..=most).contains(&pages) {
        let accepted = format!(
            "a multiple of the page of {page} B (geometry.page_size), {} to {} B",
            least * page,
            most * page
        );
        return Err(FtlError::new(key, size, accepted));
    }
    Ok(pages)
}

/// Zones of so many blocks that the drive exports.
fn zones(input: &MappingInput<'_>, blocks: u32) -> Result<u32, FtlError> {
    let share = input.config.over_provisioning;
    let most = match input.config.over_provisioning_basis {
        OverProvisioningBasis::User => f64::from(input.geometry.blocks()) / (1.0 + share),
        OverProvisioningBasis::Raw => f64::from(input.geometry.blocks()) * (1.0 - share),
    };
    if !(share.is_finite() && share >= 0.0) {
        let accepted = "a share of at least 0, below 1 of the raw space";
        return Err(FtlError::new("ftl.over_provisioning", share, accepted));
    }
    let zones = (most / f64::from(blocks)).floor() as u32;
    if zones == 0 {
        let accepted = format!(
            "at most {} blocks, which is what the drive exports (ftl.over_provisioning)",
            most.floor()
        );
        return Err(FtlError::new("ftl.zones.blocks", blocks, accepted));
    }
    Ok(zones)
}

/// Zones that are lost from the start, each named once.
fn lost(keys: &ZonesConfig, zones: u32) -> Result<Vec<(u32, ZoneState)>, FtlError> {
    let mut lost: Vec<(u32, ZoneState)> = Vec::new();
    let lists = [
        ("ftl.zones.read_only", &keys.read_only, ZoneState::ReadOnly),
        ("ftl.zones.offline", &keys.offline, ZoneState::Offline),
    ];
    for (key, numbers, state) in lists {
        for &zone in numbers {
            if zone >= zones || lost.iter().any(|(other, _)| *other == zone) {
                let accepted = format!("numbers of zones, 0 to {}, each named once", zones - 1);
                return Err(FtlError::new(key, zone, accepted));
            }
            lost.push((zone, state));
        }
    }
    Ok(lost)
}
