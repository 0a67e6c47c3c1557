//! Physical quantities: real numbers with a unit, as in `"17.2 V"` or `"1e15 cm^-3"`.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

/// Why a physical quantity could not be read; says what was found and what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{found}` is not {what}: {why}; write for example {example}, accepted units: {units}")]
pub struct PhysicalError {
    found: String,
    what: &'static str,
    why: String,
    example: &'static str,
    units: String,
}

/// A kind of quantity: its units, each with the power of ten that turns it into the base unit.
pub(crate) struct Kind {
    pub(crate) what: &'static str,
    pub(crate) example: &'static str,
    pub(crate) units: &'static [(&'static str, i32)],
}

impl Kind {
    fn error(&self, found: &str, why: impl Into<String>) -> PhysicalError {
        PhysicalError {
            found: found.to_owned(),
            what: self.what,
            why: why.into(),
            example: self.example,
            units: self
                .units
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", "),
        }
    }

    /// Reads `text` into base units. The decimal point is shifted in the text, so that the value is
    /// the number nearest to what was written.
    pub(crate) fn parse(&self, text: &str) -> Result<f64, PhysicalError> {
        let trimmed = text.trim();
        // the longest start that is a number: "1e15 cm^-3" has an exponent, "1 eV" would not
        let bytes = trimmed.as_bytes();
        let digits = |from: usize| {
            from + bytes[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit() || **byte == b'_')
                .count()
        };
        let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let mut end = digits(sign);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        let mantissa = trimmed[..end].replace('_', "");
        let mut exponent = 0_i32;
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let start = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let stop = digits(start.min(bytes.len()));
            if stop > start {
                exponent = trimmed[end + 1..stop]
                    .parse()
                    .map_err(|_| self.error(text, "malformed exponent"))?;
                end = stop;
            }
        }
        if !mantissa.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(self.error(text, "no number at its start"));
        }
        let unit = trimmed[end..].trim();
        if unit.is_empty() {
            return Err(self.error(text, "the unit is missing"));
        }
        let Some(&(_, power)) = self.units.iter().find(|(name, _)| *name == unit) else {
            return Err(self.error(text, format!("unknown unit `{unit}`")));
        };
        let exponent = exponent.saturating_add(power);
        let value: f64 = format!("{mantissa}e{exponent}")
            .parse()
            .map_err(|_| self.error(text, "malformed number"))?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(text, "too large"))
        }
    }

    /// Writes a value in the largest unit in which the number is at least 1; reading it gives the
    /// same value again.
    fn write(&self, value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let (unit, power) = self
            .units
            .iter()
            .copied()
            .filter(|(_, power)| {
                if value == 0.0 {
                    *power == 0
                } else {
                    *power <= exponent
                }
            })
            .max_by_key(|(_, power)| *power)
            .or_else(|| self.units.iter().copied().min_by_key(|(_, power)| *power))
            .unwrap_or(("", 0));
        f.pad(&format!("{} {unit}", shifted(mantissa, exponent - power)))
    }
}

/// `mantissa` (one digit before the point) times ten to the `shift`, written out where that is short.
fn shifted(mantissa: &str, shift: i32) -> String {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let body = match shift {
        0..=8 => {
            let whole = shift as usize + 1;
            match digits.len().cmp(&whole) {
                Ordering::Greater => format!("{}.{}", &digits[..whole], &digits[whole..]),
                _ => format!("{digits:0<whole$}"),
            }
        }
        -4..0 => format!("0.{}{digits}", "0".repeat((-shift - 1) as usize)),
        _ => format!("{mantissa}e{shift}"),
    };
    format!("{sign}{body}")
}

macro_rules! physical {
    ($(#[$meta:meta])* $type:ident, $kind:ident, $what:literal, $example:literal, $units:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $type(pub f64);

        const $kind: Kind = Kind { what: $what, example: $example, units: $units };

        impl std::str::FromStr for $type {
            type Err = PhysicalError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $kind.parse(text).map(Self)
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $kind.write(self.0, f)
            }
        }
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "{} with its unit, such as {}", $what, $example)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Text)
            }
        }
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let units: Vec<String> =
                    $kind.units.iter().map(|(name, _)| name.replace('^', r"\^")).collect();
                schemars::json_schema!({
                    "type": "string",
                    "description": format!("{}, for example {}", $what, $example),
                    "pattern": format!(
                        r"^\s*[+-]?[0-9_]*\.?[0-9_]*([eE][+-]?[0-9]+)?\s*({})\s*$",
                        units.join("|")
                    ),
                })
            }
        }
    };
}

