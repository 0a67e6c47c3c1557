//! What a number of reference voltages tells about a bit.

use crate::error::{EccError, require};
use crate::ldpc::level::Level;
use crate::special::normal_tail;

/// Mutual information, in bits, of a bit sent as -1 or +1 through Gaussian noise and read with the reference voltages of
/// `level`, equally spaced about 0 so that it is largest (spacings in steps of 0.01). The noise is such that a hard
/// decision is wrong with probability `rber`.
///
/// # Errors
/// `rber` is not above 0 and below 1/2.
pub fn information(level: Level, rber: f64) -> Result<f64, EccError> {
    require(rber > 0.0 && rber < 0.5, "rber", rber, || {
        "accepted is an error rate above 0 and below 0.5".to_owned()
    })?;
    Ok(largest(level, rber))
}

/// Spacings that are tried: 0.01 to 3, in hundredths. Wider ones put references beyond the means of both states.
const SPACINGS: std::ops::RangeInclusive<u32> = 1..=300;

/// [`information`] of an error rate that was checked.
pub(super) fn largest(level: Level, rber: f64) -> f64 {
    let sigma = sigma(rber);
    if level == Level::HARD {
        return at(level, sigma, 0.0);
    }
    SPACINGS
        .map(|hundredths| at(level, sigma, f64::from(hundredths) / 100.0))
        .fold(0.0, f64::max)
}

/// The deviation of the noise with which a hard decision is wrong with probability `rber`.
fn sigma(rber: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if normal_tail(1.0 / middle) < rber {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn at(level: Level, sigma: f64, spacing: f64) -> f64 {
    let levels = f64::from(level.get());
    // how likely -1 and +1 are read above a reference; by symmetry one is the other's complement mirrored
    let above = |edge: f64| {
        (
            normal_tail((edge + 1.0) / sigma),
            normal_tail((edge - 1.0) / sigma),
        )
    };
    let mut before = (1.0, 1.0);
    let mut sum = 0.0;
    for bin in 0..=level.get() {
        let after = if bin == level.get() {
            (0.0, 0.0)
        } else {
            above((f64::from(bin) - 0.5 * (levels - 1.0)) * spacing)
        };
        let (low, high) = (before.0 - after.0, before.1 - after.1);
        let mean = 0.5 * (low + high);
        for share in [low, high] {
            if share > 0.0 {
                sum += 0.5 * share * libm::log2(share / mean);
            }
        }
        before = after;
    }
    sum
}
