//! What a drive holds, and what its simulation needs, before anything is built.

use wordline_config::Config;
use wordline_ftl::{MappingInput, exported_pages, unit_geometry};

use super::aged_drive::memory_needed;
use crate::error::RunError;

/// Sizes of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveSizes {
    /// Bytes that the host can address.
    pub capacity: u64,
    /// Bytes of all pages of flash, spare areas left out.
    pub raw: u64,
    /// Dies.
    pub dies: u32,
    /// Planes.
    pub planes: u32,
    /// Blocks.
    pub blocks: u32,
    /// Logical pages, or mapping units, that share a block.
    pub units_per_block: u64,
    /// Bytes of memory that the simulated maps take, about.
    pub memory: u64,
}

/// The sizes of a drive.
///
/// # Errors
/// A drive that cannot be built.
pub fn sizes(config: &Config) -> Result<DriveSizes, RunError> {
    let geometry = config.array_geometry()?;
    let input = MappingInput {
        geometry: &geometry,
        config: &config.ftl,
        allocation: &config.array_allocation(),
        strong_classes: config.strong_classes(),
    };
    let units = unit_geometry(&input)?;
    Ok(DriveSizes {
        capacity: exported_pages(&input)? * u64::from(units.page_bytes),
        raw: geometry.raw_bytes(),
        dies: geometry.dies(),
        planes: geometry.planes(),
        blocks: geometry.blocks(),
        units_per_block: geometry.raw_bytes() / u64::from(geometry.blocks()) / u64::from(units.page_bytes),
        memory: memory_needed(config, &geometry, &units),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 channels of 2 dies of 2 planes of 64 blocks of 64 pages of 16 KiB, half of it spare: 256 MiB of 512, in four units a page.
    #[test]
    fn sizes_are_those_of_the_geometry() {
        let text = "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 2\nblocks_per_plane = 64\n\
                    pages_per_block = 64\npage_size = \"16 KiB\"\n[ftl]\nmapping_unit = \"4 KiB\"\nover_provisioning = 1.0\n\
                    over_provisioning_basis = \"user\"\n";
        let config: Config = toml::from_str(text).unwrap();
        let found = sizes(&config).unwrap();
        assert_eq!((found.dies, found.planes, found.blocks), (4, 8, 512));
        assert_eq!((found.raw, found.capacity), (512 << 20, 256 << 20));
        assert_eq!(found.units_per_block, 256);
        // two entries of four bytes for each of 131,072 units, and 32 bytes a block
        assert_eq!(found.memory, 131_072 * 8 + 512 * 32);
    }
}
