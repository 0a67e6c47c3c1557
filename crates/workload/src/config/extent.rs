//! Values of `[workload]` that come in more than one form: sizes and regions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, SECTOR_BYTES};

/// A request size, or several of which each is equally likely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a size such as \"4 KiB\", or a list such as [\"4 KiB\", \"16 KiB\"]"
)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a share such as 0.5 or a size such as \"1 GiB\"")]
pub enum Extent {
    /// Share of the user space, 0 to 1.
    Share(f64),
    /// Bytes.
    Size(ByteSize),
}

/// A part of the user space: its first share or bytes, or `[from, to]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "the first part of the user space, such as 0.5 or \"1 GiB\", or a range such as [\"1 GiB\", \"2 GiB\"]"
)]
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

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Share(share) => share.fmt(f),
            Self::Size(size) => write!(f, "\"{size}\""),
        }
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UpTo(end) => end.fmt(f),
            Self::Range([from, to]) => write!(f, "[{from}, {to}]"),
        }
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
    pub read_fraction: Option<f64>,
}

const fn one() -> f64 {
    1.0
}
