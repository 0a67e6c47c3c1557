//! Counts in powers of two.

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
        self.counts[(u64::BITS - value.leading_zeros()) as usize] += 1;
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
}
