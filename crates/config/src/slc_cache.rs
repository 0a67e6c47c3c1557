//! `[ftl.slc_cache]` with the rest of the drive: its mode, and what does not go with it.

use wordline_ftl::{AgeMethod, Folding, SlcMode};
use wordline_keys::RefusedValue;

use crate::Config;
use crate::conflict::{Example, Feature, PAGE_MODES, chip, copyback, named, rules_out, shown};

/// Keys of a drive with such a cache.
const EXAMPLE: Example = &[
    ("geometry.cell_type", "mlc"),
    (
        "modes",
        "[{name = \"slc\", t_prog = \"100 us\", t_r = \"20 us\"}]",
    ),
    ("ftl.slc_cache.mode", "slc"),
    ("ftl.slc_cache.static_blocks", "2"),
];

/// `ftl.slc_cache.mode`.
pub(crate) const SLC_CACHE: Feature = Feature {
    name: "an SLC cache",
    with: "with an SLC cache (ftl.slc_cache.mode)",
    is_on: |config| config.ftl.slc_cache.is_on(),
    example: EXAMPLE,
    conflicts: &[
        rules_out(
            "geometry.cell_type",
            |config| named(config.geometry.cell_type.bits() < 2, "slc"),
            "cells of two bits or more",
            &[("geometry.cell_type", "slc")],
        ),
        rules_out(
            "modes",
            |config| shown(config.has_block_classes(), "modes with quantiles"),
            "modes without them",
            &[("modes", "[{name = \"slc\", quantile = 0.5, t_prog = \"100 us\"}]")],
        ),
        PAGE_MODES,
        rules_out(
            "age.method",
            |config| {
                let fills = config.age.method == AgeMethod::Invalidated;
                named(fills && config.ftl.slc_cache.static_blocks > 0, "invalidated")
            },
            "another method, as this one fills every block of a plane alike, or ftl.slc_cache.static_blocks = 0,",
            &[("age.method", "invalidated")],
        ),
        rules_out(
            "ftl.slc_cache.folding",
            |config| {
                let copies = config.ftl.slc_cache.folding == Folding::CopyBack;
                named(copies && copyback(config).is_none(), "copy_back")
            },
            "\"controller\", or commands.copyback in use,",
            &[("ftl.slc_cache.folding", "copy_back")],
        ),
        rules_out(
            "power.chip",
            chip,
            "no chip, as the circuit model does not have the energies of pages in SLC mode (power.supply has them),",
            &[("power.chip", "mlc")],
        ),
    ],
};

impl Config {
    /// The mode of the SLC cache; none where the drive has no cache.
    ///
    /// # Errors
    /// The drive has no such mode.
    pub fn slc_mode(&self) -> Result<Option<SlcMode>, RefusedValue> {
        let Some(name) = &self.ftl.slc_cache.mode else {
            return Ok(None);
        };
        let found = self.numbered_modes().find(|(_, mode)| mode.name == *name);
        let Some((mode, _)) = found else {
            let accepted = "the name of one of [[modes]]";
            return Err(RefusedValue::new(
                "ftl.slc_cache.mode",
                format!("\"{name}\""),
                accepted,
            ));
        };
        Ok(Some(SlcMode {
            mode,
            name: name.clone(),
            bits: self.geometry.cell_type.bits(),
            modes: self.mode_names(),
        }))
    }

    /// Checks the SLC cache, if there is one.
    pub(crate) fn check_slc_cache(&self) -> Result<(), RefusedValue> {
        let Some(slc) = self.slc_mode()? else {
            return Ok(());
        };
        let (ftl, geometry) = (&self.ftl, &self.geometry);
        let cache = &ftl.slc_cache;
        let refused = |key, found: String, accepted: &str| {
            Err(RefusedValue::new(
                key,
                found,
                format!("{accepted} {}", SLC_CACHE.with),
            ))
        };
        if geometry.pages_per_block < slc.bits {
            let accepted = "at least as many pages as a cell has bits";
            return refused(
                "geometry.pages_per_block",
                geometry.pages_per_block.to_string(),
                accepted,
            );
        }
        if cache.static_blocks == 0 && cache.dynamic_blocks == 0 {
            let accepted = "at least 1 block of each plane, here or in ftl.slc_cache.dynamic_blocks,";
            return refused("ftl.slc_cache.static_blocks", "0".to_owned(), accepted);
        }
        if cache.static_blocks.saturating_add(cache.dynamic_blocks) > geometry.blocks_per_plane {
            let (key, found) = if cache.static_blocks > geometry.blocks_per_plane {
                ("ftl.slc_cache.static_blocks", cache.static_blocks)
            } else {
                ("ftl.slc_cache.dynamic_blocks", cache.dynamic_blocks)
            };
            let accepted = "no more blocks than a plane has (geometry.blocks_per_plane), static and dynamic ones together,";
            return refused(key, found.to_string(), accepted);
        }
        if let Some(unit) = ftl.mapping_unit {
            let pages = unit.bytes() / geometry.page_size.bytes();
            if pages * u64::from(slc.bits) > u64::from(geometry.pages_per_block) {
                let accepted = "a size of which a block holds as many as a cell has bits";
                return refused("ftl.mapping_unit", unit.to_string(), accepted);
            }
        }
        Ok(())
    }
}
