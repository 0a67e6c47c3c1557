//! Checks of a loaded state that several parts of a study share.

use wordline_ftl::archive::{ArchiveError, require};

/// How many blocks, groups and cells a study has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudySizes {
    /// Blocks of the drive.
    pub(crate) blocks: usize,
    /// Groups of planes ([`Window`](crate::window::Window)).
    pub(crate) groups: usize,
    /// Blocks of all drives of the fleet.
    pub(crate) cells: usize,
}

impl StudySizes {
    /// Drives of the fleet.
    pub(crate) fn drives(self) -> usize {
        self.cells / self.blocks.max(1)
    }
}

/// Checks equivalent events: at most two for each cycle that a block can have.
pub(crate) fn require_wear(wear: impl IntoIterator<Item = f64>) -> Result<(), ArchiveError> {
    const MOST: f64 = (1_u64 << 33) as f64;
    let possible = wear.into_iter().all(|wear| (0.0..=MOST).contains(&wear));
    require(possible, "wear that no number of cycles brings")
}

/// Checks measured values, and values computed from them.
pub(crate) fn require_finite(values: impl IntoIterator<Item = f64>) -> Result<(), ArchiveError> {
    let finite = values.into_iter().all(f64::is_finite);
    require(finite, "something measured that is no number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wear_and_measurements_are_numbers() {
        require_wear([0.0, 1e9]).unwrap();
        require_finite([0.0, -1e300]).unwrap();
        for wear in [-1.0, 1e10, f64::NAN, f64::INFINITY] {
            let error = require_wear([1.0, wear]).unwrap_err().to_string();
            assert!(error.contains("no number of cycles"), "{error}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = require_finite([1.0, value]).unwrap_err().to_string();
            assert!(error.contains("no number"), "{error}");
        }
    }
}
