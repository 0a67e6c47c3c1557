//! Shares: numbers such as `0.07`, or percentages such as `"7%"`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

use crate::PhysicalError;
use crate::physical::Kind;

/// A share of something. Configuration writes it as a number, `0.07`, or as a percentage, `"7%"`; which shares make
/// sense is for the key to say.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(pub f64);

const SHARE: Kind = Kind {
    what: "a share",
    example: "0.07 or \"7%\"",
    units: &[("%", -2)],
};

impl Share {
    /// The regular expression of a percentage in JSON Schema.
    pub const PERCENTAGE: &str = r"^\s*[+-]?[0-9_]*\.?[0-9_]*([eE][+-]?[0-9]+)?\s*%\s*$";
}

impl FromStr for Share {
    type Err = PhysicalError;

    /// Reads a percentage; `"7%"` is the same number as `0.07`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SHARE.parse(text).map(Self)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Share;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a percentage such as \"7%\"")
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Share, E> {
                Ok(Share(number))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Share, E> {
                Ok(Share(number as f64))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Share, E> {
                Ok(Share(number as f64))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Share, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Form)
    }
}

impl schemars::JsonSchema for Share {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                {"type": "number"},
                {"type": "string", "pattern": Self::PERCENTAGE},
            ],
        })
    }
}

/// For `deserialize_with`: a share as a plain number.
///
/// # Errors
/// Neither a number nor a percentage.
pub fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Share::deserialize(deserializer).map(|share| share.0)
}

/// For `deserialize_with`: a share that may be left out.
///
/// # Errors
/// Neither a number nor a percentage.
pub fn optional_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::<Share>::deserialize(deserializer).map(|share| share.map(|share| share.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_the_number_that_is_written() {
        for (text, share) in [
            ("7%", 0.07),
            ("28 %", 0.28),
            ("0.1%", 0.001),
            ("100%", 1.0),
            ("33.3 %", 0.333),
            ("-5%", -0.05),
            ("1e2%", 1.0),
        ] {
            assert_eq!(text.parse::<Share>(), Ok(Share(share)), "{text}");
        }
    }

    #[test]
    fn what_is_no_percentage_is_refused() {
        for text in ["", "%", "7", "0.07", "7 per cent", "7%%", "seven%", "NaN%"] {
            let error = text.parse::<Share>().unwrap_err().to_string();
            assert!(
                error.contains("write for example 0.07 or \"7%\""),
                "{text}: {error}"
            );
        }
    }
}
