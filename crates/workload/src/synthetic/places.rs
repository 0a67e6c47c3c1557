//! The law by which a profile visits its places.

use wordline_units::Stream;

use super::scatter::Scatter;
use super::sizes::SizeLaw;
use super::slots::unit;
use super::weights::Weights;
use crate::profile::{Band, RequestProfile};

/// Places of like popularity.
#[derive(Clone, Debug)]
struct Ranks {
    /// Share of the visits to more popular places, and with these.
    visits: [f64; 2],
    /// Rank of the first, and of the first of the next band.
    ranks: [u64; 2],
    exponent: f64,
    sizes: Option<SizeLaw>,
    repeats: Repeats,
}

/// How often requests of a band are repeated, and when.
#[derive(Clone, Debug)]
pub(crate) struct Repeats {
    /// Logarithm of the probability that one more repetition follows; `None`: none ever does.
    log_more: Option<f64>,
    /// Weights of gaps of 1, 2 to 3, 4 to 7, ... requests.
    after: Option<Weights>,
}

impl Repeats {
    fn of(band: &Band) -> Self {
        Self {
            log_more: (band.repeats > 0.0).then(|| libm::log(band.repeats / (1.0 + band.repeats))),
            after: (!band.repeat_after.is_empty()).then(|| Weights::new(band.repeat_after.iter().copied())),
        }
    }

    /// How often a request is repeated: geometric.
    pub(crate) fn count(&self, stream: &mut Stream) -> u32 {
        self.log_more
            .map_or(0, |log_more| (libm::log(1.0 - unit(stream)) / log_more) as u32)
    }

    /// Requests until the next repetition, at least 1.
    pub(crate) fn gap(&self, stream: &mut Stream) -> u64 {
        let Some(after) = &self.after else { return 1 };
        let from = 1_u64 << after.draw(stream);
        from + (unit(stream) * from as f64) as u64
    }
}

/// Draws ranks: 0 is the most popular place.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    bands: Vec<Ranks>,
    /// Places, at least 1.
    count: u64,
    /// Visits after which it begins anew.
    cycle: Option<u64>,
    /// Order of the visits of this cycle.
    order: Option<Scatter>,
    visits: u64,
}

impl Places {
    /// The law of `profile`, which was checked, over `count` places, at least 1.
    pub(crate) fn new(profile: &RequestProfile, count: u64) -> Self {
        let alike = [Band {
            places: 1.0,
            visits: 1.0,
            ..Band::default()
        }];
        let bands = if profile.popularity.is_empty() {
            &alike[..]
        } else {
            &profile.popularity
        };
        let (mut places, mut visits) = (0.0, 0.0);
        let rank = |share: f64| ((share * count as f64).round() as u64).min(count);
        let bands = bands
            .iter()
            .map(|band| {
                let (from, before) = (rank(places), visits);
                places += band.places;
                visits += band.visits;
                Ranks {
                    visits: [before, visits],
                    ranks: [from, rank(places)],
                    exponent: band.exponent,
                    sizes: SizeLaw::listed(&band.sizes),
                    repeats: Repeats::of(band),
                }
            })
            .collect();
        Self {
            bands,
            count,
            cycle: profile.visits,
            order: None,
            visits: 0,
        }
    }

    /// The next visit: the rank of a place, and the number of its band.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> (u64, usize) {
        let draw = match self.cycle {
            None => unit(stream),
            // every visit of the cycle is a ticket, and tickets come in a random order: a place
            // gets exactly its share of them
            Some(cycle) => {
                let visit = self.visits % cycle;
                if visit == 0 {
                    self.order = None;
                }
                self.visits += 1;
                let order = self.order.get_or_insert_with(|| Scatter::of(cycle, stream));
                (order.place(visit) as f64 + 0.5) / cycle as f64
            }
        };
        let last = self.bands.len().saturating_sub(1);
        let place = self
            .bands
            .partition_point(|band| band.visits[1] <= draw)
            .min(last);
        let rank = self.bands.get(place).map_or(0, |band| band.rank(draw));
        (rank.min(self.count - 1), place)
    }

    /// The sizes of a band, where it has its own.
    pub(crate) fn sizes(&self, band: usize) -> Option<&SizeLaw> {
        self.bands.get(band)?.sizes.as_ref()
    }

    /// How requests of a band are repeated.
    pub(crate) fn repeats(&self, band: usize) -> Option<&Repeats> {
        self.bands.get(band).map(|band| &band.repeats)
    }
}

