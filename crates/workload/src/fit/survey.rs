//! Sizes and alignment of a trace.

use std::collections::BTreeMap;

use wordline_units::ByteSize;

use super::Side;
use super::follow::{Follow, Start};
use crate::WorkloadError;
use crate::profile::SizeShare;
use crate::stats::Requests;

/// Different sizes that are counted one by one.
const SIZES: usize = 1 << 16;
/// Largest size of a profile, in sectors: 1 GiB.
const LARGEST: u64 = 1 << 21;
/// Bytes that places are apart, at least and at most, as powers of two, and the share of the
/// requests that must start at a multiple.
const FINEST: u32 = 12;
const COARSEST: u32 = 16;
const ALIGNED: f64 = 0.99;

/// Sizes in sectors, and how often each occurs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes(BTreeMap<u64, u64>);

impl Sizes {
    pub(crate) fn add(&mut self, bytes: u64) {
        let sectors = bytes.div_ceil(512).clamp(1, LARGEST);
        if self.0.len() < SIZES || self.0.contains_key(&sectors) {
            *self.0.entry(sectors).or_default() += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `listed` commonest sizes, and the others in octaves, each at its mean: neither number of requests
    /// nor their bytes change.
    pub(crate) fn list(&self, listed: usize) -> Vec<SizeShare> {
        let mut sizes: Vec<(u64, u64)> = self.0.iter().map(|(size, count)| (*size, *count)).collect();
        sizes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let rare = sizes.split_off(sizes.len().min(listed));
        let mut octaves: BTreeMap<u32, (u128, u64)> = BTreeMap::new();
        for (size, count) in rare {
            let octave = octaves.entry(size.ilog2()).or_default();
            octave.0 += u128::from(size) * u128::from(count);
            octave.1 += count;
        }
        let mut all: BTreeMap<u64, u64> = sizes.into_iter().collect();
        if all.is_empty() {
            all.insert(1, 1); // never drawn, but a law needs a size
        }
        for (bytes, count) in octaves.into_values() {
            let mean = (bytes + u128::from(count) / 2) / u128::from(count);
            *all.entry(mean as u64).or_default() += count;
        }
        all.into_iter()
            .map(|(sectors, count)| SizeShare {
                size: ByteSize(sectors * 512),
                weight: count as f64,
            })
            .collect()
    }
}

/// What reads, or writes, are like.
#[derive(Debug, Default)]
pub(crate) struct SideSurvey {
    pub(crate) requests: u64,
    pub(crate) sizes: Sizes,
}

/// What one pass over a trace tells.
pub(crate) struct Survey {
    sides: [SideSurvey; 2],
    /// Bytes from place to place.
    pub(crate) align: u64,
    largest: u64,
}

impl Survey {
    pub(crate) fn of(mut requests: Requests<'_>) -> Result<Self, WorkloadError> {
        let mut survey = Self {
            sides: Default::default(),
            align: 0,
            largest: 0,
        };
        let mut follow = Follow::new(requests.devices());
        // places by the zero bits at the end of their address
        let mut bits = [0_u64; 65];
        while let Some(request) = requests.next()? {
            let Some(side) = Side::of(request.op) else {
                continue;
            };
            let of = &mut survey.sides[side.index()];
            of.requests += 1;
            of.sizes.add(request.bytes);
            if follow.next(&request, false) == Start::Place {
                bits[request.start.trailing_zeros() as usize] += 1;
            }
            survey.largest = survey.largest.max(request.bytes);
        }
        let placed: u64 = bits.iter().sum();
        let aligned = |to: u32| bits[to as usize..].iter().sum::<u64>() as f64 >= ALIGNED * placed as f64;
        let finest = (FINEST + 1..=COARSEST).rev().find(|to| aligned(*to));
        survey.align = 1 << finest.unwrap_or(FINEST);
        Ok(survey)
    }

    pub(crate) const fn side(&self, side: Side) -> &SideSurvey {
        &self.sides[side.index()]
    }

    /// Reads and writes.
    pub(crate) const fn requests(&self) -> u64 {
        self.sides[0].requests + self.sides[1].requests
    }

    /// Bytes of the largest request that the profile has.
    pub(crate) fn largest(&self) -> u64 {
        self.largest.min(LARGEST * 512)
    }
}
