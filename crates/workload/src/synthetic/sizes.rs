//! Lognormal request sizes with a given mean.

use rand_distr::{Distribution, StandardNormal};
use wordline_units::{SECTOR_BYTES, Stream};

use super::classes::{draw, share};

/// Standard deviation of the logarithm of the sizes; the traces' own is not published, 1 spreads
/// two thirds of the requests over a factor of seven.
const SIGMA: f64 = 1.0;
/// Sectors of 4 KiB.
const PAGE: u32 = 8;

/// A law of request sizes in whole sectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeLaw {
    /// Mean of the logarithm of the size in sectors, before rounding.
    mu: f64,
    /// How many of 2^53 requests are multiples of 4 KiB; the others are not. `None`: as it comes.
    whole_pages: Option<u64>,
    largest: u32,
}

impl SizeLaw {
    /// A law whose rounded sizes have the mean `mean_kib`, the share `whole_pages` of them
    /// multiples of 4 KiB, none above `largest` sectors.
    pub(crate) fn new(mean_kib: f64, whole_pages: Option<f64>, largest: u32) -> Self {
        let mean = mean_kib * 1024.0 / f64::from(SECTOR_BYTES);
        let mean_of = |mu: f64| match whole_pages {
            None => expected(mu, |size| sectors(size, largest)),
            Some(part) => {
                part * expected(mu, |size| pages(size, largest))
                    + (1.0 - part) * expected(mu, |size| odd_sectors(size, largest))
            }
        };
        // rounding and the cap move the mean: find the centre at which it comes out right
        let (mut low, mut high) = (-4.0, 12.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if mean_of(middle) < mean {
                low = middle
            } else {
                high = middle
            }
        }
        Self {
            mu: (low + high) / 2.0,
            whole_pages: whole_pages.map(share),
            largest,
        }
    }

    /// The sectors of the next request.
    pub(crate) fn draw(&self, stream: &mut Stream) -> u32 {
        let normal: f64 = StandardNormal.sample(stream);
        let size = libm::exp(self.mu + SIGMA * normal);
        match self.whole_pages {
            None => sectors(size, self.largest),
            Some(part) if draw(stream) < part => pages(size, self.largest),
            Some(_) => odd_sectors(size, self.largest),
        }
    }
}

fn sectors(size: f64, largest: u32) -> u32 {
    (size.round() as u32).clamp(1, largest)
}

fn pages(size: f64, largest: u32) -> u32 {
    let pages = (size / f64::from(PAGE)).round() as u32;
    pages.clamp(1, largest / PAGE) * PAGE
}

/// As [`sectors`], one less where that would be whole pages.
fn odd_sectors(size: f64, largest: u32) -> u32 {
    let sectors = sectors(size, largest);
    if sectors.is_multiple_of(PAGE) {
        sectors - 1
    } else {
        sectors
    }
}

/// The mean of `sectors` over the lognormal law centred at `mu`, by the trapezoidal rule.
fn expected(mu: f64, sectors: impl Fn(f64) -> u32) -> f64 {
    const STEPS: i32 = 800;
    let (mut sum, mut weights) = (0.0, 0.0);
    for step in -STEPS..=STEPS {
        let z = f64::from(step) * (6.0 / f64::from(STEPS));
        let weight = libm::exp(-z * z / 2.0);
        sum += weight * f64::from(sectors(libm::exp(mu + SIGMA * z)));
        weights += weight;
    }
    sum / weights
}
