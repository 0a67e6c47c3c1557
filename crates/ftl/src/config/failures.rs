//! `[ftl.failures]`: programs and erases that fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Set;
use wordline_keys::limits::CYCLES;
use wordline_keys::{Rule, Section};
use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::Seed;

use crate::error::FtlError;

/// Most that a program or an erase may fail: no flash that is sold fails one operation in a hundred, and more than a few at a time
/// are more than the reserve of a pool can bear.
const MOST: f64 = 0.01;
/// Largest share of blocks that are bad from the start: makers allow 2 % over the life of a device.
const MOST_INITIAL: f64 = 0.02;
/// Largest exponent of the growth.
const STEEPEST: f64 = 20.0;

/// `[ftl.failures]`: programs and erases that fail, at random and the more often the more a block was erased. The block of a failed program takes no further one and is
/// retired when what is valid in it has been moved; that of a failed erase is retired at once. Blocks of journal and checkpoints (`ftl.recovery`) fail as all others. Without `program` and `erase` nothing fails.
///
/// After e erases an operation fails with probability `rate * (e / cycles)^growth`, at most 1 %: the hazard of a Weibull law, by which the end of wear is
/// commonly described. Rates are not in data sheets; those of a drive must be measured or assumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct FailuresConfig {
    /// Share of the programs that fail in a block that was erased `cycles` times, at most 0.01.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "wordline_units::optional_share"
    )]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub program: Option<f64>,
    /// Share of the erases that fail of a block that was erased `cycles` times, at most 0.01.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "wordline_units::optional_share"
    )]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub erase: Option<f64>,
    /// Share of the blocks that are bad from the start, at most 0.02: which ones, follows from `seed`. They are never used. For the mappings `page` and `striped`.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "wordline_units::optional_share"
    )]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub initial: Option<f64>,
    /// Erases of a block at which `program` and `erase` are these shares, at least 1. 3,000 is a usual endurance of TLC flash (assumed).
    #[schemars(range(max = CYCLES))]
    pub cycles: u32,
    /// How steeply the shares grow with the erases of a block: 0 is the same share at any age, 2 (assumed) four times the share at twice the erases. At most 20.
    pub growth: f64,
    /// Blocks of which nothing has failed that a pool must have beyond those that its logical pages fill and writes need at the least: with fewer, the drive refuses writes and
    /// deallocation from then on.
    #[schemars(range(max = wordline_keys::limits::MANY))]
    pub min_spare: u32,
}

impl Default for FailuresConfig {
    fn default() -> Self {
        Self {
            program: None,
            erase: None,
            initial: None,
            cycles: 3_000,
            growth: 2.0,
            min_spare: 0,
        }
    }
}

impl FailuresConfig {
    /// Whether anything can fail, or has from the start.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.program.is_some() || self.erase.is_some() || self.initial.is_some()
    }

    /// The blocks of a drive that are bad from the start.
    pub(crate) fn bad_from_start(&self, seed: Seed, geometry: &Geometry) -> Vec<BlockId> {
        let Some(share) = self.initial else {
            return Vec::new();
        };
        let is_bad = |block: &BlockId| {
            let draw = seed.draw("ftl.failures.initial", u64::from(block.0));
            ((draw >> 11) as f64 / (1_u64 << 53) as f64) < share
        };
        (0..geometry.blocks()).map(BlockId).filter(is_bad).collect()
    }

    /// Checks the values, of a drive whose pools keep so many blocks in reserve.
    ///
    /// # Errors
    /// A share above 0.01, no cycles, a growth that is negative or above 20; failures with a reserve of one block.
    pub fn check(&self, reserve_blocks: u32) -> Result<(), FtlError> {
        for (key, share) in [
            ("ftl.failures.program", self.program),
            ("ftl.failures.erase", self.erase),
        ] {
            if let Some(share) = share.filter(|share| !(0.0..=MOST).contains(share)) {
                return Err(FtlError::new(key, share, format!("a share from 0 to {MOST}")));
            }
        }
        if let Some(share) = self.initial.filter(|share| !(0.0..=MOST_INITIAL).contains(share)) {
            let accepted = format!("a share from 0 to {MOST_INITIAL}");
            return Err(FtlError::new("ftl.failures.initial", share, accepted));
        }
        if self.cycles == 0 {
            return Err(FtlError::new("ftl.failures.cycles", self.cycles, "1 and more"));
        }
        if !(0.0..=STEEPEST).contains(&self.growth) {
            let accepted = format!("a number from 0 to {STEEPEST}");
            return Err(FtlError::new("ftl.failures.growth", self.growth, accepted));
        }
        if (self.program.is_some() || self.erase.is_some()) && reserve_blocks < 2 {
            let accepted = "at least 2 with ftl.failures: collection may lose the block that it empties, and needs another one to go on";
            return Err(FtlError::new("ftl.gc.reserve_blocks", reserve_blocks, accepted));
        }
        Ok(())
    }

    /// The probability that an operation fails whose share at `cycles` is `share`, of a block that was erased so often.
    #[must_use]
    pub fn probability(&self, share: f64, erases: u32) -> f64 {
        let age = f64::from(erases) / f64::from(self.cycles);
        (share * libm::pow(age, self.growth)).min(MOST)
    }

    /// Whether the program of a page fails whose block was erased so often: the same answer whenever it is asked.
    #[must_use]
    pub fn fails_program(&self, seed: Seed, page: Ppn, erases: u32) -> bool {
        self.fails(self.program, seed.draw("ftl.failures.program", page.0), erases)
    }

    /// Whether the erase of a block fails that was erased so often: the same answer whenever it is asked.
    #[must_use]
    pub fn fails_erase(&self, seed: Seed, block: BlockId, erases: u32) -> bool {
        let place = u64::from(block.0);
        self.fails(self.erase, seed.draw("ftl.failures.erase", place), erases)
    }

    fn fails(&self, share: Option<f64>, place: u64, erases: u32) -> bool {
        let Some(share) = share else { return false };
        let draw = Seed(place).draw("erases", u64::from(erases));
        let uniform = (draw >> 11) as f64 / (1_u64 << 53) as f64;
        uniform < self.probability(share, erases)
    }
}

impl Section for FailuresConfig {
    const RULES: &'static [Rule] = &[
        Rule::all_but(
            &["program", "erase", "initial", "min_spare"],
            &[Set("ftl.failures.program"), Set("ftl.failures.erase")],
        ),
        Rule::only(
            &["min_spare"],
            &[
                Set("ftl.failures.program"),
                Set("ftl.failures.erase"),
                Set("ftl.failures.initial"),
            ],
        ),
    ];
}
