//! A draw from a list by weight.

use wordline_units::Stream;

use super::classes::{draw, share};

/// Weights added up, as numbers of 2^53.
#[derive(Clone, Debug)]
pub(crate) struct Weights(Vec<u64>);

impl Weights {
    /// Weights of at least 0, one of them above.
    pub(crate) fn new(weights: impl Iterator<Item = f64> + Clone) -> Self {
        let total: f64 = weights.clone().sum();
        let mut sum = 0.0;
        Self(
            weights
                .map(|weight| {
                    sum += weight;
                    share((sum / total).min(1.0))
                })
                .collect(),
        )
    }

    /// A place in the list; 0 where there is none.
    pub(crate) fn draw(&self, stream: &mut Stream) -> usize {
        self.at(draw(stream))
    }

    /// The place of a number below 2^53.
    pub(crate) fn at(&self, draw: u64) -> usize {
        let place = self.0.partition_point(|upto| *upto <= draw);
        // rounding may leave the sum a little short of 1
        place.min(self.last_used())
    }

    /// The last place whose weight is above 0.
    fn last_used(&self) -> usize {
        let total = self.0.last().copied().unwrap_or_default();
        self.0.partition_point(|upto| *upto < total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_zero_are_never_drawn() {
        let weights = Weights::new([0.0, 1.0, 0.0, 3.0, 0.0].into_iter());
        assert_eq!(weights.at(0), 1);
        assert_eq!(weights.at((1 << 51) - 1), 1);
        assert_eq!(weights.at(1 << 51), 3);
        assert_eq!(weights.at((1 << 53) - 1), 3);
    }
}
