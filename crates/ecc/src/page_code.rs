//! The code of a drive's pages: from the section `[ecc]` and the bit error rate of a page to attempts and an outcome.

use wordline_units::{Duration, SECTOR_BYTES, Seed};

use crate::bch::FailureCurve;
use crate::config::{BchOutcome, EccConfig, EccKind};
use crate::counts::ErrorCounts;
use crate::error::EccError;
use crate::ldpc::{
    Ldpc, LdpcConfig, Level, Retry, Start, StartAgesConfig, StartConfig, StartRule, Thresholds,
};

/// How a read is sensed, and how it will go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sensing {
    /// References of the present attempt; none before the first.
    pub level: u8,
    /// References of the first attempt.
    pub first: u8,
    /// References of the last attempt.
    pub last: u8,
    /// Whether the last attempt does not give what was written.
    pub fails: bool,
}

impl Sensing {
    /// Whether the present attempt is not the first.
    #[must_use]
    pub fn is_retry(self) -> bool {
        self.level > self.first
    }

    /// Attempts up to the present one.
    #[must_use]
    pub fn attempts(self) -> u8 {
        self.level - self.first + 1
    }
}

/// Where the reads of a drive start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartFrom {
    /// At a level that does not depend on earlier reads.
    Given(Start),
    /// At the level that the age of the data tells, as tables of these values learn it.
    Age(StartAgesConfig),
    /// At the level at which the page was last read, else at the lowest.
    LastLevel,
}

impl StartFrom {
    /// What a code says.
    ///
    /// # Errors
    /// There is no such level; a table that is refused.
    fn new(config: &LdpcConfig) -> Result<Self, EccError> {
        Ok(match config.start {
            StartConfig::Rule(StartRule::ByAge) => {
                config.ages.check()?;
                Self::Age(config.ages.clone())
            }
            StartConfig::Rule(StartRule::LastLevel) => Self::LastLevel,
            StartConfig::Level(_) | StartConfig::Rule(StartRule::Needed) => Self::Given(config.start()?),
        })
    }
}

/// The code that protects pages.
#[derive(Debug)]
pub enum PageCode {
    /// A BCH code.
    Bch(BchReads),
    /// An LDPC code.
    Ldpc(LdpcReads),
}

/// A BCH code, and what decides over its reads.
#[derive(Debug)]
pub struct BchReads {
    curve: FailureCurve,
    /// Highest rate that succeeds; outcomes are drawn without one.
    p_max: Option<f64>,
    decode: Duration,
    codewords: u32,
}

/// An LDPC code, and what decides over its reads.
#[derive(Debug)]
pub struct LdpcReads {
    ldpc: Ldpc,
    start: StartFrom,
    steepness: Option<f64>,
    retry: Retry,
    /// Whether sensing and transfer have times of their own, or those of the drive.
    own_sensing: bool,
    own_transfer: bool,
    decode: Duration,
    codewords: u32,
}

/// What the draws of a read are keyed by.
#[derive(Clone, Copy, Debug)]
pub struct ReadDraws {
    /// Seed of the drive.
    pub seed: Seed,
    /// Number of the physical page.
    pub page: u64,
    /// Number of the read in its run.
    pub read: u64,
}

