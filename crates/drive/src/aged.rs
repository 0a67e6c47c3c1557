//! The FTL of a configuration at its age, for those who run it without a clock.

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::Mapping;
use wordline_nand::Geometry;
use wordline_units::SimTime;

use crate::error::RunError;
use crate::run::{Ahead, age};

/// An FTL that has been brought to the age that its configuration asks for.
pub struct AgedFtl {
    /// The array, as the drive addresses it.
    pub geometry: Geometry,
    /// The FTL; its counters are at zero.
    pub ftl: Box<dyn Mapping>,
    /// Time of the FTL at which ageing ended.
    pub now: SimTime,
}

impl AgedFtl {
    /// Builds the FTL of a configuration and ages it.
    ///
    /// `base_dir` is where the path of a snapshot starts from. `watch` is told the share of the ageing that is done, from 0
    /// to 1, and stops it by returning false.
    ///
    /// # Errors
    /// A drive that cannot be built or aged (see [`RunError::is_input`]); [`RunError::Interrupted`] where `watch` stops it.
    pub fn new(
        config: &Config,
        base_dir: &Path,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Self, RunError> {
        // how many requests will come is not known: as many as there can be
        let drive = age(config, base_dir, &Ahead::of(u64::MAX), watch)?;
        Ok(Self {
            geometry: drive.geometry,
            ftl: drive.ftl,
            now: drive.aged.now,
        })
    }
}
