//! `[power]`: what the energy ledger charges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, Set};
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{Current, Power, Voltage};

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
    /// Power of the drive's DRAM, at all times.
    pub dram: Power,
    /// Power of a channel while its bus transfers commands or data.
    pub channel_io: Power,
    /// Power of the drive while no request is in it.
    pub idle: Power,
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
            channel_io: Power(0.0),
            idle: Power(0.0),
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
            ("power.codec", self.codec),
        ];
        for (key, power) in powers {
            if !(0.0..=HIGHEST_POWER).contains(&power.0) {
                return Err(RefusedValue::new(key, power, "a power from 0 W to 1000000 W"));
            }
        }
        Ok(())
    }
}
