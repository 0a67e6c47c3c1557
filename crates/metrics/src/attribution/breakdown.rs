//! Sums of the parts of response times, by class and by how long the requests took.

use super::part::PARTS;
use super::{Part, Segment};
use crate::probe::RequestClass;

/// Bits behind the leading one by which latencies are kept apart.
const BITS: u32 = 7;
/// Steps of an octave, so that latencies of one step differ by less than 1 %.
const STEPS: u32 = 1 << BITS;
const BUCKETS: usize = (u64::BITS * STEPS) as usize;

/// Upper ends of the bands, in ten-thousandths of the requests in order of latency.
const EDGES: [u64; 6] = [5_000, 9_000, 9_900, 9_990, 9_999, 10_000];
/// Names of the bands.
pub const BAND_NAMES: [&str; EDGES.len()] = [
    "0-50 %",
    "50-90 %",
    "90-99 %",
    "99-99.9 %",
    "99.9-99.99 %",
    "99.99-100 %",
];

/// Requests of like latency, and their parts summed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Requests.
    pub requests: u64,
    /// Their latencies summed, ns.
    pub latency_ns: u64,
    /// Their parts summed, ns; index with `Part::index`.
    pub parts: [u64; PARTS],
}

impl Band {
    const EMPTY: Self = Self {
        requests: 0,
        latency_ns: 0,
        parts: [0; PARTS],
    };

    /// The parts that took any time. Requests that took none were served from the controller's memory: that part
    /// stands for them.
    pub(crate) fn told(&self) -> impl Iterator<Item = Part> {
        let memory_alone = self.requests > 0 && self.latency_ns == 0;
        Part::all()
            .into_iter()
            .filter(move |part| self.parts[part.index()] > 0 || (memory_alone && *part == Part::Memory))
    }

    /// A sum over the requests as their mean, us.
    pub(crate) fn mean_us(&self, ns: u64) -> f64 {
        ns as f64 / self.requests as f64 / 1e3
    }

    /// Takes so many of its requests out, with their share of each part.
    fn take(&mut self, requests: u64) -> Self {
        let mut taken = Self {
            requests,
            ..Self::EMPTY
        };
        for (left, part) in self.parts.iter_mut().zip(&mut taken.parts) {
            *part = (u128::from(*left) * u128::from(requests) / u128::from(self.requests)) as u64;
            *left -= *part;
            taken.latency_ns += *part;
        }
        self.requests -= requests;
        self.latency_ns -= taken.latency_ns;
        taken
    }

    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.latency_ns += other.latency_ns;
        for (sum, part) in self.parts.iter_mut().zip(&other.parts) {
            *sum += part;
        }
    }
}

/// The parts of all requests of a run, by class and latency.
#[derive(Clone, Debug)]
pub struct Breakdown {
    classes: [Vec<Option<Box<Band>>>; 3],
}

impl Default for Breakdown {
    fn default() -> Self {
        Self {
            classes: std::array::from_fn(|_| vec![None; BUCKETS]),
        }
    }
}

/// Bucket of a latency: its octave and the bits behind the leading one.
fn bucket(ns: u64) -> usize {
    let ns = ns.max(1);
    let octave = ns.ilog2();
    let shifted = if octave >= BITS {
        ns >> (octave - BITS)
    } else {
        ns << (BITS - octave)
    };
    let step = shifted & u64::from(STEPS - 1);
    (octave * STEPS) as usize + step as usize
}

impl Breakdown {
    /// Adds a request with its segments, which sum to its latency.
    pub fn add(&mut self, class: RequestClass, latency_ns: u64, segments: &[Segment]) {
        let band =
            self.classes[class.index()][bucket(latency_ns)].get_or_insert_with(|| Box::new(Band::EMPTY));
        band.requests += 1;
        band.latency_ns += latency_ns;
        for segment in segments {
            band.parts[segment.part.index()] += segment.ns;
        }
    }

    /// All requests of a class.
    #[must_use]
    pub fn total(&self, class: RequestClass) -> Band {
        let mut total = Band::EMPTY;
        for band in self.classes[class.index()].iter().flatten() {
            total.add(band);
        }
        total
    }

