//! What a drive may take of power, and where it goes when it has nothing to do: what the keys of `[power]` about both mean, and their checks.

use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, Duration, Power};

use crate::Config;
use crate::conflict::{Conflict, Feature, named, rules_out};
use crate::power::PowerConfig;

/// Largest DRAM that is accepted; one beyond is a slip of the unit.
const LARGEST_DRAM: ByteSize = ByteSize(1 << 44);
/// So is an energy of a byte beyond this, J.
const HIGHEST_PER_BYTE: f64 = 1e-3;
/// Linux has a drive go to an idle state after so many times what entering and leaving it take.
const LATENCIES: u64 = 50;

/// A non-operational power state: the drive serves nothing in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleState {
    /// Of the whole drive.
    pub power: Power,
    /// Time without any work after which the drive goes there.
    pub after: Duration,
    /// Time until it is there.
    pub entry: Duration,
    /// Time until it takes up commands again.
    pub exit: Duration,
}

impl PowerConfig {
    /// Whether energies of flash operations are known.
    #[must_use]
    pub const fn knows_flash(&self) -> bool {
        self.chip.is_some() || self.supply.is_some()
    }

    /// Whether programs and erases may have to wait for power.
    #[must_use]
    pub const fn is_limited(&self) -> bool {
        self.cap.is_some() || self.peak.is_some()
    }

    /// What the DRAM takes when no byte moves, W.
    #[must_use]
    pub fn dram_watts(&self) -> f64 {
        let gib = self
            .dram_size
            .map_or(0.0, |size| size.0 as f64 / (1_u64 << 30) as f64);
        self.dram.0 + gib * self.dram_per_gib.0
    }

    /// What a byte in the DRAM takes, J; nothing where its capacity is not given.
    #[must_use]
    pub fn dram_joules_per_byte(&self) -> f64 {
        self.dram_size.map_or(0.0, |_| self.dram_per_byte.0)
    }

    /// What the drive takes at most without a flash operation or a transfer, W.
    #[must_use]
    pub fn background(&self) -> f64 {
        self.controller.0.max(self.idle.0) + self.dram_watts()
    }

    /// The idle states, the deepest last.
    #[must_use]
    pub fn idle_states(&self) -> Vec<IdleState> {
        let state = |power: Power, after: Option<Duration>, entry: Duration, exit: Duration| IdleState {
            power,
            after: after.unwrap_or_else(|| Duration((entry + exit).ns().saturating_mul(LATENCIES))),
            entry,
            exit,
        };
        let first = self
            .ps3
            .map(|power| state(power, self.ps3_after, self.ps3_entry, self.ps3_exit));
        let second = self
            .ps4
            .map(|power| state(power, self.ps4_after, self.ps4_entry, self.ps4_exit));
        first.into_iter().chain(second).collect()
    }

    /// # Errors
    /// A DRAM of no size or beyond 16 TiB, an energy of a byte that is negative or above 1 mJ.
    pub(crate) fn check_dram(&self) -> Result<(), RefusedValue> {
        if let Some(size) = self.dram_size
            && !(1..=LARGEST_DRAM.0).contains(&size.0)
        {
            return Err(RefusedValue::new(
                "power.dram_size",
                size,
                "a size from 1 B to 16 TiB",
            ));
        }
        let energy = self.dram_per_byte;
        if !(0.0..=HIGHEST_PER_BYTE).contains(&energy.0) {
            return Err(RefusedValue::new(
                "power.dram_per_byte",
                energy,
                "an energy from 0 J to 1 mJ",
            ));
        }
        Ok(())
    }

    /// # Errors
    /// A state that takes more than the one before it, or comes no later.
    pub(crate) fn check_idle_states(&self) -> Result<(), RefusedValue> {
        let states = self.idle_states();
        let whole = self.idle.0 + self.dram_watts();
        if let Some(first) = states.first()
            && !(0.0..=whole).contains(&first.power.0)
        {
            let accepted = format!(
                "a power up to {}, that of the idle drive with its DRAM (power.idle)",
                Power(whole)
            );
            return Err(RefusedValue::new("power.ps3", first.power, accepted));
        }
        if self.ps4.is_some() && self.ps3.is_none() {
            return Err(RefusedValue::new(
                "power.ps4",
                "given",
                "left out without power.ps3",
            ));
        }
        if let [first, second] = states[..] {
            if !(0.0..=first.power.0).contains(&second.power.0) {
                return Err(RefusedValue::new(
                    "power.ps4",
                    second.power,
                    "a power up to power.ps3",
                ));
            }
            if second.after < first.after + first.entry {
                let accepted = format!(
                    "a time of {} or more: by then the drive is in the state before it",
                    first.after + first.entry
                );
                return Err(RefusedValue::new("power.ps4_after", second.after, accepted));
            }
        }
        Ok(())
    }
}

impl Config {
    /// Checks the limits of power against what else the drive is.
    ///
    /// # Errors
    /// A limit or an idle state of a drive without energies; one that the drive is beyond without any operation.
    pub(crate) fn check_power_limits(&self) -> Result<(), RefusedValue> {
        let power = &self.power;
        let limits = [
            ("power.cap", power.cap),
            ("power.peak", power.peak),
            ("power.ps3", power.ps3),
        ];
        for (key, found) in limits {
            if let Some(found) = found.filter(|_| !power.knows_flash()) {
                let accepted =
                    "left out where no energies are known: give power.supply, or power.chip, as well";
                return Err(RefusedValue::new(key, found, accepted));
            }
        }
        let background = power.background();
        if let Some(cap) = power.cap
            && !(cap.0 > background && cap.0.is_finite())
        {
            let accepted = format!(
                "a power above {}, what the drive takes without a flash operation (power.controller or power.idle, and its DRAM)",
                Power(background)
            );
            return Err(RefusedValue::new("power.cap", cap, accepted));
        }
        let currents = power.i_program.0.max(power.i_erase.0);
        let of_die = power.supply.map_or(0.0, |supply| {
            supply.0 * currents * f64::from(self.geometry.planes_per_die)
        });
        let least = background + power.channel_io.0 * f64::from(self.geometry.channels) + of_die;
        if let Some(peak) = power.peak
            && !(peak.0 >= least && peak.0.is_finite())
        {
            let accepted = format!(
                "a power of {} or more: what the drive takes with all channels at work, and one die that programs or erases all its planes",
                Power(least)
            );
            return Err(RefusedValue::new("power.peak", peak, accepted));
        }
        Ok(())
    }
}

