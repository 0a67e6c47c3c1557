//! `[ftl.slc_cache]` with the rest of the drive: its mode, and what does not go with it.

use wordline_ftl::{AgeMethod, Folding, SlcMode};
use wordline_keys::RefusedValue;
use wordline_nand::Use;

use crate::Config;

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
        let (cache, name) = (&ftl.slc_cache, |name: &str| format!("\"{name}\""));
        let with = "with an SLC cache (ftl.slc_cache.mode)";
        let refused = |key, found: String, accepted: &str| {
            Err(RefusedValue::new(key, found, format!("{accepted} {with}")))
        };
        if slc.bits < 2 {
            return refused("geometry.cell_type", name("slc"), "cells of two bits or more");
        }
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
        if !ftl.mapping.row()?.entry.reads.contains(&"ftl.slc_cache") {
            return refused("ftl.mapping", name(ftl.mapping.name()), "\"page\" or \"dftl\"");
        }
        if let Some(unit) = ftl.mapping_unit {
            let pages = unit.bytes() / geometry.page_size.bytes();
            if pages * u64::from(slc.bits) > u64::from(geometry.pages_per_block) {
                let accepted = "a size of which a block holds as many as a cell has bits";
                return refused("ftl.mapping_unit", unit.to_string(), accepted);
            }
        }
        if self.has_block_classes() {
            return refused("modes", "modes with quantiles".to_owned(), "modes without them");
        }
        if ftl.modes != wordline_ftl::PageModesConfig::default() {
            return refused("ftl.modes", "given".to_owned(), "no policy and no mode of copies");
        }
        if ftl.refresh.is_on()? {
            return refused("ftl.refresh.policy", name(ftl.refresh.policy.name()), "\"none\"");
        }
        if self.age.method == AgeMethod::Invalidated && cache.static_blocks > 0 {
            let accepted = "another method, as this one fills every block of a plane alike, or ftl.slc_cache.static_blocks = 0,";
            return refused("age.method", name("invalidated"), accepted);
        }
        if cache.folding == Folding::CopyBack && self.commands.copyback == Use::Off {
            let accepted = "\"controller\", or commands.copyback in use,";
            return refused("ftl.slc_cache.folding", name("copy_back"), accepted);
        }
        if let Some(chip) = &self.power.chip {
            let accepted = "no chip, as the circuit model does not have the energies of pages in SLC mode (power.supply has them),";
            return refused("power.chip", name(chip), accepted);
        }
        Ok(())
    }
}