impl Ranks {
    fn rank(&self, draw: f64) -> u64 {
        let [before, upto] = self.visits;
        let [first, next] = self.ranks;
        let part = ((draw - before) / (upto - before)).clamp(0.0, 1.0);
        let (from, to) = (first as f64, next as f64);
        let rank = if self.exponent == 0.0 {
            from + part * (to - from)
        } else if (self.exponent - 1.0).abs() < 1e-9 {
            // a power law has no first place of measure: it starts at rank 1
            let from = from.max(1.0);
            from * libm::pow(to.max(1.0) / from, part)
        } else {
            let power = 1.0 - self.exponent;
            let from = if power < 0.0 { from.max(1.0) } else { from };
            let (low, high) = (libm::pow(from, power), libm::pow(to.max(1.0), power));
            libm::pow(low + part * (high - low), 1.0 / power)
        };
        (rank as u64).clamp(first, next.max(first + 1) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_units::Seed;

    fn band(places: f64, visits: f64) -> Band {
        Band {
            places,
            visits,
            ..Band::default()
        }
    }

    #[test]
    fn a_cycle_gives_every_place_its_exact_share() {
        let profile = RequestProfile {
            visits: Some(1_000),
            // 10 places of 50 visits, 100 of 4, 100 of 1
            popularity: vec![
                band(10.0 / 210.0, 0.5),
                band(100.0 / 210.0, 0.4),
                band(100.0 / 210.0, 0.1),
            ],
            ..RequestProfile::default()
        };
        let mut places = Places::new(&profile, 210);
        let mut stream = Seed(1).stream("test");
        let mut orders = Vec::new();
        for _ in 0..2 {
            let mut counts = vec![0; 210];
            let ranks: Vec<u64> = (0..1_000).map(|_| places.next(&mut stream).0).collect();
            for rank in &ranks {
                counts[*rank as usize] += 1;
            }
            assert!(counts[..10].iter().all(|count| *count == 50));
            assert!(counts[10..110].iter().all(|count| *count == 4));
            assert!(counts[110..].iter().all(|count| *count == 1));
            orders.push(ranks);
        }
        assert_ne!(orders[0], orders[1], "every cycle has an order of its own");
    }

    #[test]
    fn a_power_law_within_a_band() {
        for exponent in [0.5, 0.861, 1.0, 1.3] {
            let profile = RequestProfile {
                visits: Some(1_000_000),
                popularity: vec![Band {
                    exponent,
                    ..band(1.0, 1.0)
                }],
                ..RequestProfile::default()
            };
            let mut places = Places::new(&profile, 10_000);
            let mut stream = Seed(1).stream("test");
            let mut counts = vec![0.0; 10_000];
            for _ in 0..1_000_000 {
                counts[places.next(&mut stream).0 as usize] += 1.0;
            }
            let found = libm::log(counts[100] / counts[1_000]) / libm::log(10.0);
            assert!((found - exponent).abs() < 0.1, "{exponent}: {found}");
        }
    }

    #[test]
    fn repetitions_are_geometric_with_the_mean() {
        let repeats = Repeats::of(&Band {
            repeats: 2.5,
            repeat_after: vec![0.0, 1.0, 1.0],
            ..band(1.0, 1.0)
        });
        let mut stream = Seed(1).stream("test");
        let mean = (0..100_000)
            .map(|_| f64::from(repeats.count(&mut stream)))
            .sum::<f64>()
            / 1e5;
        assert!((mean - 2.5).abs() < 0.05, "{mean}");
        assert!((0..1_000).all(|_| (2..8).contains(&repeats.gap(&mut stream))));
    }
}
