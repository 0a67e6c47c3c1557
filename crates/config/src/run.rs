//! `[run]`: which part of a run is measured.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wordline_keys::RefusedValue;
use wordline_keys::limits::LIFE;
use wordline_units::{Duration, SimTime, nearest};

/// The latest time of a run: far beyond the life of a drive, and far enough below the end of the clock that no sum of
/// times overflows.
pub const LATEST: SimTime = SimTime(100 * 365 * 86_400 * 1_000_000_000);

/// `[run]`: which part of a run is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// The first part of the run, which counts in no figure and no table: `"10000 requests"` (acknowledged), `"2 s"`
    /// (simulated), `"1.5 drive writes"` (bytes that the host wrote, for each byte that the drive exports), `"none"`, or
    /// `"auto"`: the run is simulated twice, and what comes before its steady state (MSER-5, of throughput and write
    /// amplification) is cut off. Unset: none, or the `ramp_time` of a fio job file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = LIFE))]
    pub warm_up: Option<WarmUp>,
}

impl RunConfig {
    /// Whether nothing is set.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the amounts.
    ///
    /// # Errors
    /// An amount that no run has.
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        let accepted = match self.warm_up {
            Some(WarmUp::Requests(requests)) if !(1..=MOST_REQUESTS).contains(&requests) => {
                "from 1 to 1000000000000000 requests"
            }
            Some(WarmUp::Time(time)) if time == Duration::ZERO => "a time above 0",
            Some(WarmUp::DriveWrites(writes)) if !(writes > 0.0 && writes <= MOST_DRIVE_WRITES) => {
                "above 0 and at most 1000000 drive writes"
            }
            _ => return Ok(()),
        };
        let found = self
            .warm_up
            .map_or_else(String::new, |warm_up| format!("\"{warm_up}\""));
        Err(RefusedValue::new("run.warm_up", found, accepted))
    }
}

/// Most requests of a warm-up: those of a workload.
const MOST_REQUESTS: u64 = 1_000_000_000_000_000;
/// Most drive writes: beyond what any flash endures.
const MOST_DRIVE_WRITES: f64 = 1e6;

/// How long the warm-up of a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WarmUp {
    /// There is none.
    None,
    /// Until so many requests are acknowledged.
    Requests(u64),
    /// Until so much time is simulated.
    Time(Duration),
    /// Until the host has written so many times the bytes that the drive exports.
    DriveWrites(f64),
    /// Until the run is in its steady state.
    Auto,
}

/// Units of amounts that are no times; the first of each is written.
const REQUESTS: [&str; 2] = ["requests", "request"];
const DRIVE_WRITES: [&str; 2] = ["drive writes", "drive write"];

impl fmt::Display for WarmUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Requests(requests) => write!(f, "{requests} {}", REQUESTS[0]),
            Self::Time(time) => time.fmt(f),
            Self::DriveWrites(writes) => write!(f, "{writes} {}", DRIVE_WRITES[0]),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for WarmUp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.trim();
        match words {
            "none" => return Ok(Self::None),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        let end = words
            .find(|c: char| !(c.is_ascii_digit() || "._".contains(c)))
            .unwrap_or(words.len());
        let (number, mut unit) = (words[..end].replace('_', ""), &words[end..]);
        // the power of ten of a number, which no unit begins with
        let mut power = "";
        if let Some(rest) = unit.strip_prefix(['e', 'E']) {
            let digits = rest.trim_start_matches(['+', '-']);
            let digits = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            (power, unit) = unit.split_at(unit.len() - digits.len());
        }
        let unit = unit.split_whitespace().collect::<Vec<_>>().join(" ");
        let amount = || format!("{number}{power}").parse::<f64>().ok();
        let refuse = |why: String| {
            format!(
                "`{text}` is not the length of a warm-up: {why}; write for example \"10000 requests\", \"2 s\", \
                 \"1.5 drive writes\", \"auto\" or \"none\""
            )
        };
        if number.is_empty() {
            let meant = nearest(words, ["auto", "none"].into_iter());
            return Err(refuse(meant.map_or_else(
                || "no number at its start".to_owned(),
                |meant| format!("did you mean \"{meant}\"?"),
            )));
        }
        if REQUESTS.contains(&unit.as_str()) {
            let whole = |number: &f64| *number >= 0.0 && number.fract() == 0.0 && *number <= 2_f64.powi(63);
            let requests = number.parse().ok().filter(|_| power.is_empty());
            requests
                .or_else(|| amount().filter(whole).map(|number| number as u64))
                .map(Self::Requests)
                .ok_or_else(|| refuse("not a whole number of requests".to_owned()))
        } else if DRIVE_WRITES.contains(&unit.as_str()) {
            amount()
                .map(Self::DriveWrites)
                .ok_or_else(|| refuse("malformed number".to_owned()))
        } else {
            words.parse().map(Self::Time).map_err(|_| {
                let units = [
                    "requests",
                    "drive writes",
                    "ns",
                    "us",
                    "ms",
                    "s",
                    "min",
                    "h",
                    "d",
                    "mo",
                    "y",
                ];
                refuse(if unit.is_empty() {
                    "the unit is missing".to_owned()
                } else {
                    let meant = nearest(&unit, units.into_iter());
                    let hint = meant.map_or_else(String::new, |unit| format!(", did you mean `{unit}`?"));
                    format!("`{unit}` is none of the units {}{hint}", units.join(", "))
                })
            })
        }
    }
}

