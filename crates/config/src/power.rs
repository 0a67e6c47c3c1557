//! `[power]`: what the energy ledger charges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, Set};
use wordline_keys::limits::{INTERFACE_STEP, PAUSE};
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{ByteSize, Current, Duration, Energy, Power, Voltage};

/// `[power]`: the energy of flash operations, after FlashPower, and of what stands around the flash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PowerConfig {
    /// The chip that the drive is built of: the name of a built-in chip (`wordline chips`) or the path of a TOML
    /// file. It must agree with the drive's geometry and times. Left out: no energy is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<String>,
    /// Supply voltage of the dies (VCC), in place of `power.chip` where only the currents of a part are known, as of parts with cells in three
    /// dimensions: an operation takes voltage times current times the time for which the array of its die works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supply: Option<Voltage>,
    /// Supply current of a die while it reads a page (ICC1); assumed: 25 mA, a usual typical value of data sheets of planar parts.
    pub i_read: Current,
    /// Supply current of a die while it programs a page (ICC2); assumed as `i_read`.
    pub i_program: Current,
    /// Supply current of a die while it erases a block (ICC3); assumed as `i_read`.
    pub i_erase: Current,
    /// Where the share of ones in a page comes from.
    pub pattern: Pattern,
    /// Share of ones in every page, 0 to 1; that of the chip (`workload.ones`, half by default) if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub ones: Option<f64>,
    /// Lowest share of ones that is drawn.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub ones_min: f64,
    /// Highest share of ones that is drawn.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub ones_max: f64,
    /// Power of the controller while a request is in the drive.
    pub controller: Power,
    /// Power of the drive's DRAM, at all times but those in an idle state; that of `dram_size` comes on top.
    pub dram: Power,
    /// Capacity of the drive's DRAM, whose power is then counted by it: `dram_per_gib` and `dram_per_byte`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_size: Option<ByteSize>,
    /// Standby and refresh of a GiB of DRAM; by default 1.04 A (IDD2N) at 1.2 V of 8 GiB of DDR4-2133 (Transcend, data sheet of registered modules of one rank of x4, currents).
    pub dram_per_gib: Power,
    /// Energy of a byte that goes into the DRAM or out of it: each byte of the host once, and each that a channel moves once more (assumed). By default
    /// 1.03 A (IDD4R less IDD3N) at 1.2 V over 17 GB/s of the same modules, without the pins.
    pub dram_per_byte: Energy,
    /// Power of a channel while its bus transfers commands or data.
    pub channel_io: Power,
    /// Power of the drive while no request is in it.
    pub idle: Power,
    /// What the drive may take, as the mean over a second: the maximum power (MP) of the NVMe power state that it is in. Programs and erases wait where they would take
    /// more; reads go on. Without it there is no such limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<Power>,
    /// What the drive may take at any moment: programs and erases wait while those at work, with the reads, leave no room for them below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<Power>,
    /// Power of the whole drive in the first idle state, which is PS3 in most client drives (non-operational, NVMe). Without it the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ps3: Option<Power>,
    /// Time without any work after which the drive goes there (ITPT); by default 50 times `ps3_entry` and `ps3_exit` together, as Linux sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub ps3_after: Option<Duration>,
    /// Time until it is there (ENLAT); default of the Samsung 980 PRO (anandtech.com/show/16087, page 8).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub ps3_entry: Duration,
    /// Time until it takes up commands again (EXLAT); default as of `ps3_entry`.
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub ps3_exit: Duration,
    /// Power of the whole drive in the second idle state, PS4, which is deeper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ps4: Option<Power>,
    /// As `ps3_after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub ps4_after: Option<Duration>,
    /// As `ps3_entry`.
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub ps4_entry: Duration,
    /// As `ps3_exit`.
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub ps4_exit: Duration,
    /// `ftl.mapping = "delta"`: power of a codec while it encodes or decodes a page. That of the processor is not printed in the source of the mapping; nothing
    /// unless given.
    pub codec: Power,
}

/// Where the share of ones in a page comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// The same in every page.
    #[default]
    Fixed,
    /// Drawn uniformly for every page that the host writes; a page that is moved keeps it.
    Sampled,
}

