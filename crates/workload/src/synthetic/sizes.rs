//! The sizes of a profile's requests: from a list, or lognormal with a given mean.

use rand_distr::{Distribution, StandardNormal};
use wordline_units::{SECTOR_BYTES, Stream};

use super::classes::{draw, sectors as whole_sectors, share};
use super::weights::Weights;
use crate::profile::{RequestProfile, SizeShare};

/// Sectors of 4 KiB.
const PAGE: u32 = 8;

/// A law of request sizes in whole sectors.
#[derive(Clone, Debug)]
pub(crate) enum SizeLaw {
    /// Sizes and how often each occurs.
    List {
        sizes: Vec<u32>,
        weights: Weights,
    },
    Lognormal(Lognormal),
}

impl SizeLaw {
    /// The law of `profile`, which was checked.
    pub(crate) fn of(profile: &RequestProfile) -> Self {
        Self::listed(&profile.sizes).unwrap_or_else(|| Self::Lognormal(Lognormal::of(profile)))
    }

    /// The law of a list of sizes; `None` for an empty one.
    pub(crate) fn listed(sizes: &[SizeShare]) -> Option<Self> {
        (!sizes.is_empty()).then(|| Self::List {
            sizes: sizes.iter().map(|size| whole_sectors(size.size)).collect(),
            weights: Weights::new(sizes.iter().map(|size| size.weight)),
        })
    }

    /// Sectors of the largest request.
    pub(crate) fn largest(&self) -> u32 {
        match self {
            Self::List { sizes, .. } => sizes.iter().copied().max().unwrap_or(1),
            Self::Lognormal(law) => law.largest,
        }
    }

    /// The sectors of the next request.
    pub(crate) fn draw(&self, stream: &mut Stream) -> u32 {
        match self {
            Self::List { sizes, weights } => sizes.get(weights.draw(stream)).copied().unwrap_or(1),
            Self::Lognormal(law) => law.draw(stream),
        }
    }
}

/// A lognormal law, rounded to sectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lognormal {
    /// Mean of the logarithm of the size in sectors, before rounding.
    mu: f64,
    /// Its standard deviation.
    sigma: f64,
    /// How many of 2^53 requests are multiples of 4 KiB; the others are not. `None`: as it comes.
    whole_pages: Option<u64>,
    largest: u32,
}

impl Lognormal {
    /// The law whose rounded sizes have the mean and the share of whole pages of `profile`.
    fn of(profile: &RequestProfile) -> Self {
        let (sigma, largest) = (profile.size_spread, whole_sectors(profile.largest));
        let mean = profile.mean_size.bytes() as f64 / f64::from(SECTOR_BYTES);
        let mean_of = |mu: f64| match profile.whole_pages {
            None => expected(mu, sigma, |size| sectors(size, largest)),
            Some(part) => {
                part * expected(mu, sigma, |size| pages(size, largest))
                    + (1.0 - part) * expected(mu, sigma, |size| odd_sectors(size, largest))
            }
        };
        // rounding and the cap move the mean: find the centre at which it comes out right
        let (mut low, mut high) = (-12.0, 24.0);
        for _ in 0..48 {
            let middle = (low + high) / 2.0;
            if mean_of(middle) < mean {
                low = middle
            } else {
                high = middle
            }
        }
        Self {
            mu: (low + high) / 2.0,
            sigma,
            whole_pages: profile.whole_pages.map(share),
            largest,
        }
    }

    fn draw(&self, stream: &mut Stream) -> u32 {
        let normal: f64 = StandardNormal.sample(stream);
        let size = libm::exp(self.mu + self.sigma * normal);
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
    pages.clamp(1, (largest / PAGE).max(1)) * PAGE
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

/// The mean of `sectors` over the lognormal law of `mu` and `sigma`, by the trapezoidal rule.
fn expected(mu: f64, sigma: f64, sectors: impl Fn(f64) -> u32) -> f64 {
    const STEPS: i32 = 800;
    let (mut sum, mut weights) = (0.0, 0.0);
    for step in -STEPS..=STEPS {
        let z = f64::from(step) * (6.0 / f64::from(STEPS));
        let weight = libm::exp(-z * z / 2.0);
        sum += weight * f64::from(sectors(libm::exp(mu + sigma * z)));
        weights += weight;
    }
    sum / weights
}
