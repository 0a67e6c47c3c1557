//! Write amplification: given, or from the spare area.

/// Write amplification of uniform random writes over a drive that has `alpha` times as many physical as logical pages: alpha / (alpha + W(-alpha
/// exp(-alpha))), with the principal branch of the Lambert function (Luojie and Kurkoski 2012; Desnoyers 2012). `alpha` is above 1; the result is
/// infinite at 1 and below.
#[must_use]
pub fn given_spare(alpha: f64) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    // the valid share of a victim, v = 1 - 1/A, solves v = exp((v - 1) alpha): with A = 1/(1-v) this is the same equation
    let (mut low, mut high) = (0.0_f64, 1.0 - 1e-12);
    // the root below 1: v - exp((v-1) alpha) is negative at 0 and positive just below 1
    for _ in 0..200 {
        let middle = low.midpoint(high);
        if middle < libm::exp((middle - 1.0) * alpha) {
            low = middle;
        } else {
            high = middle;
        }
    }
    1.0 / (1.0 - low.midpoint(high))
}

/// Bytes that flash programs for each byte of the host, when every write of `host` bytes rewrites a logical page of `unit` bytes and collection
/// writes each page `collection` times.
#[must_use]
pub fn unit_amplification(collection: f64, unit: u64, host: u64) -> f64 {
    collection * unit as f64 / host.clamp(1, unit.max(1)) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Section 5 of the specification; 2.36 is printed by Luojie and Kurkoski.
    #[test]
    fn worked_examples() {
        for (alpha, expected, tolerance) in [
            (1.30, 2.364, 5e-4),
            (1.28, 2.481, 5e-4),
            (1.12, 4.846, 5e-4),
            (1.1157, 5.0, 5e-3),
            (1.07, 7.82, 5e-3),
        ] {
            let found = given_spare(alpha);
            assert!((found - expected).abs() < tolerance, "{alpha}: {found}");
        }
        assert!((unit_amplification(5.0, 8192, 4096) - 10.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn falls_with_the_spare_area_and_is_at_least_one(alpha in 1.01_f64..4.0, more in 0.001_f64..1.0) {
            prop_assert!(given_spare(alpha + more) < given_spare(alpha));
            prop_assert!(given_spare(alpha) >= 1.0);
        }
    }
}
