//! `[firmware]`: what the controller's CPU costs, and time that commands spend in the controller beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::On;
use wordline_keys::limits::{CYCLES, STEP};
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{Duration, Frequency};

/// `[firmware]`: the controller's CPU, a queue with `cores` servers and a cost per step. The
/// model is that of Hu et al. 2011, section 3.1 (one instruction per cycle at 100 MHz); the
/// cycles per step are Wordline's own estimates, to be calibrated. Beside it every command takes
/// `read_latency` or `write_latency`, which occupies nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FirmwareConfig {
    /// Whether controller work takes time at all.
    pub enabled: bool,
    /// Clock of a core.
    pub clock: Frequency,
    /// Cores that share the work; at least 1.
    pub cores: u32,
    /// Cycles to fetch a host command and divide it into pages, per command.
    #[schemars(range(max = CYCLES))]
    pub fetch_and_split: u32,
    /// Cycles that a write command takes beside `fetch_and_split`, whatever its length, per command: of its admission to the write
    /// buffer and the record of it, which hold drives back that write sequentially at the rate of their link.
    #[schemars(range(max = CYCLES))]
    pub write_command: u32,
    /// Cycles of a mapping look-up, per page.
    #[schemars(range(max = CYCLES))]
    pub map_lookup: u32,
    /// Cycles to choose a place for a page, per page written.
    #[schemars(range(max = CYCLES))]
    pub allocation: u32,
    /// Cycles to look up or insert a page in the write buffer, per page.
    #[schemars(range(max = CYCLES))]
    pub buffer: u32,
    /// Cycles to issue a flash command, per command.
    #[schemars(range(max = CYCLES))]
    pub flash_command: u32,
    /// Cycles to complete a host command, per command.
    #[schemars(range(max = CYCLES))]
    pub completion: u32,
    /// Cycles of garbage collection, per page moved.
    #[schemars(range(max = CYCLES))]
    pub gc_per_page: u32,
    /// Cycles to choose a victim block, per collection.
    #[schemars(range(max = CYCLES))]
    pub gc_victim: u32,
    /// Cycles to merge old and new sub-pages of an update, per page.
    #[schemars(range(max = CYCLES))]
    pub merge: u32,
    /// Cycles per byte merged, on top of `merge`.
    pub merge_per_byte: f64,
    /// Time from the admission of a read command to its first step, in any number of commands at once: it occupies no core, with
    /// or without `enabled`. From none to 10 s; measured drives have 10 to 20 us (a lone read of 65 us, 40 to 50 of them sensing),
    /// of which `cores` and the link may already have a part.
    #[schemars(extend("x-maximum" = STEP))]
    pub read_latency: Duration,
    /// The same for every other command: writes, deallocations, flushes and commands of zones, which keep their order by it. Measured
    /// drives have 6 to 8 us (a lone write into the buffer of 9 to 15 us).
    #[schemars(extend("x-maximum" = STEP))]
    pub write_latency: Duration,
}

impl Default for FirmwareConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            clock: Frequency(100_000_000),
            cores: 1,
            fetch_and_split: 200,
            write_command: 0,
            map_lookup: 100,
            allocation: 150,
            buffer: 150,
            flash_command: 100,
            completion: 100,
            gc_per_page: 200,
            gc_victim: 500,
            merge: 150,
            merge_per_byte: 0.25,
            read_latency: Duration::ZERO,
            write_latency: Duration::ZERO,
        }
    }
}

impl Section for FirmwareConfig {
    const RULES: &'static [Rule] = &[Rule::all_but(
        &["enabled", "read_latency", "write_latency"],
        &[On("firmware.enabled")],
    )];
}

/// Cores of a controller: far more than any drive has.
const MOST_CORES: u32 = 1024;

impl FirmwareConfig {
    /// Whether commands spend time in the controller beside what occupies a core.
    #[must_use]
    pub fn delays_commands(&self) -> bool {
        self.read_latency.max(self.write_latency) > Duration::ZERO
    }

    /// Checks the values.
    ///
    /// # Errors
    /// No core, or too many; a clock that stands still; a number of cycles per byte that no merge takes.
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        if !(1..=MOST_CORES).contains(&self.cores) {
            return Err(RefusedValue::new(
                "firmware.cores",
                self.cores,
                "from 1 to 1024 cores",
            ));
        }
        if self.clock.0 == 0 {
            return Err(RefusedValue::new("firmware.clock", "0 Hz", "a clock above 0 Hz"));
        }
        if !(0.0..=1e6).contains(&self.merge_per_byte) {
            let accepted = "from 0 to 1000000 cycles";
            return Err(RefusedValue::new(
                "firmware.merge_per_byte",
                self.merge_per_byte,
                accepted,
            ));
        }
        Ok(())
    }
}