impl Default for PowerConfig {
    fn default() -> Self {
        Self {
            chip: None,
            supply: None,
            i_read: Current(25e-3),
            i_program: Current(25e-3),
            i_erase: Current(25e-3),
            pattern: Pattern::Fixed,
            ones: None,
            ones_min: 0.0,
            ones_max: 1.0,
            controller: Power(0.0),
            dram: Power(0.0),
            dram_size: None,
            dram_per_gib: Power(156e-3),
            dram_per_byte: Energy(72e-12),
            channel_io: Power(0.0),
            idle: Power(0.0),
            cap: None,
            peak: None,
            ps3: None,
            ps3_after: None,
            ps3_entry: Duration::from_us(2_000),
            ps3_exit: Duration::from_us(1_200),
            ps4: None,
            ps4_after: None,
            ps4_entry: Duration::from_us(500),
            ps4_exit: Duration::from_us(9_500),
            codec: Power(0.0),
        }
    }
}

impl Section for PowerConfig {
    const RULES: &'static [Rule] = &[
        Rule::all_but(
            &["chip", "supply", "i_read", "i_program", "i_erase"],
            &[Set("power.chip"), Set("power.supply")],
        ),
        Rule::only(&["i_read", "i_program", "i_erase"], &[Set("power.supply")]),
        Rule::only(&["pattern", "ones", "ones_min", "ones_max"], &[Set("power.chip")]),
        Rule::only(&["dram_per_gib", "dram_per_byte"], &[Set("power.dram_size")]),
        Rule::only(
            &["ps3_after", "ps3_entry", "ps3_exit", "ps4"],
            &[Set("power.ps3")],
        ),
        Rule::only(&["ps4_after", "ps4_entry", "ps4_exit"], &[Set("power.ps4")]),
        Rule::only(&["codec"], &[Is("ftl.mapping", &["delta"])]),
        Rule::only(&["ones"], &[Is("power.pattern", &["fixed"])]),
        Rule::only(&["ones_min", "ones_max"], &[Is("power.pattern", &["sampled"])]),
    ];
}

/// A power beyond this is a slip of the unit.
const HIGHEST_POWER: f64 = 1e6;
/// So is a supply voltage beyond this, V.
const HIGHEST_SUPPLY: f64 = 100.0;
/// And a current of a die beyond this, A.
const HIGHEST_CURRENT: f64 = 100.0;

impl PowerConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// A share outside 0 to 1, a range without width, a power that is negative or above 1 MW, a voltage or current out of its range, a chip and a supply.
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        let shares = [
            ("power.ones", self.ones),
            ("power.ones_min", Some(self.ones_min)),
            ("power.ones_max", Some(self.ones_max)),
        ];
        for (key, share) in shares {
            if let Some(share) = share
                && !(0.0..=1.0).contains(&share)
            {
                return Err(RefusedValue::new(key, share, "a share from 0 to 1"));
            }
        }
        if self.ones_min >= self.ones_max {
            let accepted = "a share above power.ones_min";
            return Err(RefusedValue::new("power.ones_max", self.ones_max, accepted));
        }
        if let Some(supply) = self.supply {
            if let Some(chip) = &self.chip {
                let accepted =
                    "left out with power.supply: energies are those of a circuit, or of supply currents";
                return Err(RefusedValue::new("power.chip", format!("\"{chip}\""), accepted));
            }
            if !(supply.0 > 0.0 && supply.0 <= HIGHEST_SUPPLY) {
                let accepted = "a voltage above 0 V, up to 100 V";
                return Err(RefusedValue::new("power.supply", supply, accepted));
            }
        }
        for (key, current) in [
            ("power.i_read", self.i_read),
            ("power.i_program", self.i_program),
            ("power.i_erase", self.i_erase),
        ] {
            if !(0.0..=HIGHEST_CURRENT).contains(&current.0) {
                return Err(RefusedValue::new(key, current, "a current from 0 A to 100 A"));
            }
        }
        let powers = [
            ("power.controller", self.controller),
            ("power.dram", self.dram),
            ("power.channel_io", self.channel_io),
            ("power.idle", self.idle),
            ("power.dram_per_gib", self.dram_per_gib),
            ("power.codec", self.codec),
        ];
        for (key, power) in powers {
            if !(0.0..=HIGHEST_POWER).contains(&power.0) {
                return Err(RefusedValue::new(key, power, "a power from 0 W to 1000000 W"));
            }
        }
        self.check_dram()?;
        self.check_idle_states()
    }
}
