//! Powers of cycles, ages and counts.

/// A power; the first one, which is common, costs nothing.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        base
    } else {
        libm::pow(base, exponent)
    }
}
