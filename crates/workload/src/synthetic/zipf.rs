//! `kind = "zipf"`: the k-th most popular address in proportion to 1/k^theta.

use rand_distr::Distribution;
use wordline_keys::RefusedValue;
use wordline_units::Stream;

use super::generator::Addresses;
use super::scatter::Scatter;
use super::slots::Slots;
use crate::config::WorkloadConfig;

/// Zipf-distributed ranks (rejection-inversion, Hörmann and Derflinger, 1996: no table), scattered
/// over the region.
pub(crate) struct Zipf {
    slots: Slots,
    ranks: rand_distr::Zipf<f64>,
    scatter: Scatter,
    stream: Stream,
}

impl Zipf {
    /// # Errors
    /// A skew for which no distribution exists.
    pub(crate) fn new(
        slots: Slots,
        config: &WorkloadConfig,
        mut stream: Stream,
    ) -> Result<Self, RefusedValue> {
        let ranks = rand_distr::Zipf::new(slots.count() as f64, config.theta)
            .map_err(|error| RefusedValue::new("workload.theta", config.theta, error.to_string()))?;
        let scatter = Scatter::of(slots.count(), &mut stream);
        Ok(Self {
            slots,
            ranks,
            scatter,
            stream,
        })
    }
}

impl Addresses for Zipf {
    fn next(&mut self, _: u32) -> u64 {
        let rank = self.ranks.sample(&mut self.stream) as u64 - 1;
        self.slots
            .sector(self.scatter.place(rank.min(self.slots.count() - 1)))
    }
}
