//! Counts in powers of two, and finer ones for quantiles.

use serde::Serialize;

/// A bucket of a histogram: values from `from` to below twice `from`; the bucket from 0 holds 0
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// Lowest value, in the unit of the histogram.
    pub from: u64,
    /// How many values are in it.
    pub count: u64,
}

/// Counts values by their highest bit.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    /// By bits in the value.
    counts: [u64; 65],
}

impl Histogram {
    pub(crate) const fn new() -> Self {
        Self { counts: [0; 65] }
    }

    pub(crate) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// Counts `value` as often as `weight` says.
    pub(crate) fn add_many(&mut self, value: u64, weight: u64) {
        let count = &mut self.counts[(u64::BITS - value.leading_zeros()) as usize];
        *count = count.saturating_add(weight);
    }

    /// From the first bucket that holds something to the last, those between included.
    pub(crate) fn buckets(&self) -> Vec<Bucket> {
        let bucket = |(bits, count): (usize, &u64)| Bucket {
            from: bits.checked_sub(1).map_or(0, |bit| 1 << bit),
            count: *count,
        };
        let mut buckets: Vec<Bucket> = self
            .counts
            .iter()
            .enumerate()
            .map(bucket)
            .skip_while(|bucket| bucket.count == 0)
            .collect();
        while buckets.last().is_some_and(|bucket| bucket.count == 0) {
            buckets.pop();
        }
        buckets
    }
}

/// Steps between two powers of two, as a power of two: a bucket is at most a sixteenth of its
/// lower bound wide.
const STEP_BITS: u32 = 4;
const STEPS: u64 = 1 << STEP_BITS;

/// Counts values to four significant bits, for quantiles within 6 %.
#[derive(Clone, Debug)]
pub(crate) struct Fine {
    counts: Vec<u64>,
    total: u64,
}

impl Fine {
    pub(crate) fn new() -> Self {
        Self {
            counts: vec![0; ((u64::BITS - STEP_BITS + 1) as usize) << STEP_BITS],
            total: 0,
        }
    }

    /// Counts `value` as often as `weight` says.
    pub(crate) fn add_many(&mut self, value: u64, weight: u64) {
        let count = &mut self.counts[Self::bucket(value)];
        *count = count.saturating_add(weight);
        self.total = self.total.saturating_add(weight);
    }

    /// The bucket of a value: small values have one each.
    const fn bucket(value: u64) -> usize {
        if value < STEPS {
            return value as usize;
        }
        let shift = value.ilog2() - STEP_BITS;
        (((shift + 1) as usize) << STEP_BITS) + ((value >> shift) - STEPS) as usize
    }

    /// The values of a bucket: the lowest, and how many.
    const fn bounds(bucket: usize) -> (u64, u64) {
        let bucket = bucket as u64;
        if bucket < 2 * STEPS {
            return (bucket, 1);
        }
        let shift = (bucket >> STEP_BITS) - 1;
        ((STEPS + bucket % STEPS) << shift, 1 << shift)
    }

    /// A value that the share `part` of the values does not exceed, to the middle of its bucket;
    /// `None` without values.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let wanted = ((self.total as f64 * part).ceil() as u64).max(1);
        let mut sum = 0_u64;
        for (bucket, count) in self.counts.iter().enumerate() {
            sum = sum.saturating_add(*count);
            if sum >= wanted {
                let (from, width) = Self::bounds(bucket);
                return Some(from as f64 + (width - 1) as f64 / 2.0);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_powers_of_two() {
        let mut histogram = Histogram::new();
        for value in [0, 1, 2, 3, 4, 1 << 63, u64::MAX] {
            histogram.add(value);
        }
        let buckets = histogram.buckets();
        let head: Vec<(u64, u64)> = buckets
            .iter()
            .take(4)
            .map(|bucket| (bucket.from, bucket.count))
            .collect();
        assert_eq!(head, [(0, 1), (1, 1), (2, 2), (4, 1)]);
        assert_eq!(
            buckets.last(),
            Some(&Bucket {
                from: 1 << 63,
                count: 2
            })
        );
        assert!(Histogram::new().buckets().is_empty());
    }

    #[test]
    fn fine_buckets_hold_what_falls_into_them() {
        for value in (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, (1 << bit) + (1 << bit) / 3]) {
            let (from, width) = Fine::bounds(Fine::bucket(value));
            assert!(from <= value && value - from < width, "{value}: {from} + {width}");
            assert!(width == 1 || width * STEPS <= from, "{value}");
        }
        assert_eq!(Fine::bucket(u64::MAX) + 1, Fine::new().counts.len());
    }

    #[test]
    fn quantiles_are_near() {
        let mut fine = Fine::new();
        assert_eq!(fine.quantile(0.5), None);
        for value in 1..=100_000 {
            fine.add_many(value, 1);
        }
        for part in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let found = fine.quantile(part).unwrap();
            assert!((found / (part * 1e5) - 1.0).abs() < 0.04, "{part}: {found}");
        }
    }
}
