//! `buffer.hold_up` with the rest of the drive: whether it is long enough.

use wordline_ftl::RecoveryKind;
use wordline_ftl::analytic::hold_up::hold_up;
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PageTypes, ProgramOrder, Timing};
use wordline_units::Duration;

use crate::Config;

impl Config {
    /// The longest time that the drive needs after the power has failed to bring what its capacitor preserves to flash, collection aside.
    ///
    /// With a journal a record for each page of the buffer goes to flash too, and those that a page of the journal was not full of.
    fn needed_hold_up(&self, geometry: &Geometry, timing: &Timing, types: &PageTypes) -> Duration {
        let page_bytes = u64::from(geometry.page_bytes);
        let pages = self.buffer.size.bytes().div_ceil(page_bytes);
        let recovery = &self.ftl.recovery;
        let of_journal = if recovery.kind == RecoveryKind::CheckpointJournal {
            let per_page = (page_bytes / u64::from(recovery.record_bytes.max(1))).max(1);
            1 + pages.div_ceil(per_page)
        } else {
            0
        };
        hold_up(geometry, timing, types, pages + of_journal)
    }

    /// Checks the time for which a capacitor lasts.
    pub(crate) fn check_hold_up(
        &self,
        geometry: &Geometry,
        timing: &Timing,
        types: &PageTypes,
    ) -> Result<(), RefusedValue> {
        let Some(lasts) = self.buffer.hold_up else {
            return Ok(());
        };
        if self.nand.program != ProgramOrder::Page {
            let accepted = "unset where nand.program programs word lines as wholes: open ones are not completed when the power fails";
            return Err(RefusedValue::new("buffer.hold_up", lasts, accepted));
        }
        let needed = self.needed_hold_up(geometry, timing, types);
        if lasts < needed {
            let accepted = format!(
                "at least {needed}, in which all dies program a full buffer (buffer.size = \"{}\") after the longest operation",
                self.buffer.size
            );
            return Err(RefusedValue::new("buffer.hold_up", lasts, accepted));
        }
        Ok(())
    }
}
