//! The failure probability of a code, tabulated.

use crate::bch::Bch;
use crate::counts::ErrorCounts;
use crate::special::ln_binomial;

/// The logarithm of the probability that a codeword fails, over the raw bit error rate, from a table: cubic
/// pieces over the logarithm of the rate, with the slopes of the function itself. Off by less than 1e-7 in the
/// logarithm for codes that correct up to 300 errors; outside of the table it is worked out.
#[derive(Clone, Debug)]
pub struct FailureCurve {
    code: Bch,
    /// Value, and slope times spacing, at each node.
    nodes: Vec<(f64, f64)>,
}

/// Logarithms of the first and the last rate in the table: 1e-8 and about 1/2.
const FIRST: f64 = -18.420_680_743_952_367;
const LAST: f64 = -0.7;
const PER_UNIT: f64 = 200.0;

impl FailureCurve {
    /// Tabulates the failure of a code with independent errors.
    #[must_use]
    pub fn new(code: Bch) -> Self {
        let count = ((LAST - FIRST) * PER_UNIT) as u32;
        let nodes = (0..=count)
            .map(|node| {
                let rate = libm::exp(FIRST + f64::from(node) / PER_UNIT);
                let ln = ErrorCounts::Independent.tail(code.n(), code.t(), rate);
                // the derivative of the tail is its first term times (t + 1) / rate
                let first = ln_binomial(code.n(), code.t() + 1, rate);
                (ln, (f64::from(code.t()) + 1.0) * libm::exp(first - ln) / PER_UNIT)
            })
            .collect();
        Self { code, nodes }
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> Bch {
        self.code
    }

    /// The logarithm of the probability that a codeword fails at raw bit error rate `rber`, 0 to 1.
    #[must_use]
    pub fn ln_failure(&self, rber: f64) -> f64 {
        let place = (libm::log(rber) - FIRST) * PER_UNIT;
        if place >= 0.0
            && let Some(&[(low, rise), (high, next_rise)]) =
                self.nodes.get(place as usize..place as usize + 2)
        {
            let (x, y) = (place.fract(), 1.0 - place.fract());
            return y * y * ((1.0 + 2.0 * x) * low + x * rise)
                + x * x * ((1.0 + 2.0 * y) * high - y * next_rise);
        }
        ErrorCounts::Independent.tail(self.code.n(), self.code.t(), rber)
    }
}