impl Serialize for WarmUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WarmUp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = WarmUp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the length of a warm-up with its unit, such as \"10000 requests\", \"2 s\" or \"1.5 drive writes\", \
                     or \"auto\" or \"none\"",
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<WarmUp, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Text)
    }
}

impl JsonSchema for WarmUp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WarmUp".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let units = [REQUESTS, DRIVE_WRITES].concat().join("|");
        schemars::json_schema!({
            "anyOf": [
                {"type": "string", "enum": ["none", "auto"]},
                Duration::json_schema(generator),
                {
                    "type": "string",
                    "description": "requests or drive writes, for example \"10000 requests\"",
                    "pattern": format!(r"^\s*[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*({units})\s*$"),
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written() {
        for (text, length, written) in [
            ("none", WarmUp::None, "none"),
            ("auto", WarmUp::Auto, "auto"),
            ("10000 requests", WarmUp::Requests(10_000), "10000 requests"),
            ("1 request", WarmUp::Requests(1), "1 requests"),
            ("10_000requests", WarmUp::Requests(10_000), "10000 requests"),
            ("1e4 requests", WarmUp::Requests(10_000), "10000 requests"),
            ("2 s", WarmUp::Time(Duration(2_000_000_000)), "2 s"),
            ("1.5 drive writes", WarmUp::DriveWrites(1.5), "1.5 drive writes"),
            ("1 drive  write", WarmUp::DriveWrites(1.0), "1 drive writes"),
            ("5e-1 drive writes", WarmUp::DriveWrites(0.5), "0.5 drive writes"),
        ] {
            assert_eq!(text.parse(), Ok(length), "{text}");
            assert_eq!(length.to_string(), written);
            assert_eq!(written.parse(), Ok(length));
        }
    }

    #[test]
    fn what_is_no_length_is_refused_with_what_was_meant() {
        for (text, why) in [
            ("10000", "the unit is missing"),
            ("", "no number at its start"),
            ("automatic", "no number at its start"),
            ("Auto", "did you mean \"auto\"?"),
            ("1.5 requests", "not a whole number of requests"),
            ("5 reqests", "did you mean `requests`?"),
            ("2 drive writs", "did you mean `drive writes`?"),
            ("1.2.3 drive writes", "malformed number"),
            (
                "2 secs",
                "`secs` is none of the units requests, drive writes, ns, us,",
            ),
        ] {
            let error = text.parse::<WarmUp>().unwrap_err();
            assert!(error.contains(why) && error.contains("10000 requests"), "{error}");
        }
    }

    #[test]
    fn amounts_are_checked() {
        let check = |text: &str| {
            let warm_up = Some(text.parse().unwrap());
            RunConfig { warm_up }.check()
        };
        for text in ["1 requests", "1 ns", "0.001 drive writes", "auto", "none"] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for (text, accepted) in [
            ("0 requests", "from 1 to"),
            ("1e16 requests", "from 1 to"),
            ("0 s", "above 0"),
            ("0 drive writes", "above 0 and at most"),
            ("1e7 drive writes", "above 0 and at most"),
        ] {
            let refused = check(text).unwrap_err();
            assert_eq!(refused.key, "run.warm_up");
            assert!(
                refused.found.starts_with('"') && refused.accepted.contains(accepted),
                "{refused}"
            );
        }
    }
}
