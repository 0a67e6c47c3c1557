//! The code of the drive: from the bit error rate of a page to attempts and an outcome.

use wordline_ecc::{FailureCurve, Ldpc, Level, Retry, Start};
use wordline_nand::Ppn;
use wordline_units::{Duration, Seed};

/// How a read is sensed, and how it will go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sensing {
    /// References of the present attempt; none before the first.
    pub(crate) level: u8,
    /// References of the first attempt.
    pub(crate) first: u8,
    /// References of the last attempt.
    pub(crate) last: u8,
    /// Whether the last attempt does not give what was written.
    pub(crate) fails: bool,
}

impl Sensing {
    /// Whether the present attempt is not the first.
    pub(crate) fn is_retry(self) -> bool {
        self.level > self.first
    }

    /// Attempts up to the present one.
    pub(crate) fn attempts(self) -> u8 {
        self.level - self.first + 1
    }
}

/// The code.
pub(super) enum Code {
    Bch(BchReads),
    Ldpc(LdpcReads),
}

/// A BCH code, and what decides over its reads.
pub(super) struct BchReads {
    pub(super) curve: FailureCurve,
    /// Highest rate that succeeds; outcomes are drawn without one.
    pub(super) p_max: Option<f64>,
    pub(super) decode: Duration,
    pub(super) codewords: u32,
}

/// An LDPC code, and what decides over its reads.
pub(super) struct LdpcReads {
    pub(super) ldpc: Ldpc,
    pub(super) start: Start,
    pub(super) steepness: Option<f64>,
    pub(super) retry: Retry,
    /// Whether sensing and transfer have times of their own, or those of the drive.
    pub(super) own_sensing: bool,
    pub(super) own_transfer: bool,
    pub(super) decode: Duration,
    pub(super) codewords: u32,
}

/// What the draws of a read are keyed by.
#[derive(Clone, Copy)]
pub(super) struct Draws {
    pub(super) seed: Seed,
    pub(super) page: Ppn,
    pub(super) read: u64,
}

impl Draws {
    /// A number from 0 to 1, of the read's own.
    fn unit(self, number: u32) -> f64 {
        // 64 draws for each read are more than it has codewords or levels
        let key = (self.read << 6 | u64::from(number)) ^ self.page.0.rotate_left(40);
        (self.seed.draw("ecc.read", key) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Rarer failures than this are never drawn in any run: 2^-53 is the least difference of draws.
const NEVER_DRAWN: f64 = -37.0;

impl Code {
    /// Codewords of a page.
    pub(super) fn codewords(&self) -> u32 {
        match self {
            Self::Bch(bch) => bch.codewords,
            Self::Ldpc(ldpc) => ldpc.codewords,
        }
    }

    /// How long a codeword decodes.
    pub(super) fn decode(&self) -> Duration {
        match self {
            Self::Bch(bch) => bch.decode,
            Self::Ldpc(ldpc) => ldpc.decode,
        }
    }

    /// How a read of some codewords of a page with this error rate goes, and the failures expected of it.
    pub(super) fn read(&self, rber: f64, codewords: u32, draws: Draws) -> (Sensing, f64) {
        match self {
            Self::Bch(bch) => bch.read(rber, codewords, draws),
            Self::Ldpc(ldpc) => (ldpc.read(rber, draws), 0.0),
        }
    }
}

impl BchReads {
    fn read(&self, rber: f64, codewords: u32, draws: Draws) -> (Sensing, f64) {
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
    fn read(&self, rber: f64, draws: Draws) -> Sensing {
        let Some(steepness) = self.steepness else {
            let read = self.ldpc.read(self.start, |_| rber);
            return Sensing {
                level: read.first.get(),
                first: read.first.get(),
                last: read.last.get(),
                fails: !read.is_corrected,
            };
        };
        let first = match self.start {
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
    pub(super) fn sensing(&self, sensing: Sensing, reference: Duration) -> Duration {
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
    pub(super) fn bits(&self, sensing: Sensing) -> u32 {
        self.level(sensing).map_or(1, Level::bits)
    }

    /// Transfer of a share of the page, where it has a time of its own. An attempt of a whole page is rounded
    /// to nanoseconds once.
    pub(super) fn transfer(&self, sensing: Sensing, codewords: u32) -> Option<Duration> {
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
