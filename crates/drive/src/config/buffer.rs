//! `[buffer]`: the write buffer in the controller's DRAM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, Duration};

/// `[buffer]`: the data buffer between host and FTL, kept in whole pages with a bitmap of the
/// sub-pages present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BufferConfig {
    /// Which pages the buffer keeps, and which it gives to the FTL when it is full.
    pub policy: BufferPolicy,
    /// Size of the buffer.
    pub size: ByteSize,
    /// Time to serve a request that the buffer holds or takes.
    pub access: Duration,
}

impl Default for BufferConfig {
    fn default() -> Self {
        Self {
            policy: BufferPolicy::None,
            size: ByteSize(32 << 20),
            access: Duration::from_us(1),
        }
    }
}

/// Which pages the write buffer keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferPolicy {
    /// No buffer: every request goes to the FTL.
    #[default]
    None,
    /// The least recently used page is written back first.
    Lru,
}