physical!(
    /// A voltage in volts. Configuration writes it as `"17.2 V"`.
    Voltage, VOLTAGE, "a voltage", "\"3.3 V\"", &[("V", 0), ("mV", -3)]
);
physical!(
    /// A length in metres. Configuration writes it as `"7 nm"`.
    Length, LENGTH, "a length", "\"72 nm\"", &[("m", 0), ("mm", -3), ("um", -6), ("nm", -9)]
);
physical!(
    /// An energy in joules. Configuration writes it as `"0.15 uJ"`.
    Energy, ENERGY, "an energy", "\"0.15 uJ\"",
    &[("J", 0), ("mJ", -3), ("uJ", -6), ("nJ", -9), ("pJ", -12), ("fJ", -15)]
);
physical!(
    /// A current in amperes. Configuration writes it as `"10 nA"`.
    Current, CURRENT, "a current", "\"10 nA\"",
    &[("A", 0), ("mA", -3), ("uA", -6), ("nA", -9), ("pA", -12), ("fA", -15)]
);
physical!(
    /// A power in watts. Configuration writes it as `"350 mW"`.
    Power, POWER, "a power", "\"350 mW\"", &[("W", 0), ("mW", -3), ("uW", -6), ("nW", -9)]
);
physical!(
    /// A concentration per cubic centimetre. Configuration writes it as `"1e15 cm^-3"`.
    Concentration, CONCENTRATION, "a concentration", "\"1e15 cm^-3\"", &[("cm^-3", 0), ("m^-3", -6)]
);
physical!(
    /// A temperature in kelvin. Configuration writes it as `"300 K"`.
    Temperature, TEMPERATURE, "a temperature", "\"300 K\"", &[("K", 0)]
);
physical!(
    /// A temperature in degrees Celsius. Configuration writes it as `"55 degC"`.
    Celsius, CELSIUS, "a temperature", "\"55 degC\"", &[("degC", 0)]
);
physical!(
    /// A thermal resistance in kelvin per watt. Configuration writes it as `"10 K/W"`.
    ThermalResistance, THERMAL_RESISTANCE, "a thermal resistance", "\"10 K/W\"", &[("K/W", 0)]
);
physical!(
    /// A heat capacity in joules per kelvin. Configuration writes it as `"8 J/K"`.
    HeatCapacity, HEAT_CAPACITY, "a heat capacity", "\"8 J/K\"", &[("J/K", 0), ("mJ/K", -3)]
);
physical!(
    /// Bytes per second. Configuration writes it as `"500 MB/s"`.
    ByteRate, BYTE_RATE, "a rate of data", "\"500 MB/s\"",
    &[("B/s", 0), ("kB/s", 3), ("MB/s", 6), ("GB/s", 9)]
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_and_writes_units() {
        for (text, value) in [
            ("17.2 V", 17.2),
            ("300mV", 0.3),
            ("+1_000 mV", 1.0),
            ("-.5 V", -0.5),
        ] {
            assert_eq!(text.parse::<Voltage>().unwrap(), Voltage(value), "{text}");
        }
        assert_eq!("7.0 nm".parse::<Length>().unwrap(), Length(7e-9));
        assert_eq!(
            "1e15 cm^-3".parse::<Concentration>().unwrap(),
            Concentration(1e15)
        );
        assert_eq!("1e21 m^-3".parse::<Concentration>().unwrap(), Concentration(1e15));
        for text in ["0.15 uJ", "150 nJ"] {
            assert_eq!(text.parse::<Energy>().unwrap().to_string(), "150 nJ");
        }
        assert_eq!(Energy(0.0).to_string(), "0 J");
        assert_eq!(Length(8.05e-8).to_string(), "80.5 nm");
        assert_eq!(Voltage(2.736).to_string(), "2.736 V");
        assert_eq!(Voltage(-0.002).to_string(), "-2 mV");
        assert_eq!(Concentration(1e19).to_string(), "1e19 cm^-3");
    }

    #[test]
    fn refuses_what_it_cannot_hold() {
        for text in [
            "",
            "V",
            "3",
            "3 W",
            "1.2.3 V",
            "1e999 V",
            "1e99999999999 V",
            "NaN V",
            "--3 V",
        ] {
            let error = text.parse::<Voltage>().unwrap_err().to_string();
            assert!(error.contains("accepted units: V, mV"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_exact(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            prop_assert_eq!(Energy(value).to_string().parse::<Energy>().unwrap(), Energy(value));
        }

        #[test]
        fn no_text_panics(text in ".{0,20}") {
            let _ = text.parse::<Voltage>();
        }
    }
}
