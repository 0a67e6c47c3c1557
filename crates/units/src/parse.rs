//! Numbers with units: `"16 KiB"`, `"25 us"`, `"333 MT/s"`.

use thiserror::Error;

use crate::nearest;

/// Why a quantity could not be read; says what was found and what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{found}` is not {what}: {why}; write for example {example}, accepted units: {units}")]
pub struct ParseError {
    found: String,
    what: &'static str,
    why: String,
    example: &'static str,
    units: String,
}

/// A kind of quantity: its unit table in base units.
pub(crate) struct Kind {
    pub(crate) what: &'static str,
    pub(crate) example: &'static str,
    /// Unit and how many base units one of it holds.
    pub(crate) units: &'static [(&'static str, u64)],
    /// Units spelled out, one of each; read with an `s` at the end too and in any case of letters, and never written.
    pub(crate) spelled: &'static [(&'static str, u64)],
    /// Whether a unit may be written in capital and small letters alike.
    pub(crate) any_case: bool,
}

impl Kind {
    fn error(&self, found: &str, why: impl Into<String>) -> ParseError {
        ParseError {
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

    /// Reads `text` into base units. Exact: the number is decimal, and a fraction must come out
    /// as a whole number of base units.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, ParseError> {
        let trimmed = text.trim();
        let split = trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
            .unwrap_or(trimmed.len());
        let number = trimmed[..split].replace('_', "");
        if number.is_empty() {
            return Err(self.error(text, "no number at its start"));
        }
        let (exponent, unit) = exponent(&trimmed[split..]);
        let unit = unit.trim();
        if unit.is_empty() {
            return Err(self.error(text, "the unit is missing"));
        }
        let Some(scale) = self.scale(unit) else {
            return Err(self.error(text, self.unknown(&number, unit)));
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        if fraction.len() > 18 || fraction.contains('.') {
            return Err(self.error(text, "malformed number"));
        }
        let digits = format!("{whole}{fraction}");
        let value: u128 = digits.parse().map_err(|_| self.error(text, "malformed number"))?;
        let shift = exponent.saturating_sub(fraction.len() as i32);
        let power = 10_u128.checked_pow(shift.unsigned_abs());
        let factor = if shift > 0 { power } else { Some(1) };
        let scaled = factor
            .and_then(|factor| value.checked_mul(factor)?.checked_mul(u128::from(scale)))
            .or((value == 0).then_some(0))
            .ok_or_else(|| self.error(text, "too large"))?;
        let divisor = if shift < 0 { power.unwrap_or(u128::MAX) } else { 1 };
        if scaled % divisor != 0 {
            return Err(self.error(text, "not a whole number of base units"));
        }
        u64::try_from(scaled / divisor).map_err(|_| self.error(text, "too large"))
    }

    /// How many base units a unit holds; `None` for a word that is none.
    fn scale(&self, written: &str) -> Option<u64> {
        let short = self.units.iter().find(|(name, _)| self.is(name, written));
        let one = written.strip_suffix(['s', 'S']).unwrap_or(written);
        let spelled = || {
            let is_it = |name: &str| name.eq_ignore_ascii_case(written) || name.eq_ignore_ascii_case(one);
            self.spelled.iter().find(|(name, _)| is_it(name))
        };
        short.or_else(spelled).map(|(_, scale)| *scale)
    }

    /// Whether `written` spells the unit `name`.
    fn is(&self, name: &str, written: &str) -> bool {
        name == written || self.any_case && name.eq_ignore_ascii_case(written)
    }

    /// Why `unit` after `number` is none of the units, and which was meant where that is known.
    fn unknown(&self, number: &str, unit: &str) -> String {
        // of the sizes, `k` is the start of `kB` and of `KiB`, of which neither may be guessed
        let meant: Vec<String> = self
            .units
            .iter()
            .filter(|(name, _)| self.any_case && name.len() > 1 && name[..1].eq_ignore_ascii_case(unit))
            .map(|(name, scale)| format!("`{number} {name}` ({number} times {scale})"))
            .collect();
        if !meant.is_empty() {
            return format!("`{unit}` alone may mean {}", meant.join(" or "));
        }
        let hint = nearest(unit, self.units.iter().map(|(name, _)| *name))
            .map_or_else(String::new, |name| format!(", did you mean `{name}`?"));
        format!("unknown unit `{unit}`{hint}")
    }

    /// The regular expression of a unit, in the dialect of JSON Schema, which cannot leave the case open.
    fn pattern(&self) -> String {
        let spelt = |name: &str, any_case: bool| -> String {
            name.chars()
                .map(|letter| match letter {
                    letter if any_case => {
                        format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase())
                    }
                    letter => letter.to_string(),
                })
                .collect()
        };
        let short = self.units.iter().map(|(name, _)| spelt(name, self.any_case));
        let spelled = self
            .spelled
            .iter()
            .map(|(name, _)| format!("{}[sS]?", spelt(name, true)));
        short.chain(spelled).collect::<Vec<_>>().join("|")
    }

    /// The JSON Schema of a text that holds such a quantity.
    pub(crate) fn schema(&self) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": format!("{}, for example {}", self.what, self.example),
            "pattern": format!(r"^\s*[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*({})\s*$", self.pattern()),
        })
    }

    /// Writes `value` base units with the largest unit that divides it.
    pub(crate) fn format(&self, value: u64) -> String {
        let (name, scale) = self
            .units
            .iter()
            .filter(|(_, scale)| value.is_multiple_of(*scale) && (value != 0 || *scale == 1))
            .max_by_key(|(_, scale)| *scale)
            .unwrap_or(&self.units[0]);
        format!("{} {name}", value / scale)
    }

    /// Writes `value` base units as people do: three significant digits, or all that stand before
    /// the point, in the largest of `units` in which the number is at least 1.
    pub(crate) fn rounded(&self, units: &[&str], value: u64) -> String {
        let (name, scale) = self
            .units
            .iter()
            .filter(|(name, scale)| units.contains(name) && value >= *scale)
            .max_by_key(|(_, scale)| *scale)
            .unwrap_or(&self.units[0]);
        let digits = |number: f64| match number {
            ..9.995 => 2,
            ..99.95 => 1,
            _ => 0,
        };
        let number = value as f64 / *scale as f64;
        let text = format!("{number:.*}", digits(number));
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        format!("{text} {name}")
    }
}

/// The power of ten at the start of what follows a number, 0 without one, and the rest.
fn exponent(rest: &str) -> (i32, &str) {
    let Some(power) = rest.strip_prefix(['e', 'E']) else {
        return (0, rest);
    };
    let sign = usize::from(power.starts_with(['+', '-']));
    let digits = power[sign..].bytes().take_while(u8::is_ascii_digit).count();
    match power[..sign + digits].parse() {
        Ok(exponent) => (exponent, &power[sign + digits..]),
        Err(_) => (0, rest),
    }
}

/// Gives a quantity newtype its text form everywhere: `FromStr`, `Display`, serde and JSON Schema.
macro_rules! text_form {
    ($type:ident, $kind:expr) => {
        impl std::str::FromStr for $type {
            type Err = crate::ParseError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $kind.parse(text).map(Self)
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&$kind.format(self.0))
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
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, "{} with its unit, such as {}", $kind.what, $kind.example)
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
                $kind.schema()
            }
        }
    };
}
pub(crate) use text_form;
