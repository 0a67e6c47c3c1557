//! Building an FTL anew after a power cut.

use wordline_units::SimTime;

use crate::contract::{Mapping, Subjects};
use crate::recovery::{FoundFlash, Recovery, RecoveryError};

/// Builds a fresh FTL anew from what a power cut left on the flash. Says what is read for that, and what must be done to the flash before it works.
///
/// # Errors
/// A mapping that cannot do it; pools that cannot work with the blocks as they are.
pub fn rebuild(
    ftl: &mut dyn Mapping,
    now: SimTime,
    flash: &dyn FoundFlash,
) -> Result<Recovery, RecoveryError> {
    let refused = RecoveryError::Mapping(ftl.identity().mapping);
    let recoverable = ftl.recoverable_mut().ok_or(refused)?;
    recoverable.recover(now, flash)
}
