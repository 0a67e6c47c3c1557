//! What pages hold: the share of ones, fixed or drawn for every write.

use wordline_ftl::Lpn;
use wordline_units::Seed;

/// The share of ones of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum BitPattern {
    /// The same for every page, 0 to 1.
    Fixed(f64),
    /// Drawn anew for every page that the host writes, uniformly; moves keep it.
    Sampled {
        /// Lowest share.
        low: f64,
        /// Highest share.
        high: f64,
        /// Seed of the draws.
        seed: Seed,
        /// Logical pages of the drive.
        pages: u64,
    },
}

impl BitPattern {
    /// The mean share.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(share) => *share,
            Self::Sampled { low, high, .. } => 0.5 * (low + high),
        }
    }
}

/// The ones of every logical page, without a table of them: a draw is keyed by the page and by how often it was
/// written.
#[derive(Clone, Debug, Default)]
pub(super) struct Ones {
    draw: Option<Draw>,
}

#[derive(Clone, Debug)]
struct Draw {
    low: f64,
    width: f64,
    seed: Seed,
    /// Times that each logical page was written, modulo 256.
    writes: Vec<u8>,
}

impl Ones {
    pub(super) fn new(pattern: &BitPattern) -> Self {
        let draw = match *pattern {
            BitPattern::Fixed(_) => None,
            BitPattern::Sampled {
                low,
                high,
                seed,
                pages,
            } => Some(Draw {
                low,
                width: high - low,
                seed,
                writes: vec![0; usize::try_from(pages).unwrap_or(0)],
            }),
        };
        Self { draw }
    }

    /// The host wrote a page.
    #[inline]
    pub(super) fn renew(&mut self, lpn: Lpn) {
        if let Some(draw) = &mut self.draw
            && let Some(writes) = draw.writes.get_mut(lpn.0 as usize)
        {
            *writes = writes.wrapping_add(1);
        }
    }

    /// The mean share of what is drawn; zero where it is fixed, because the costs hold it then.
    pub(super) fn mean(&self) -> f64 {
        self.draw.as_ref().map_or(0.0, |draw| draw.low + 0.5 * draw.width)
    }

    /// Share of ones of a page; zero where it is fixed, because the costs hold it then.
    #[inline]
    pub(super) fn of(&self, lpn: Lpn) -> f64 {
        let Some(draw) = &self.draw else { return 0.0 };
        let writes = draw.writes.get(lpn.0 as usize).copied().unwrap_or(0);
        let bits = draw.seed.draw("power.ones", (lpn.0 << 8) | u64::from(writes));
        // 53 bits: every one of them shows in the share
        let share = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        draw.low + draw.width * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_a_range_is_its_middle() {
        let drawn = BitPattern::Sampled {
            low: 0.2,
            high: 0.6,
            seed: Seed(1),
            pages: 10,
        };
        assert!((drawn.mean() - 0.4).abs() < 1e-12);
        assert_eq!(BitPattern::Fixed(0.3).mean(), 0.3);
    }
}
