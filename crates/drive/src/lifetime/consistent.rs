//! What the parts of a study share in checking what was loaded of them.

use wordline_ftl::archive::{ArchiveError, require};

/// How many there are of what a study keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Of the drive.
    pub(super) blocks: usize,
    /// Of planes that fare alike.
    pub(super) groups: usize,
    /// Blocks of all drives of the fleet.
    pub(super) cells: usize,
}

impl Sizes {
    /// Drives of the fleet.
    pub(super) fn drives(self) -> usize {
        self.cells / self.blocks.max(1)
    }
}

/// Checks equivalent events: as many as the cycles of a block can bring, two for each.
pub(super) fn require_wear(wear: impl IntoIterator<Item = f64>) -> Result<(), ArchiveError> {
    const MOST: f64 = (1_u64 << 33) as f64;
    let possible = wear.into_iter().all(|wear| (0.0..=MOST).contains(&wear));
    require(possible, "wear that no number of cycles brings")
}

/// Checks what was measured, or worked out of that.
pub(super) fn require_finite(values: impl IntoIterator<Item = f64>) -> Result<(), ArchiveError> {
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
