//! Values of `[workload]` that come in more than one form: sizes and regions.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use wordline_keys::limits::HANDLE;
use wordline_units::{ByteSize, SECTOR_BYTES, Share};

/// A request size, or several of which each is equally likely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// One size.
    One(ByteSize),
    /// Several, each equally likely.
    Any(Vec<ByteSize>),
}

impl Sizes {
    /// The sizes.
    #[must_use]
    pub fn as_slice(&self) -> &[ByteSize] {
        match self {
            Self::One(size) => std::slice::from_ref(size),
            Self::Any(sizes) => sizes,
        }
    }
}

/// A place in the user space: a share of it, or bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Extent {
    /// Share of the user space, 0 to 1.
    Share(#[schemars(with = "Share")] f64),
    /// Bytes.
    Size(ByteSize),
}

/// A part of the user space: its first share or bytes, or `[from, to]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Region {
    /// From the start of the user space to here.
    UpTo(Extent),
    /// From here to there.
    Range([Extent; 2]),
}

impl Region {
    /// First sector, and the sector after the last, in a user space of `capacity` sectors; `None` if it
    /// reaches beyond.
    #[must_use]
    pub fn sectors(self, capacity: u64) -> Option<(u64, u64)> {
        let at = |extent: Extent| match extent {
            Extent::Share(share) => (share * capacity as f64) as u64,
            Extent::Size(size) => size.bytes() / u64::from(SECTOR_BYTES),
        };
        let (from, end) = match self {
            Self::UpTo(end) => (0, at(end)),
            Self::Range([from, end]) => (at(from), at(end)),
        };
        (end <= capacity).then_some((from, end))
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => share.fmt(f),
            Self::Size(size) => write!(f, "\"{size}\""),
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UpTo(end) => end.fmt(f),
            Self::Range([from, to]) => write!(f, "[{from}, {to}]"),
        }
    }
}

// Each form is read by a visitor: of an untagged enum serde keeps no word of what is wrong with a text, such as a size
// without a full unit.

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Sizes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"4 KiB\", or a list such as [\"4 KiB\", \"16 KiB\"]")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sizes, E> {
                text.parse().map(Sizes::One).map_err(E::custom)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Sizes, A::Error> {
                let mut sizes = Vec::new();
                while let Some(size) = items.next_element()? {
                    sizes.push(size);
                }
                Ok(Sizes::Any(sizes))
            }
        }
        deserializer.deserialize_any(Form)
    }
}

impl Extent {
    fn of_text<E: de::Error>(text: &str) -> Result<Self, E> {
        if text.trim_end().ends_with('%') {
            text.parse()
                .map(|share: Share| Self::Share(share.0))
                .map_err(E::custom)
        } else {
            text.parse().map(Self::Size).map_err(E::custom)
        }
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Extent;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share such as 0.5 or \"50%\", or a size such as \"1 GiB\"")
            }
            fn visit_f64<E: de::Error>(self, share: f64) -> Result<Extent, E> {
                Ok(Extent::Share(share))
            }
            fn visit_i64<E: de::Error>(self, share: i64) -> Result<Extent, E> {
                Ok(Extent::Share(share as f64))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Extent, E> {
                Extent::of_text(text)
            }
        }
        deserializer.deserialize_any(Form)
    }
}

impl<'de> Deserialize<'de> for Region {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Region;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the first part of the user space, such as 0.5, \"50%\" or \"1 GiB\", or a range such as \
                     [\"1 GiB\", \"2 GiB\"]",
                )
            }
            fn visit_f64<E: de::Error>(self, share: f64) -> Result<Region, E> {
                Ok(Region::UpTo(Extent::Share(share)))
            }
            fn visit_i64<E: de::Error>(self, share: i64) -> Result<Region, E> {
                Ok(Region::UpTo(Extent::Share(share as f64)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Region, E> {
                Extent::of_text(text).map(Region::UpTo)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Region, A::Error> {
                let count = |count| de::Error::invalid_length(count, &self);
                let from = items.next_element()?.ok_or_else(|| count(0))?;
                let to = items.next_element()?.ok_or_else(|| count(1))?;
                match items.next_element::<Extent>()? {
                    None => Ok(Region::Range([from, to])),
                    Some(_) => Err(count(3)),
                }
            }
        }
        deserializer.deserialize_any(Form)
    }
}

/// One class of requests of `kind = "mixed"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestClass {
    /// Request size, a multiple of 512 B.
    pub size: ByteSize,
    /// How often this class is drawn, relative to the others; above 0.
    #[serde(default = "one")]
    pub weight: f64,
    /// Share of reads in this class, 0 to 1; `workload.read_fraction` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub read_fraction: Option<f64>,
    /// Placement handle of the writes of this class; `workload.placement` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = HANDLE))]
    pub placement: Option<u16>,
}

const fn one() -> f64 {
    1.0
}
