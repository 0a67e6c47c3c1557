//! `[thermal]`: the temperature of the drive, and what it does where that is too high.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::On;
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{ByteRate, Celsius, Duration, HeatCapacity, Temperature, ThermalResistance};

use crate::Config;

/// Longest time constant, s: twelve days, beyond that of any drive.
const MOST_SECONDS: f64 = 1e6;

/// `[thermal]`: one composite temperature of the whole drive, from its power, and throttling by the two thresholds of the host controlled thermal management of NVMe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThermalConfig {
    /// Whether the drive has a temperature. Its power is that of `[power]`, which needs `power.chip` or `power.supply`.
    pub enabled: bool,
    /// Temperature around the drive; assumed: 25 degC, that of a room.
    pub ambient: Celsius,
    /// Temperature of the drive when the run starts; `ambient` by default. A saved state has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<Celsius>,
    /// By how much the drive is warmer than `ambient` for each watt that it gives off; assumed: 10 K/W, as of a drive that comes to 75 degC with 5 W.
    pub resistance: ThermalResistance,
    /// Heat that the drive takes up for each kelvin; assumed: 8 J/K, as of 9 g of board and packages at 0.9 J/(g K).
    pub capacity: HeatCapacity,
    /// Thermal management temperature 1 (TMT1): from here on the drive throttles lightly; assumed.
    pub tmt1: Celsius,
    /// Thermal management temperature 2 (TMT2): from here on it throttles heavily; assumed.
    pub tmt2: Celsius,
    /// Warning composite temperature (WCTEMP): the time from here on is counted; assumed.
    pub wctemp: Celsius,
    /// Critical composite temperature (CCTEMP): from here on the drive takes up no command; assumed.
    pub cctemp: Celsius,
    /// By how much the drive must be colder than the threshold of a state to leave it; assumed.
    pub hysteresis: Temperature,
    /// Data that the drive takes up commands for while it throttles lightly; assumed.
    pub light_rate: ByteRate,
    /// The same while it throttles heavily; assumed.
    pub heavy_rate: ByteRate,
    /// Time between two looks at the temperature; assumed.
    pub step: Duration,
}

impl Default for ThermalConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            ambient: Celsius(25.0),
            initial: None,
            resistance: ThermalResistance(10.0),
            capacity: HeatCapacity(8.0),
            tmt1: Celsius(70.0),
            tmt2: Celsius(78.0),
            wctemp: Celsius(80.0),
            cctemp: Celsius(85.0),
            hysteresis: Temperature(3.0),
            light_rate: ByteRate(1e9),
            heavy_rate: ByteRate(50e6),
            step: Duration::from_ms(10),
        }
    }
}

impl Section for ThermalConfig {
    const RULES: &'static [Rule] = &[Rule::all_but(&["enabled"], &[On("thermal.enabled")])];
}

/// Temperatures outside this range are slips of the unit, degC.
const TEMPERATURES: std::ops::RangeInclusive<f64> = -100.0..=1_000.0;
/// So are resistances and capacities beyond this, K/W and J/K.
const LARGEST: f64 = 1e6;
/// A slower rate would make a run endless, B/s.
const SLOWEST: f64 = 1e3;
/// A faster one limits nothing, B/s.
const FASTEST: f64 = 1e15;

impl ThermalConfig {
    /// Temperature of the drive when the run starts.
    #[must_use]
    pub fn starts_at(&self) -> Celsius {
        self.initial.unwrap_or(self.ambient)
    }

