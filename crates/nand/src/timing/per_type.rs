//! One duration, or one per page type.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor, value::StrDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wordline_units::Duration;

use crate::cell_type::CellType;
use crate::error::ConfigError;
use crate::page_types::MAX_PAGE_TYPES;

/// A duration that may differ by page type: `"20 us"`, or `["50 us", "70 us", "90 us"]` with the
/// lower page first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PerPageType {
    /// The same for every page.
    All(Duration),
    /// One for each page type of the cell, lower page first.
    Each(Vec<Duration>),
}

impl PerPageType {
    /// The mean over page types, in whole nanoseconds; zero for an empty list.
    #[must_use]
    pub fn mean(&self) -> Duration {
        match self {
            Self::All(time) => *time,
            Self::Each(times) => {
                let total = times
                    .iter()
                    .fold(0, |total: u64, time| total.saturating_add(time.ns()));
                Duration(total / times.len().max(1) as u64)
            }
        }
    }

    /// The table by page type; types that the cell does not have repeat the first entry.
    ///
    /// # Errors
    /// A list whose length is not the number of bits per cell, or a duration of zero.
    pub(crate) fn resolve(
        &self,
        key: &str,
        cell: CellType,
    ) -> Result<[Duration; MAX_PAGE_TYPES], ConfigError> {
        let bits = cell.bits() as usize;
        let table = match self {
            Self::All(time) => [*time; MAX_PAGE_TYPES],
            Self::Each(times) if times.len() == bits => {
                let mut table = [times[0]; MAX_PAGE_TYPES];
                table[..bits].copy_from_slice(times);
                table
            }
            Self::Each(times) => {
                return Err(ConfigError::new(
                    key,
                    format!("a list of {}", times.len()),
                    format!(
                        "one duration, or a list of {bits}, one for each page type of geometry.cell_type"
                    ),
                ));
            }
        };
        if table.contains(&Duration::ZERO) {
            return Err(ConfigError::new(key, Duration::ZERO, "longer than 0 ns"));
        }
        Ok(table)
    }
}

impl Serialize for PerPageType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All(time) => time.serialize(serializer),
            Self::Each(times) => times.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PerPageType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrEach;
        impl<'de> Visitor<'de> for OneOrEach {
            type Value = PerPageType;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration with its unit, such as \"25 us\", or a list with one per page type")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PerPageType, E> {
                Duration::deserialize(StrDeserializer::new(text)).map(PerPageType::All)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PerPageType, A::Error> {
                let mut times = Vec::new();
                while let Some(time) = list.next_element()? {
                    times.push(time);
                }
                Ok(PerPageType::Each(times))
            }
        }
        deserializer.deserialize_any(OneOrEach)
    }
}

impl JsonSchema for PerPageType {
    fn schema_name() -> Cow<'static, str> {
        "DurationPerPageType".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let duration = generator.subschema_for::<Duration>();
        json_schema!({
            "description": "a duration, or a list with one for each page type, lower page first",
            "anyOf": [duration, { "type": "array", "items": duration, "minItems": 1, "maxItems": 4 }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::TimingConfig;

    /// One definition for all keys that take such times, by its name.
    #[test]
    fn the_schema_says_what_is_accepted() {
        let schema = schemars::schema_for!(TimingConfig).to_value();
        let times = &schema["$defs"]["DurationPerPageType"]["anyOf"][1];
        assert_eq!((&times["minItems"], &times["maxItems"]), (&1.into(), &4.into()));
        // the interfaces of ONFI are listed
        let interface = schema["properties"]["interface"].to_string();
        assert!(
            interface.contains("\"sdr-4\"") && interface.contains("nv-ddr-5"),
            "{interface}"
        );
    }

    #[test]
    fn types_that_a_cell_does_not_have_repeat_the_first() {
        let us = Duration::from_us;
        let each = PerPageType::Each(vec![us(50), us(70)]);
        let table = each.resolve("timing.t_r", CellType::Mlc).unwrap();
        assert_eq!(table, [us(50), us(70), us(50), us(50)]);
        let error = each.resolve("timing.t_r", CellType::Tlc).unwrap_err();
        assert_eq!(
            (error.key.as_str(), error.found.as_str()),
            ("timing.t_r", "a list of 2")
        );
    }
}
