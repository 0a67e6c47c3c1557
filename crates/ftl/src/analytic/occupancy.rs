//! How valid pages are spread over closed blocks.

/// The share of closed blocks with each number of valid pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// `cumulative[i]`: share of blocks with at most `i` valid pages.
    cumulative: Vec<f64>,
}

impl Occupancy {
    /// From shares m_0 .. m_b, which sum to 1 but for rounding.
    pub(super) fn from_shares(shares: Vec<f64>) -> Self {
        let total: f64 = shares.iter().sum();
        let mut sum = 0.0;
        let mut cumulative = shares;
        for share in &mut cumulative {
            sum += *share / total;
            *share = sum;
        }
        if let Some(last) = cumulative.last_mut() {
            *last = 1.0;
        }
        Self { cumulative }
    }

    /// Share of blocks with exactly `valid` valid pages.
    #[must_use]
    pub fn share(&self, valid: u32) -> f64 {
        let at = valid as usize;
        match self.cumulative.get(at) {
            None => 0.0,
            Some(up_to) if at == 0 => *up_to,
            Some(up_to) => up_to - self.cumulative[at - 1],
        }
    }

    /// Mean number of valid pages.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.cumulative[..self.cumulative.len() - 1]
            .iter()
            .map(|up_to| 1.0 - up_to)
            .sum()
    }

    /// The smallest number of valid pages that at least a share `u` (in [0, 1)) of the blocks do
    /// not exceed: with uniform `u`, a draw.
    #[must_use]
    pub fn quantile(&self, u: f64) -> u32 {
        let at = self.cumulative.partition_point(|up_to| *up_to <= u);
        at.min(self.cumulative.len() - 1) as u32
    }

    /// The `quantile`s of ascending shares, each from where the one before was found.
    pub(crate) fn quantiles(&self, ascending: impl IntoIterator<Item = f64>) -> impl Iterator<Item = u32> {
        let mut at = 0;
        ascending.into_iter().map(move |u| {
            while self.cumulative.get(at + 1).is_some() && self.cumulative[at] <= u {
                at += 1;
            }
            at as u32
        })
    }
}

/// Calls `each` with the numbers that Binomial(n, p) takes with notable probability.
///
/// Goes out from the mode by the ratio of neighbours, so that no term under- or overflows.
pub(crate) fn binomial(n: u32, p: f64, mut each: impl FnMut(usize, f64)) {
    if p <= 0.0 || p >= 1.0 {
        return each(if p <= 0.0 { 0 } else { n as usize }, 1.0);
    }
    const NEGLIGIBLE: f64 = 1e-18;
    let odds = p / (1.0 - p);
    let mode = ((f64::from(n) + 1.0) * p).floor().min(f64::from(n)) as u32;
    let mut terms = vec![(mode, 1.0)];
    let mut term = 1.0;
    for k in mode..n {
        term *= f64::from(n - k) / f64::from(k + 1) * odds;
        if term < NEGLIGIBLE {
            break;
        }
        terms.push((k + 1, term));
    }
    term = 1.0;
    for k in (1..=mode).rev() {
        term *= f64::from(k) / f64::from(n - k + 1) / odds;
        if term < NEGLIGIBLE {
            break;
        }
        terms.push((k - 1, term));
    }
    let total: f64 = terms.iter().map(|(_, term)| term).sum();
    for (k, term) in terms {
        each(k as usize, term / total);
    }
}