    /// The requests of a class by bands of latency, as [`BAND_NAMES`] names them: the fastest half, and so
    /// on. A band holds all requests up to its percentile that are in none before it. Requests of like latency
    /// (within 1 %) that lie on both sides of a percentile are divided, each with the mean of their parts. Bands
    /// without requests are empty.
    #[must_use]
    pub fn bands(&self, class: RequestClass) -> [Band; EDGES.len()] {
        let mut bands = [const { Band::EMPTY }; EDGES.len()];
        let all = u128::from(self.total(class).requests);
        let ends = EDGES.map(|edge| (all * u128::from(edge)).div_ceil(10_000) as u64);
        let (mut index, mut before) = (0, 0);
        for bucket in self.classes[class.index()].iter().flatten() {
            let mut left = bucket.as_ref().clone();
            while left.requests > 0 {
                while before == ends[index] {
                    index += 1;
                }
                let taken = left.take(left.requests.min(ends[index] - before));
                before += taken.requests;
                bands[index].add(&taken);
            }
        }
        bands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_grow_with_the_latency() {
        let mut last = 0;
        for ns in 1..100_000 {
            let bucket = bucket(ns);
            assert!(bucket >= last && bucket < BUCKETS);
            last = bucket;
        }
        assert!(bucket(u64::MAX) < BUCKETS);
        assert_eq!(bucket(0), bucket(1));
        assert_ne!(bucket(1_000_000), bucket(1_010_000));
    }

    /// Ninety-nine requests of 100 us of array, one of 10 ms behind an erase.
    #[test]
    fn the_tail_has_parts_of_its_own() {
        let mut breakdown = Breakdown::default();
        let array = |ns| Segment {
            part: Part::Array,
            ns,
        };
        for _ in 0..99 {
            breakdown.add(RequestClass::Read, 100_000, &[array(100_000)]);
        }
        let waited = Segment {
            part: Part::Die(super::super::Holder::GcErase),
            ns: 9_900_000,
        };
        breakdown.add(RequestClass::Read, 10_000_000, &[waited, array(100_000)]);
        let bands = breakdown.bands(RequestClass::Read);
        assert_eq!([0, 1, 2].map(|band| bands[band].requests), [50, 40, 9]);
        let slow = &bands[3];
        assert_eq!((slow.requests, slow.latency_ns), (1, 10_000_000));
        assert_eq!(slow.parts[waited.part.index()], 9_900_000);
        let total = breakdown.total(RequestClass::Read);
        assert_eq!(total.parts.iter().sum::<u64>(), total.latency_ns);
        assert_eq!(breakdown.total(RequestClass::Write), Band::EMPTY);
    }

    /// 20,010 requests of one latency, of which every second waits: each band has its share of them, and of what they waited.
    #[test]
    fn bands_hold_as_many_requests_as_their_percentiles_say() {
        let mut breakdown = Breakdown::default();
        for at in 0..20_010_u64 {
            let part = if at % 2 == 0 { Part::Array } else { Part::Space };
            breakdown.add(RequestClass::Write, 1_000, &[Segment { part, ns: 1_000 }]);
        }
        let bands = breakdown.bands(RequestClass::Write);
        // half are 10,005; 90 % are 18,009; 99 % are 19,809.9; 99.9 % are 19,989.99; 99.99 % are 20,007.999
        assert_eq!(
            bands.each_ref().map(|band| band.requests),
            [10_005, 8_004, 1_801, 180, 18, 2]
        );
        for band in &bands {
            let waited = band.parts[Part::Space.index()];
            assert!(waited.abs_diff(band.requests * 500) <= 1, "{waited}");
            assert_eq!(band.parts.iter().sum::<u64>(), band.latency_ns);
        }
        assert_eq!(bands.iter().map(|band| band.latency_ns).sum::<u64>(), 20_010_000);
    }

    /// The leading bit and the seven behind it: 20 is 1.0100000 of octave 4, 1,000 is 1.1111010 of octave 9, 5 is 1.0100000 of
    /// octave 2.
    #[test]
    fn buckets_by_hand() {
        assert_eq!(bucket(20), 4 * STEPS as usize + 0b010_0000);
        assert_eq!(bucket(1_000), 9 * STEPS as usize + 0b111_1010);
        assert_eq!(bucket(5), 2 * STEPS as usize + 0b010_0000);
    }

    /// Two requests of 30 us of array and 10 us of waiting for space; and one that took no time, which is the memory's.
    #[test]
    fn parts_that_took_time_are_told() {
        let mut breakdown = Breakdown::default();
        let segment = |part, us: u64| Segment { part, ns: us * 1_000 };
        for _ in 0..2 {
            let segments = [segment(Part::Space, 10), segment(Part::Array, 30)];
            breakdown.add(RequestClass::Write, 40_000, &segments);
        }
        let total = breakdown.total(RequestClass::Write);
        assert_eq!(total.told().collect::<Vec<_>>(), [Part::Space, Part::Array]);
        assert!((total.mean_us(total.parts[Part::Array.index()]) - 30.0).abs() < 1e-12);
        assert_eq!(Band::EMPTY.told().count(), 0);
        breakdown.add(RequestClass::Read, 0, &[]);
        let timeless: Vec<Part> = breakdown.total(RequestClass::Read).told().collect();
        assert_eq!(timeless, [Part::Memory]);
    }
}
