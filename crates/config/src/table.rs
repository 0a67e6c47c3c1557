//! What a table of the map that is not simulated would cost on the drive of a configuration.

use wordline_ftl::analytic::recovery::PageRead;
use wordline_ftl::analytic::table::{DesignCost, TableDesign, TableDrive};
use wordline_ftl::{MappingInput, address_bytes, exported_pages};
use wordline_keys::RefusedValue;
use wordline_nand::{PageTypes, Timing};

use crate::Config;

impl Config {
    /// The cost of a design of the map (FTL specification, 2.10 and 8.4), with the logical pages, the times and the spare areas of this
    /// drive.
    ///
    /// # Errors
    /// A drive that cannot be built; one whose pages have no spare areas.
    pub fn table_design(&self, design: TableDesign) -> Result<DesignCost, RefusedValue> {
        let of_nand = |error: wordline_nand::ConfigError| {
            RefusedValue::new(
                "geometry",
                error.found,
                format!("{}: {}", error.key, error.accepted),
            )
        };
        let geometry = self.array_geometry().map_err(|error| of_nand(error.into()))?;
        let types = PageTypes::new(&self.geometry, &geometry).map_err(of_nand)?;
        let timing = Timing::new(&self.timing, &geometry, &types).map_err(of_nand)?;
        if geometry.spare_bytes == 0 {
            let accepted = "above 0, for the spare areas from which a map is built anew";
            return Err(RefusedValue::new("geometry.spare_size", 0, accepted));
        }
        let user_pages = exported_pages(&MappingInput {
            geometry: &geometry,
            config: &self.ftl,
            allocation: &self.allocation,
            strong_classes: self.strong_classes(),
        })?;
        let read = |bytes| PageRead::of(&geometry, &timing, &types, u64::from(bytes));
        Ok(design.cost(&TableDrive {
            geometry: &geometry,
            user_pages,
            entry_bytes: address_bytes(geometry.pages()) as u32,
            spare: read(geometry.spare_bytes),
            page: read(geometry.page_bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 65,536 pages of 4 KiB of which 51,200 are exported: a tree of pages with 1024 entries has two levels, as 512 times 512 pages
    /// are enough. A look-up reads both, a write programs one, and there are 100 leaves.
    #[test]
    fn a_tree_on_a_small_drive() {
        let resolved = crate::resolve(crate::DriveSource::Named("ftl-family"), None, &[]).unwrap();
        let cost = resolved.config.table_design(TableDesign::Tree).unwrap();
        assert_eq!((cost.reads_per_lookup, cost.programs_per_write), (2.0, 1.0));
        assert_eq!((cost.memory_bytes, cost.flash_bytes), (4, 100 * 4096));
        // the first pages of two blocks, and seven looks in the last: three on one die of four, each of 25 us, the spare area of 1.28 us
        // and its command
        let all = resolved.config.table_design(TableDesign::Memory).unwrap();
        let of_page = all.recovery.ns() as f64 / 16_384.0;
        assert!(
            (cost.recovery.ns() as f64 - 3.0 * of_page).abs() < 1.0,
            "{cost:?}"
        );
    }

    #[test]
    fn without_spare_areas_nothing_is_found_again() {
        let none = [("geometry.spare_size".to_owned(), "0 B".to_owned())];
        let resolved = crate::resolve(crate::DriveSource::Named("ftl-family"), None, &none).unwrap();
        let error = resolved.config.table_design(TableDesign::Tree).unwrap_err();
        assert_eq!(error.key, "geometry.spare_size");
    }
}
