//! An LDPC code with soft sensing, as a drive file spells it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::STEP;
use wordline_units::Duration;

use crate::error::{EccError, require};
use crate::ldpc::level::{LEVELS, Level};
use crate::ldpc::read::{Ldpc, Start};
use crate::ldpc::start_ages::StartAgesConfig;
use crate::ldpc::thresholds::{Thresholds, check_steepness};
use crate::ldpc::times::{Retry, SensingTimes};

/// An LDPC code with soft sensing: a page that is noisy is sensed with more reference voltages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LdpcConfig {
    /// Up to which raw bit error rate each sensing level, 1 to 7 references per boundary of states, succeeds.
    pub thresholds: ThresholdsConfig,
    /// Array time with seven references, in proportion for fewer. If unset: `"90 us"` in `wordline
    /// ecc` (DLV, IEEE TCAD 2018); in a drive, `timing.t_r` for each reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub sense_max: Option<Duration>,
    /// Transfer of a page at seven references, three bits of every cell; in proportion to the bits
    /// for fewer. If unset: `"5 us"` in `wordline ecc` (DLV, IEEE TCAD 2018); in a drive, the
    /// channel's time for a page for each bit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub transfer_max: Option<Duration>,
    /// Decoding of a codeword, at each attempt.
    #[schemars(extend("x-maximum" = STEP))]
    pub decode: Duration,
    /// Codewords of a page, a divisor of its sectors: a read transfers and decodes those that it
    /// needs.
    pub codewords: u32,
    /// With a value, a level succeeds at random with probability 1 / (1 + (rate /
    /// threshold)^steepness); 60 is a usual value. If unset, a level always succeeds up to its
    /// threshold and never above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steepness: Option<f64>,
    /// Which references the attempts after the first one sense.
    pub retry: Retry,
    /// The level of the first attempt: 1 to 7, `"needed"`, the level that the page needs as if it were known, or, in a drive, one
    /// that earlier reads teach: `"by_age"`, by the age of the data of the block, or `"last_level"`, of the page.
    pub start: StartConfig,
    /// Start levels by age, with `start = "by_age"`.
    pub ages: StartAgesConfig,
}

/// Where the thresholds come from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "accepted are \"published\", \"mutual_information\" and a list of seven error rates"
)]
pub enum ThresholdsConfig {
    /// A rule.
    Rule(ThresholdsRule),
    /// Seven raw bit error rates, one above the other.
    Table([f64; LEVELS]),
}

/// A rule for the thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdsRule {
    /// 0.0044, 0.0076, 0.0095, 0.0104, 0.0108, 0.0110, 0.0112: the first, second and fourth after DLV, table I.
    Published,
    /// The rate at which the references give as much information about a bit as one reference does
    /// at 0.0044.
    MutualInformation,
}

impl Default for ThresholdsConfig {
    fn default() -> Self {
        Self::Rule(ThresholdsRule::Published)
    }
}

/// The level of the first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "accepted are levels 1 to 7, \"needed\", \"by_age\" and \"last_level\""
)]
pub enum StartConfig {
    /// Always this one.
    Level(u32),
    /// A rule.
    Rule(StartRule),
}

/// A rule for the level of the first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartRule {
    /// The level that the page needs, as if it were known.
    Needed,
    /// The level that earlier reads of blocks of this age have taught (`ecc.ldpc.ages`; J. Cui et al., DLV, IEEE TCAD 2018).
    ByAge,
    /// The level at which the page was last read with success since it was programmed, else 1 (LaLDPC, as DLV compares with it).
    LastLevel,
}

impl Default for StartConfig {
    fn default() -> Self {
        Self::Level(1)
    }
}

impl Default for LdpcConfig {
    fn default() -> Self {
        Self {
            thresholds: ThresholdsConfig::default(),
            sense_max: None,
            transfer_max: None,
            decode: Duration::ZERO,
            codewords: 1,
            steepness: None,
            retry: Retry::Full,
            start: StartConfig::default(),
            ages: StartAgesConfig::default(),
        }
    }
}

impl LdpcConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value outside its range, with its key.
    pub fn check(&self) -> Result<(), EccError> {
        require(self.codewords > 0, "codewords", self.codewords, || {
            "accepted is 1 or more".to_owned()
        })?;
        if let Some(steepness) = self.steepness {
            check_steepness(steepness)?;
        }
        self.build()?;
        self.ages.check()?;
        match self.start {
            StartConfig::Rule(StartRule::ByAge | StartRule::LastLevel) => Ok(()),
            StartConfig::Level(_) | StartConfig::Rule(StartRule::Needed) => self.start().map(|_| ()),
        }
    }

    /// The thresholds and times; times that are not given are those of DLV.
    ///
    /// # Errors
    /// The thresholds do not strictly rise.
    pub fn build(&self) -> Result<Ldpc, EccError> {
        let thresholds = match self.thresholds {
            ThresholdsConfig::Rule(ThresholdsRule::Published) => Thresholds::default(),
            ThresholdsConfig::Rule(ThresholdsRule::MutualInformation) => Thresholds::from_information(),
            ThresholdsConfig::Table(table) => Thresholds::new(table)?,
        };
        let given = |time: Option<Duration>, default: f64| time.map_or(default, |time| time.ns() as f64);
        let times = SensingTimes::new(
            given(self.sense_max, SensingTimes::SENSE_MAX_NS),
            given(self.transfer_max, SensingTimes::TRANSFER_MAX_NS),
            self.decode.ns() as f64,
            self.retry,
        )?;
        Ok(Ldpc { thresholds, times })
    }

    /// Where a read starts, where no earlier read matters.
    ///
    /// # Errors
    /// There is no such level; the level is learned from the reads of a drive.
    pub fn start(&self) -> Result<Start, EccError> {
        match self.start {
            StartConfig::Level(level) => Level::new(level).map(Start::At).map_err(|error| EccError {
                key: "start".to_owned(),
                ..error
            }),
            StartConfig::Rule(StartRule::Needed) => Ok(Start::Needed),
            StartConfig::Rule(StartRule::ByAge | StartRule::LastLevel) => Err(EccError {
                key: "start".to_owned(),
                found: "a level that is learned from reads".to_owned(),
                accepted: "accepted are levels 1 to 7 and \"needed\"; a drive learns from its reads"
                    .to_owned(),
            }),
        }
    }
}