    fn check(&self) -> Result<(), RefusedValue> {
        for (key, value) in [
            ("thermal.ambient", self.ambient),
            ("thermal.initial", self.starts_at()),
            ("thermal.tmt1", self.tmt1),
            ("thermal.tmt2", self.tmt2),
            ("thermal.wctemp", self.wctemp),
            ("thermal.cctemp", self.cctemp),
        ] {
            if !TEMPERATURES.contains(&value.0) {
                return Err(RefusedValue::new(
                    key,
                    value,
                    "a temperature from -100 degC to 1000 degC",
                ));
            }
        }
        let positive = |value: f64| value > 0.0 && value <= LARGEST;
        if !positive(self.resistance.0) {
            let accepted = "a resistance above 0 K/W, up to 1000000 K/W";
            return Err(RefusedValue::new("thermal.resistance", self.resistance, accepted));
        }
        if !positive(self.capacity.0) {
            let accepted = "a heat capacity above 0 J/K, up to 1000000 J/K";
            return Err(RefusedValue::new("thermal.capacity", self.capacity, accepted));
        }
        if !(0.0..=1_000.0).contains(&self.hysteresis.0) {
            let accepted = "a difference from 0 K to 1000 K";
            return Err(RefusedValue::new("thermal.hysteresis", self.hysteresis, accepted));
        }
        let order = [
            (
                "thermal.tmt2",
                self.tmt1,
                self.tmt2,
                "a temperature above thermal.tmt1",
            ),
            (
                "thermal.cctemp",
                self.tmt2,
                self.cctemp,
                "a temperature above thermal.tmt2",
            ),
        ];
        for (key, low, high, accepted) in order {
            if high <= low {
                return Err(RefusedValue::new(key, high, accepted));
            }
        }
        if self.wctemp > self.cctemp {
            return Err(RefusedValue::new(
                "thermal.wctemp",
                self.wctemp,
                "a temperature up to thermal.cctemp",
            ));
        }
        let rates = [
            ("thermal.light_rate", self.light_rate),
            ("thermal.heavy_rate", self.heavy_rate),
        ];
        for (key, rate) in rates {
            if !(SLOWEST..=FASTEST).contains(&rate.0) {
                return Err(RefusedValue::new(key, rate, "a rate from 1 kB/s to 1000000 GB/s"));
            }
        }
        if self.heavy_rate > self.light_rate {
            return Err(RefusedValue::new(
                "thermal.heavy_rate",
                self.heavy_rate,
                "a rate up to thermal.light_rate",
            ));
        }
        if !(Duration::from_us(1)..=Duration::from_ms(60_000)).contains(&self.step) {
            return Err(RefusedValue::new(
                "thermal.step",
                self.step,
                "a time from 1 us to 60 s",
            ));
        }
        Ok(())
    }
}

impl Config {
    /// Checks the temperature of the drive, if it has one.
    ///
    /// # Errors
    /// A value out of its range or order; no power; a drive that is never cold enough to take up commands.
    pub(crate) fn check_thermal(&self) -> Result<(), RefusedValue> {
        let (thermal, power) = (&self.thermal, &self.power);
        thermal.check()?;
        if !thermal.enabled {
            return Ok(());
        }
        if power.chip.is_none() && power.supply.is_none() {
            let accepted = "false where no energies are known: the temperature follows from the power of the dies (power.supply, or power.chip)";
            return Err(RefusedValue::new("thermal.enabled", "true", accepted));
        }
        if self.scheduler.holds_requests() {
            let found = format!("\"{}\"", self.scheduler.policy.name());
            let accepted = "a policy that takes up requests as they come, with thermal.enabled";
            return Err(RefusedValue::new("scheduler.policy", found, accepted));
        }
        let constant = thermal.resistance.0 * thermal.capacity.0;
        if constant > MOST_SECONDS {
            let accepted = format!("at most {MOST_SECONDS} s of thermal.resistance times thermal.capacity");
            return Err(RefusedValue::new("thermal.capacity", thermal.capacity, &accepted));
        }
        // commands that are held back are not in the drive
        let least = power.idle.0 + power.dram_watts();
        let coldest = thermal.ambient.0 + least * thermal.resistance.0;
        let needed = thermal.cctemp.0 - thermal.hysteresis.0;
        if coldest >= needed {
            let accepted = format!(
                "a temperature that lets the drive come below {} (thermal.cctemp less thermal.hysteresis): without a flash operation it comes to {}",
                Celsius(needed),
                Celsius(coldest)
            );
            return Err(RefusedValue::new("thermal.ambient", thermal.ambient, &accepted));
        }
        Ok(())
    }
}
