//! What an attempt to read costs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{EccError, time};
use crate::ldpc::level::{LEVELS, Level};

/// What a second attempt senses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// All references of its level.
    #[default]
    Full,
    /// Only those that the level adds. This is optimistic, because it assumes that the references
    /// of a level are also references of the next.
    Incremental,
}

/// How long attempts take, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensingTimes {
    sense_max: f64,
    transfer_max: f64,
    decode: f64,
    retry: Retry,
}

impl Default for SensingTimes {
    fn default() -> Self {
        Self {
            sense_max: Self::SENSE_MAX_NS,
            transfer_max: Self::TRANSFER_MAX_NS,
            decode: 0.0,
            retry: Retry::Full,
        }
    }
}

impl SensingTimes {
    /// Sensing at level 7: 90 us. DLV (IEEE TCAD 2018), table II.
    pub const SENSE_MAX_NS: f64 = 90_000.0;
    /// Transfer of a page at level 7: 5 us. As above; how long decoding takes is not said there.
    pub const TRANSFER_MAX_NS: f64 = 5_000.0;

    /// Nanoseconds of sensing and of transfer at level 7, and of a decoding.
    ///
    /// # Errors
    /// A time is negative or not a number.
    pub fn new(sense_max: f64, transfer_max: f64, decode: f64, retry: Retry) -> Result<Self, EccError> {
        time("sense_max", sense_max)?;
        time("transfer_max", transfer_max)?;
        time("decode", decode)?;
        Ok(Self {
            sense_max,
            transfer_max,
            decode,
            retry,
        })
    }

    /// Sensing at a level: proportional to its references.
    #[must_use]
    pub fn sense_ns(&self, level: Level) -> f64 {
        self.sense_max * f64::from(level.get()) / LEVELS as f64
    }

    /// Sensing in an attempt that follows one at the level below, or none.
    #[must_use]
    pub fn attempt_sense_ns(&self, level: Level, is_first: bool) -> f64 {
        match self.retry {
            Retry::Incremental if !is_first => self.sense_max / LEVELS as f64,
            _ => self.sense_ns(level),
        }
    }

    /// Transfer of a page at a level: as many bits of every cell as tell its place among the references.
    #[must_use]
    pub fn transfer_ns(&self, level: Level) -> f64 {
        self.transfer_max * f64::from(level.bits()) / f64::from(Level::HIGHEST.bits())
    }

    /// Decoding.
    #[must_use]
    pub fn decode_ns(&self) -> f64 {
        self.decode
    }

    /// A whole attempt that follows one at the level below, or none.
    #[must_use]
    pub fn attempt_ns(&self, level: Level, is_first: bool) -> f64 {
        self.attempt_sense_ns(level, is_first) + self.transfer_ns(level) + self.decode
    }
}
