//! Rate-limited wear-out: worn blocks are passed over as victims with a probability.

use rand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;
use wordline_units::{Seed, Stream};

use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};

/// The average remaining life is so large a share of the limit at least.
const LEAST_LIFE: f64 = 0.1;

/// Keys of rate-limited wear-out, in `[ftl.wear]`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct WearOut {
    /// A block whose remaining life is less than `1 - age_variance` of the average is collected
    /// less often by `rate_limited` (or `victim = "wear_greedy"`); between 0 and 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(crate) age_variance: f64,
    /// Remaining life, as a share of the average, below which `rate_limited` fills a block with cold data when it is erased, so
    /// that it rests; between 0 and 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(crate) retirement: f64,
    /// Erases that a block endures; `rate_limited` computes remaining life from it. Where blocks endure more, the average remaining life stays a tenth of it, so that wear is levelled on.
    #[schemars(range(max = MANY))]
    pub(crate) erase_limit: u32,
}

impl Default for WearOut {
    /// FTL specification, 4 (thresholds: Agrawal et al., USENIX ATC 2008). Assumed: the endurance of a TLC block.
    fn default() -> Self {
        Self {
            age_variance: 0.20,
            retirement: 0.85,
            erase_limit: 3_000,
        }
    }
}

impl WearOut {
    /// Checks the values.
    ///
    /// # Errors
    /// Shares that are not between 0 and 1, a limit of no erase.
    pub(crate) fn check(&self) -> Result<(), FtlError> {
        for (key, value) in [
            ("ftl.wear.age_variance", self.age_variance),
            ("ftl.wear.retirement", self.retirement),
        ] {
            if !(value > 0.0 && value < 1.0) {
                return Err(FtlError::new(key, value, "a fraction between 0 and 1"));
            }
        }
        if self.erase_limit < 1 {
            return Err(FtlError::new(
                "ftl.wear.erase_limit",
                self.erase_limit,
                "at least 1 erase",
            ));
        }
        Ok(())
    }
}

/// The rule of Agrawal et al. (USENIX ATC 2008; FTL specification, 4): with r the remaining life of a block relative
/// to the average, a block of r >= 1 - age_variance is an ordinary victim; below, it is accepted
/// with a probability that falls linearly to 0 at r = 0. A block of r < retirement rests when it is erased.
///
/// A drive that serves on when its blocks have the erases that they were rated for has shown that they endure more: the average remaining life is a tenth of the
/// limit at least (assumed: the source says nothing of such drives), so that blocks are told apart for as long as the drive lives.
pub(crate) struct WearLimit {
    ordinary: f64,
    retirement: f64,
    erase_limit: f64,
    stream: Stream,
}

impl WearLimit {
    pub(crate) fn new(config: &WearOut, seed: Seed) -> Self {
        Self {
            ordinary: 1.0 - config.age_variance,
            retirement: config.retirement,
            erase_limit: f64::from(config.erase_limit),
            stream: seed.stream("ftl.wear.limit"),
        }
    }

    /// Hands over where its draws have come to.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.stream)
    }

    /// Remaining life of a block relative to the mean of its pool.
    fn relative_life(&self, erases: u32, mean: f64) -> f64 {
        let average = (self.erase_limit - mean).max(LEAST_LIFE * self.erase_limit);
        (1.0 - (f64::from(erases) - mean) / average).max(0.0)
    }

    /// Whether a victim with this many erases is taken, in a pool of this mean.
    pub(crate) fn accepts(&mut self, erases: u32, mean: f64) -> bool {
        let life = self.relative_life(erases, mean);
        if life >= self.ordinary {
            return true;
        }
        let draw = (self.stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        draw < life / self.ordinary
    }

    /// Whether a block with this many erases should rest under cold data.
    pub(crate) fn rests(&self, erases: u32, mean: f64) -> bool {
        self.relative_life(erases, mean) < self.retirement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worn_blocks_are_accepted_in_proportion() {
        let config = WearOut {
            erase_limit: 1000,
            ..WearOut::default()
        };
        let mut limit = WearLimit::new(&config, Seed(1));
        // Mean 500: an average life of 500 remains; 600 erases leave r = 0.8, 800 leave 0.4.
        assert!((0..100).all(|_| limit.accepts(600, 500.0)));
        let taken = (0..10_000).filter(|_| limit.accepts(800, 500.0)).count();
        assert!((4_800..5_200).contains(&taken), "{taken}");
        assert!(!limit.accepts(1000, 500.0));
        // 575 erases leave r = 0.85
        assert!(!limit.rests(575, 500.0) && limit.rests(576, 500.0));
    }

    /// A drive whose blocks have more erases than their limit goes on telling worn ones from others, by a tenth of the limit.
    #[test]
    fn wear_is_levelled_beyond_the_limit_of_erases() {
        let config = WearOut {
            erase_limit: 10_000,
            ..WearOut::default()
        };
        let mut limit = WearLimit::new(&config, Seed(1));
        for mean in [9_000.0, 10_000.0, 27_000.0, 68_000.0] {
            let at = |more: u32| mean as u32 + more;
            assert!(
                !limit.rests(at(150), mean) && limit.rests(at(151), mean),
                "{mean}"
            );
            assert!((0..100).all(|_| limit.accepts(at(200), mean)), "{mean}");
            let taken = (0..10_000).filter(|_| limit.accepts(at(600), mean)).count();
            assert!((4_800..5_200).contains(&taken), "{mean}: {taken}");
            assert!(!limit.accepts(at(1_000), mean), "{mean}");
        }
    }

    #[test]
    fn a_block_endures_an_erase_at_least() {
        let endures = |erase_limit| WearOut {
            erase_limit,
            ..WearOut::default()
        };
        assert!(endures(1).check().is_ok() && endures(0).check().is_err());
    }
}
