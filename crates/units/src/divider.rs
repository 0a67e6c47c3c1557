//! Division by a number that is known once, as one multiplication.

/// Divides by a fixed number (Lemire, Kaser and Kurz 2019): exact while the numerator times the
/// divisor stays below 2^63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divider {
    /// ceil(2^63 / divisor)
    magic: u64,
}

impl Divider {
    /// A divisor of at least 1.
    ///
    /// # Panics
    /// A divisor of 0.
    #[must_use]
    pub const fn new(divisor: u32) -> Self {
        assert!(divisor > 0, "a divisor of at least 1");
        Self {
            magic: (1_u64 << 63).div_ceil(divisor as u64),
        }
    }

    /// The quotient, rounded down.
    #[must_use]
    #[inline]
    pub const fn divide(self, numerator: u64) -> u64 {
        (((numerator << 1) as u128 * self.magic as u128) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_exactly() {
        for divisor in [1, 2, 3, 7, 64, 100, 1536, 32_767] {
            let divider = Divider::new(divisor);
            for base in [0_u64, 1, 63, 64, 12_345_678_901, (1 << 40) - 1, 1 << 47] {
                for numerator in base.saturating_sub(2)..base + 2 {
                    assert_eq!(divider.divide(numerator), numerator / u64::from(divisor));
                }
            }
        }
    }
}