/// A scheduler that lets whole requests in foresees when operations end.
const FORESEEING: Conflict = rules_out(
    "scheduler.policy",
    |config| named(config.scheduler.holds_requests(), config.scheduler.policy.name()),
    "a policy that takes up requests as they come",
    &[("scheduler.policy", "dlv"), ("allocation.mode", "static")],
);

/// `power.cap` and `power.peak`.
pub(crate) const POWER_LIMITS: Feature = Feature {
    name: "a limit of power",
    with: "with power.cap or power.peak",
    is_on: |config| config.power.is_limited(),
    example: &[("power.supply", "2.5 V"), ("power.cap", "10 W")],
    conflicts: &[FORESEEING],
};

/// `power.ps3`.
pub(crate) const IDLE_STATES: Feature = Feature {
    name: "idle states",
    with: "with idle states (power.ps3)",
    is_on: |config| config.power.ps3.is_some(),
    example: &[
        ("power.supply", "2.5 V"),
        ("power.idle", "1 W"),
        ("power.ps3", "40 mW"),
    ],
    conflicts: &[FORESEEING],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DriveSource, resolve};

    /// A drive whose `[power]` has these lines beside a supply and 1 W of idle power.
    fn resolved(lines: &str) -> Result<Config, String> {
        let text = format!("[power]\nsupply = \"2.5 V\"\nidle = \"1 W\"\n{lines}");
        let resolved = resolve(DriveSource::Text(&text), None, &[]);
        resolved
            .map(|found| found.config)
            .map_err(|error| error.to_string())
    }

    /// Left out, the times before states are 50 times what entering and leaving take; the defaults are those of the 980 PRO.
    #[test]
    fn idle_states_are_the_deepest_last() {
        assert_eq!(resolved("").unwrap().power.idle_states(), []);
        let power = resolved("ps3 = \"40 mW\"\nps4 = \"5 mW\"\nps4_after = \"2 s\"")
            .unwrap()
            .power;
        let us = Duration::from_us;
        let first = IdleState {
            power: Power(0.04),
            after: us(160_000),
            entry: us(2_000),
            exit: us(1_200),
        };
        let second = IdleState {
            power: Power(0.005),
            after: us(2_000_000),
            entry: us(500),
            exit: us(9_500),
        };
        assert_eq!(power.idle_states(), [first, second]);
    }

    /// 4 GiB at 156 mW each beside a constant.
    #[test]
    fn the_dram_takes_power_by_its_capacity() {
        let power = resolved("dram = \"0.1 W\"\ndram_size = \"4 GiB\"").unwrap().power;
        assert!((power.dram_watts() - 0.724).abs() < 1e-12);
        assert!((power.background() - 1.724).abs() < 1e-12);
        assert_eq!(power.dram_joules_per_byte(), 72e-12);
        assert_eq!(resolved("").unwrap().power.dram_joules_per_byte(), 0.0);
    }

    /// Each is refused by its key, with what is accepted.
    #[test]
    fn limits_and_states_that_make_no_sense_are_refused() {
        for (lines, key, accepted) in [
            ("cap = \"1 W\"", "power.cap", "above 1 W"),
            ("controller = \"3 W\"\ncap = \"2 W\"", "power.cap", "above 3 W"),
            (
                "dram_size = \"1 GiB\"\ncap = \"1.1 W\"",
                "power.cap",
                "above 1.156 W",
            ),
            ("peak = \"1.05 W\"", "power.peak", "or more"),
            ("ps3 = \"1.1 W\"", "power.ps3", "up to 1 W"),
            ("ps4 = \"5 mW\"", "power.ps4", "power.ps3"),
            ("ps3 = \"40 mW\"\nps4 = \"41 mW\"", "power.ps4", "up to power.ps3"),
            (
                "ps3 = \"40 mW\"\nps4 = \"5 mW\"\nps4_after = \"161 ms\"",
                "power.ps4_after",
                "162 ms or more",
            ),
            (
                "ps3 = \"40 mW\"\nps3_exit = \"2 s\"",
                "power.ps3_exit",
                "at most 1 s",
            ),
            ("ps3 = \"-1 mW\"", "power.ps3", "up to 1 W"),
            ("dram_size = \"32 TiB\"", "power.dram_size", "16 TiB"),
            (
                "dram_size = \"1 GiB\"\ndram_per_byte = \"-1 pJ\"",
                "power.dram_per_byte",
                "0 J to 1 mJ",
            ),
        ] {
            let error = resolved(lines).unwrap_err();
            assert!(
                error.contains(key) && error.contains(accepted),
                "{lines}: {error}"
            );
        }
        for key in ["cap", "peak", "ps3"] {
            let text = format!("[power]\n{key} = \"9 W\"");
            let error = resolve(DriveSource::Text(&text), None, &[])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("power.{key}")) && error.contains("power.supply"),
                "{error}"
            );
        }
    }
}
