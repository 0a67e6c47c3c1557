//! BCH codes of flash pages: binary, narrow-sense, primitive or shortened.

mod codec;
mod curve;
mod field;
mod parity;

pub use codec::Codec;
pub use curve::FailureCurve;
pub(crate) use parity::Parities;
pub use parity::{DEGREES, exact_parity};

use crate::counts::ErrorCounts;
use crate::error::{EccError, require};

/// A BCH code that can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bch {
    n: u32,
    k: u32,
    t: u32,
}

impl Bch {
    /// A code of `n` bits, `k` of them information, that corrects `t` errors.
    ///
    /// # Errors
    /// No narrow-sense code over the smallest field that holds `n` bits, primitive or shortened, does so: the
    /// `n - k` parity bits are fewer than the exact need of `t` errors, or a number is out of range.
    pub fn new(n: u32, k: u32, t: u32) -> Result<Self, EccError> {
        let most = (1_u32 << DEGREES.end()) - 1;
        require((3..=most).contains(&n), "n", n, || {
            format!("accepted are 3 to {most} bits of a codeword")
        })?;
        require((1..n).contains(&k), "k", k, || {
            format!("accepted are 1 to {} of n = {n} bits", n - 1)
        })?;
        require(t < n, "t", t, || format!("accepted is less than n = {n}"))?;
        let degree = degree_of(n);
        let need = exact_parity(degree, t);
        require(
            need.is_some_and(|need| need <= n - k),
            "n - k",
            n - k,
            || match need {
                Some(need) => format!("{t} errors of a code over GF(2^{degree}) take {need} parity bits"),
                None => format!("no code over GF(2^{degree}) corrects {t} errors"),
            },
        )?;
        Ok(Self { n, k, t })
    }

    /// The code of `n` bits with `k` of information that corrects most errors.
    ///
    /// # Errors
    /// `n` or `k` is out of range.
    pub fn strongest(n: u32, k: u32) -> Result<Self, EccError> {
        let plain = Self::new(n, k, 0)?;
        let t = Parities::new(degree_of(n))
            .take_while(|bits| *bits <= n - k)
            .count();
        // once the cosets have covered everything, n - k bits of parity would leave none of information
        let t = u32::try_from(t).unwrap_or(u32::MAX);
        Ok(Self { t, ..plain })
    }

    /// Bits of a codeword.
    #[must_use]
    pub fn n(self) -> u32 {
        self.n
    }

    /// Bits of information in a codeword.
    #[must_use]
    pub fn k(self) -> u32 {
        self.k
    }

    /// Errors that are corrected.
    #[must_use]
    pub fn t(self) -> u32 {
        self.t
    }

    /// Degree of the Galois field: the least that holds `n` bits.
    #[must_use]
    pub fn degree(self) -> u32 {
        degree_of(self.n)
    }

    /// Parity bits that `t` errors take; at most `n - k`.
    #[must_use]
    pub fn parity(self) -> u32 {
        exact_parity(self.degree(), self.t).unwrap_or(self.n - self.k)
    }

    /// Bits by which the primitive code is shortened.
    #[must_use]
    pub fn shortened_by(self) -> u32 {
        (1 << self.degree()) - 1 - self.n
    }

    /// Share of information in a codeword.
    #[must_use]
    pub fn rate(self) -> f64 {
        f64::from(self.k) / f64::from(self.n)
    }

    /// The logarithm of the probability that a codeword has more errors than are corrected. G. Wu, PhD dissertation,
    /// Virginia Commonwealth University 2013, section 2.2 (whose printed formula has a wrong lower index).
    ///
    /// # Errors
    /// `rber` is not a probability.
    pub fn ln_failure(self, rber: f64, counts: ErrorCounts) -> Result<f64, EccError> {
        counts.ln_tail(self.n, self.t, rber)
    }

    /// The highest raw bit error rate at which a codeword fails with probability `target` at most.
    ///
    /// # Errors
    /// `target` is not between 0 and 1.
    pub fn p_max(self, target: f64, counts: ErrorCounts) -> Result<f64, EccError> {
        counts.p_max(self.n, self.t, target)
    }

    /// How long a codeword decodes, in nanoseconds.
    #[must_use]
    pub fn decode_ns(self) -> f64 {
        decode_ns(self.n, self.t)
    }

    /// The published codes of a page of 4 KiB. Wu (2013), table 2.2.
    #[must_use]
    pub fn published() -> [Published; 4] {
        PUBLISHED
    }
}

/// A published code, and how long it decodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Codewords of a page.
    pub segments: u32,
    /// The code.
    pub code: Bch,
    /// Nanoseconds to decode a codeword.
    pub decode_ns: f64,
}

const PUBLISHED: [Published; 4] = [
    of_table(1, 34_528, 32_800, 108, 41_200.0),
    of_table(2, 17_264, 16_400, 57, 21_710.0),
    of_table(4, 8_632, 8_200, 30, 11_250.0),
    of_table(8, 4_316, 4_100, 16, 5_780.0),
];

const fn of_table(segments: u32, n: u32, k: u32, t: u32, decode_ns: f64) -> Published {
    Published {
        segments,
        code: Bch { n, k, t },
        decode_ns,
    }
}

/// How long a codeword of `n` bits decodes, in nanoseconds: the published time of a published code, else the least-squares
/// line through the four (1.0791 us and 1.16811 ns a bit; residuals below 0.47 us).
#[must_use]
pub fn decode_ns(n: u32, t: u32) -> f64 {
    PUBLISHED
        .iter()
        .find(|row| (row.code.n, row.code.t) == (n, t))
        .map_or(1079.1 + 1.168_11 * f64::from(n), |row| row.decode_ns)
}

/// The least degree of a Galois field whose primitive codes have `n` bits or more.
pub(crate) fn degree_of(n: u32) -> u32 {
    (u32::BITS - n.leading_zeros()).max(*DEGREES.start())
}
