//! `buffer.hold_up` and `buffer.hold_up_energy_mj` with the rest of the drive: whether they are enough.

use wordline_buffer::BufferUnit;
use wordline_ftl::analytic::hold_up::hold_up;
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PageTypes, ProgramOrder, Timing};
use wordline_power::{Chip, ChipError, Data};
use wordline_units::{Duration, SECTOR_BYTES};

use crate::Config;

impl Config {
    /// Pages that a capacitor brings to flash, at most: those of a full buffer. With a journal a record for each of them goes to flash too, and those that a page of the journal was not full of.
    fn preserved_pages(&self, geometry: &Geometry) -> u64 {
        let page_bytes = u64::from(geometry.page_bytes);
        // a page of a buffer that counts sectors holds one at least
        let least = match self.buffer.unit {
            BufferUnit::Page => page_bytes,
            BufferUnit::Sector => u64::from(SECTOR_BYTES),
        };
        let pages = self.buffer.size.bytes().div_ceil(least);
        let recovery = &self.ftl.recovery;
        if !recovery.kind.has_journal() {
            return pages;
        }
        let per_page = (page_bytes / u64::from(recovery.record_bytes.max(1))).max(1);
        pages + 1 + pages.div_ceil(per_page)
    }

    /// Checks the time for which a capacitor lasts.
    ///
    /// # Errors
    /// Less than the drive needs to bring what it preserves to flash, collection aside; word lines that are programmed as wholes.
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
        let needed = self.longest_hold_up(geometry, timing, types);
        if lasts < needed {
            let accepted = format!(
                "at least {needed}, in which all dies program a full buffer (buffer.size = \"{}\") after the longest operation",
                self.buffer.size
            );
            return Err(RefusedValue::new("buffer.hold_up", lasts, accepted));
        }
        Ok(())
    }

    /// Checks the energy that a capacitor holds, for dies that are such chips.
    ///
    /// # Errors
    /// Less than is needed for all planes to end an operation, for the programs, and for what stands around the flash meanwhile.
    pub(crate) fn check_hold_up_energy(
        &self,
        geometry: &Geometry,
        time: Duration,
        chip: &Chip,
    ) -> Result<Result<(), RefusedValue>, ChipError> {
        let Some(holds) = self.buffer.hold_up_energy_mj else {
            return Ok(Ok(()));
        };
        let mut program = 0.0_f64;
        for kind in chip.kinds() {
            for ones in [0.0, chip.cells()] {
                program = program.max(chip.program(kind, Data::Ones(ones))?.total());
            }
        }
        let longest = program.max(chip.erase(1.0)?.total());
        let power = &self.power;
        let around =
            power.controller.0 + power.dram_watts() + power.channel_io.0 * f64::from(geometry.channels);
        let needed = 1e3
            * (program * self.preserved_pages(geometry) as f64
                + longest * f64::from(geometry.planes())
                + around * time.as_secs());
        // a number that is none is no energy either
        if holds >= needed && holds.is_finite() {
            return Ok(Ok(()));
        }
        let accepted = format!(
            "at least {needed:.6} mJ: the programs of a full buffer (buffer.size = \"{}\"), an operation of every plane, and what stands around the flash",
            self.buffer.size
        );
        Ok(Err(RefusedValue::new(
            "buffer.hold_up_energy_mj",
            holds,
            accepted,
        )))
    }

    /// The time for which the drive works on its capacitor, at most, collection aside.
    pub(crate) fn longest_hold_up(
        &self,
        geometry: &Geometry,
        timing: &Timing,
        types: &PageTypes,
    ) -> Duration {
        hold_up(geometry, timing, types, self.preserved_pages(geometry))
    }
}