impl ReadDraws {
    /// A number from 0 to 1, of the read's own.
    fn unit(self, number: u32) -> f64 {
        // 64 draws for each read are more than it has codewords or levels
        let key = (self.read << 6 | u64::from(number)) ^ self.page.rotate_left(40);
        (self.seed.draw("ecc.read", key) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Rarer failures than this are never drawn in any run: 2^-53 is the least difference of draws.
const NEVER_DRAWN: f64 = -37.0;

impl PageCode {
    /// The code that the section `[ecc]` describes, for pages of so many sectors; none where it names no code.
    ///
    /// # Errors
    /// A value that is refused; codewords that do not divide a page.
    pub fn new(config: &EccConfig, sectors_per_page: u32) -> Result<Option<Self>, EccError> {
        let code = match config.kind {
            EccKind::None => return Ok(None),
            EccKind::Bch => Self::Bch(BchReads::new(config, sectors_per_page)?),
            EccKind::Ldpc => Self::Ldpc(LdpcReads::new(config, sectors_per_page)?),
        };
        Ok(Some(code))
    }

    /// Bits of parity in a page, where the code says so.
    #[must_use]
    pub fn parity_bits(&self) -> Option<u64> {
        match self {
            Self::Bch(bch) => {
                let code = bch.curve.code();
                Some(u64::from(bch.codewords) * u64::from(code.n() - code.k()))
            }
            Self::Ldpc(_) => None,
        }
    }

    /// Codewords of a page.
    #[must_use]
    pub fn codewords(&self) -> u32 {
        match self {
            Self::Bch(bch) => bch.codewords,
            Self::Ldpc(ldpc) => ldpc.codewords,
        }
    }

    /// How long a codeword decodes.
    #[must_use]
    pub fn decode(&self) -> Duration {
        match self {
            Self::Bch(bch) => bch.decode,
            Self::Ldpc(ldpc) => ldpc.decode,
        }
    }

    /// Up to which error rate each level succeeds; none where there is one level only.
    #[must_use]
    pub const fn thresholds(&self) -> Option<&Thresholds> {
        match self {
            Self::Bch(_) => None,
            Self::Ldpc(ldpc) => Some(&ldpc.ldpc.thresholds),
        }
    }

    /// Where reads start; none where there is one level only.
    #[must_use]
    pub const fn start(&self) -> Option<&StartFrom> {
        match self {
            Self::Bch(_) => None,
            Self::Ldpc(ldpc) => Some(&ldpc.start),
        }
    }

    /// How a read of some codewords of a page with this error rate goes, and the failures expected of it. `learned` is the level
    /// at which it starts where that is learned from earlier reads.
    #[must_use]
    pub fn read(
        &self,
        rber: f64,
        codewords: u32,
        learned: Option<Level>,
        draws: ReadDraws,
    ) -> (Sensing, f64) {
        match self {
            Self::Bch(bch) => bch.read(rber, codewords, draws),
            Self::Ldpc(ldpc) => (ldpc.read(rber, learned, draws), 0.0),
        }
    }
}

impl BchReads {
    fn new(config: &EccConfig, sectors_per_page: u32) -> Result<Self, EccError> {
        let code = config.bch.code()?;
        let bits = u64::from(sectors_per_page) * 8 * u64::from(SECTOR_BYTES);
        let codewords = u32::try_from(bits.div_ceil(u64::from(code.k()))).unwrap_or(u32::MAX);
        if !sectors_per_page.is_multiple_of(codewords) {
            return Err(EccError {
                key: "ecc.bch.k".to_owned(),
                found: code.k().to_string(),
                accepted: format!(
                    "a page of {sectors_per_page} sectors would take {codewords} codewords, which do not divide it; \
                     accepted are bits for one sector (4096) or several"
                ),
            });
        }
        let p_max = match config.bch.outcome {
            BchOutcome::Sampled => None,
            BchOutcome::Threshold => Some(code.p_max(config.target, ErrorCounts::Independent)?),
        };
        let decode = config.bch.decode;
        Ok(Self {
            curve: FailureCurve::new(code),
            p_max,
            decode: decode.unwrap_or(Duration(code.decode_ns().round() as u64)),
            codewords,
        })
    }

    fn read(&self, rber: f64, codewords: u32, draws: ReadDraws) -> (Sensing, f64) {
        let ln = self.curve.ln_failure(rber);
        let failure = libm::exp(ln);
        let fails = match self.p_max {
            Some(p_max) => rber > p_max,
            None => ln > NEVER_DRAWN && (0..codewords).any(|codeword| draws.unit(codeword) < failure),
        };
        let sensing = Sensing {
            level: 1,
            first: 1,
            last: 1,
            fails,
        };
        (sensing, f64::from(codewords) * failure)
    }
}

impl LdpcReads {
    fn new(config: &EccConfig, sectors_per_page: u32) -> Result<Self, EccError> {
        let config = &config.ldpc;
        let ldpc = config.build()?;
        let start = StartFrom::new(config)?;
        let codewords = config.codewords;
        if !sectors_per_page.is_multiple_of(codewords) {
            return Err(EccError {
                key: "ecc.ldpc.codewords".to_owned(),
                found: codewords.to_string(),
                accepted: format!("codewords that divide the {sectors_per_page} sectors of a page"),
            });
        }
        Ok(Self {
            ldpc,
            start,
            steepness: config.steepness,
            retry: config.retry,
            own_sensing: config.sense_max.is_some(),
            own_transfer: config.transfer_max.is_some(),
            decode: config.decode,
            codewords,
        })
    }

    fn read(&self, rber: f64, learned: Option<Level>, draws: ReadDraws) -> Sensing {
        let start = match self.start {
            StartFrom::Given(start) => start,
            StartFrom::Age(_) | StartFrom::LastLevel => Start::At(learned.unwrap_or(Level::HARD)),
        };
        let Some(steepness) = self.steepness else {
            let read = self.ldpc.read(start, |_| rber);
            return Sensing {
                level: read.first.get(),
                first: read.first.get(),
                last: read.last.get(),
                fails: !read.is_corrected,
            };
        };
        let first = match start {
            Start::At(level) => level,
            Start::Needed => self.ldpc.thresholds.required(rber).unwrap_or(Level::HIGHEST),
        };
        let succeeds = |level: &Level| {
            let odds = self.ldpc.thresholds.success(*level, rber, steepness);
            odds.is_ok_and(|odds| draws.unit(u32::from(level.get())) < odds)
        };
        let found = Level::all().filter(|level| *level >= first).find(succeeds);
        Sensing {
            level: first.get(),
            first: first.get(),
            last: found.unwrap_or(Level::HIGHEST).get(),
            fails: found.is_none(),
        }
    }

    /// Array time of the present attempt, where one reference takes `reference`.
    #[must_use]
    pub fn sensing(&self, sensing: Sensing, reference: Duration) -> Duration {
        let is_first = !sensing.is_retry();
        if self.own_sensing {
            return self.level(sensing).map_or(reference, |level| {
                rounded(self.ldpc.times.attempt_sense_ns(level, is_first))
            });
        }
        match self.retry {
            Retry::Incremental if !is_first => reference,
            _ => reference * u64::from(sensing.level),
        }
    }

    /// Bits of each cell that cross the channel.
    #[must_use]
    pub fn bits(&self, sensing: Sensing) -> u32 {
        self.level(sensing).map_or(1, Level::bits)
    }

    /// Transfer of a share of the page, where it has a time of its own. An attempt of a whole page is rounded
    /// to nanoseconds once.
    #[must_use]
    pub fn transfer(&self, sensing: Sensing, codewords: u32) -> Option<Duration> {
        let level = self.level(sensing).filter(|_| self.own_transfer)?;
        let times = &self.ldpc.times;
        let whole = times.transfer_ns(level);
        let before = if self.own_sensing {
            times.attempt_sense_ns(level, !sensing.is_retry())
        } else {
            0.0
        };
        let share = whole * f64::from(codewords) / f64::from(self.codewords);
        Some(Duration(rounded(before + share).ns() - rounded(before).ns()))
    }

    fn level(&self, sensing: Sensing) -> Option<Level> {
        Level::new(u32::from(sensing.level)).ok()
    }
}

fn rounded(ns: f64) -> Duration {
    Duration(ns.round() as u64)
}
