//! The order in which the pages of a block fall on the bits of its word lines, as it is written down.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The order in which the pages of a block fall on the bits of its wordlines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PageLayout {
    /// `"grouped"`: all pages of a wordline, then those of the next (one-shot programming of
    /// three-dimensional parts; assumed for parts whose data sheet is silent).
    #[default]
    Grouped,
    /// `"staircase"`: the shadow order of planar multi-level parts, which programs a wordline's
    /// next bit only after its neighbour has the bit before: L0, L1 U0, L2 U1, ... for MLC
    /// (Park et al., "A Zeroing Cell-to-Cell Interference Page Architecture", JSSC 2008).
    Staircase,
    /// A list of page types (0 is lower), repeated over the block.
    Pattern(Vec<u8>),
}

impl Serialize for PageLayout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Grouped => serializer.serialize_str("grouped"),
            Self::Staircase => serializer.serialize_str("staircase"),
            Self::Pattern(types) => types.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PageLayout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrList;
        impl<'de> Visitor<'de> for NameOrList {
            type Value = PageLayout;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`grouped`, `staircase` or a list of page types such as [0, 0, 1]")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<PageLayout, E> {
                match name {
                    "grouped" => Ok(PageLayout::Grouped),
                    "staircase" => Ok(PageLayout::Staircase),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(name), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PageLayout, A::Error> {
                let mut types = Vec::new();
                while let Some(page_type) = list.next_element()? {
                    if types.len() == 1 << 15 {
                        return Err(A::Error::custom("a page layout has at most 32768 entries"));
                    }
                    types.push(page_type);
                }
                Ok(PageLayout::Pattern(types))
            }
        }
        deserializer.deserialize_any(NameOrList)
    }
}

impl JsonSchema for PageLayout {
    fn schema_name() -> Cow<'static, str> {
        "PageLayout".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`grouped`, `staircase`, or a list of page types (0 is lower) repeated over the block",
            "anyOf": [
                { "type": "string", "enum": ["grouped", "staircase"] },
                { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 3 }, "minItems": 1 },
            ],
        })
    }
}
