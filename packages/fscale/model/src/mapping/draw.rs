//! Random draws from one named stream.

use rand::Rng;
use wordline_units::{Seed, Stream};

/// Draws from a stream of its own, so that features do not shift each other's draws.
pub(crate) struct Draw(Stream);

impl Draw {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(Seed(seed).stream(name))
    }

    /// The stream itself, for distributions.
    pub(crate) fn stream(&mut self) -> &mut Stream {
        &mut self.0
    }

    /// A number below `n`, uniformly.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0, included, to 1, excluded.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && (probability >= 1.0 || self.unit() < probability)
    }
}
