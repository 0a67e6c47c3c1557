//! `[ecc]`: which code protects the pages of a drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Is;
use wordline_keys::limits::STEP;
use wordline_keys::{Rule, Section};
use wordline_units::Duration;

use crate::bch::Bch;
use crate::counts::ErrorCounts;
use crate::error::{EccError, target};
use crate::ldpc::{LdpcConfig, Level};

/// `[ecc]`: which code protects the pages; each channel has one decoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EccConfig {
    /// The kind of code. With a code, every page has a raw bit error rate (`[cell]`), which decides
    /// whether a read succeeds.
    pub kind: EccKind,
    /// With `outcome = "threshold"`, a codeword of a BCH code fails if its failure probability is
    /// above this value.
    pub target: f64,
    /// The BCH code.
    pub bch: BchConfig,
    /// The LDPC code.
    pub ldpc: LdpcConfig,
}

/// The kind of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EccKind {
    /// Reads never fail and take no time to decode.
    #[default]
    None,
    /// A BCH code: one attempt, hard decision.
    Bch,
    /// An LDPC code with soft sensing and retries.
    Ldpc,
}

/// `[ecc.bch]`: a BCH code, narrow-sense, primitive or shortened. A page takes as many codewords as its data fill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BchConfig {
    /// Bits of a codeword.
    pub n: u32,
    /// Bits of information in it.
    pub k: u32,
    /// Errors that the code corrects; if unset, as many as `n` and `k` allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<u32>,
    /// Time to decode a codeword; if unset, the value of G. Wu (2013), table 2.2, for this code or
    /// for its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub decode: Option<Duration>,
    /// What decides whether a codeword fails.
    pub outcome: BchOutcome,
}

/// What decides whether a codeword fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BchOutcome {
    /// A random number, with the probability that the code fails at the page's raw bit error rate.
    #[default]
    Sampled,
    /// Whether that probability is above `ecc.target`.
    Threshold,
}

impl Default for EccConfig {
    fn default() -> Self {
        Self {
            kind: EccKind::None,
            target: 1e-15,
            bch: BchConfig::default(),
            ldpc: LdpcConfig::default(),
        }
    }
}

impl Section for EccConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["bch", "target"], &[Is("ecc.kind", &["bch"])]),
        Rule::only(&["target"], &[Is("ecc.bch.outcome", &["threshold"])]),
        Rule::only(&["ldpc"], &[Is("ecc.kind", &["ldpc"])]),
        Rule::only(&["ldpc.ages"], &[Is("ecc.ldpc.start", &["by_age"])]),
    ];
}

/// The code of a sector of 512 bytes of G. Wu (2013), table 2.2.
impl Default for BchConfig {
    fn default() -> Self {
        Self {
            n: 4316,
            k: 4100,
            t: None,
            decode: None,
            outcome: BchOutcome::Sampled,
        }
    }
}

impl EccConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value outside its range, with its key below `ecc`.
    pub fn check(&self) -> Result<(), EccError> {
        target("ecc.target", self.target)?;
        self.bch.code()?;
        self.ldpc.check().map_err(|error| error.below("ecc.ldpc"))
    }
}

impl EccConfig {
    /// The raw bit error rate up to which the code corrects a page: of a BCH code that at which a codeword fails with the probability `target`, of an LDPC code what the
    /// highest sensing level corrects. None without a code.
    ///
    /// # Errors
    /// A code that cannot be built.
    pub fn corrected(&self) -> Result<Option<f64>, EccError> {
        Ok(match self.kind {
            EccKind::None => None,
            EccKind::Bch => Some(self.bch.code()?.p_max(self.target, ErrorCounts::Independent)?),
            EccKind::Ldpc => {
                let code = self.ldpc.build().map_err(|error| error.below("ecc.ldpc"))?;
                Some(code.thresholds.of(Level::HIGHEST))
            }
        })
    }
}

impl BchConfig {
    /// The code.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn code(&self) -> Result<Bch, EccError> {
        match self.t {
            Some(t) => Bch::new(self.n, self.k, t),
            None => Bch::strongest(self.n, self.k),
        }
        .map_err(|error| error.below("ecc.bch"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_corrects_up_to_its_highest_level_or_its_target() {
        let mut config = EccConfig::default();
        assert_eq!(config.corrected().unwrap(), None);
        config.kind = EccKind::Ldpc;
        // the published thresholds
        assert_eq!(config.corrected().unwrap(), Some(0.0112));
        config.kind = EccKind::Bch;
        let strict = config.corrected().unwrap().unwrap();
        config.target = 1e-9;
        let loose = config.corrected().unwrap().unwrap();
        assert!(
            0.0 < strict && strict < loose && loose < 0.0112,
            "{strict} {loose}"
        );
    }
}
