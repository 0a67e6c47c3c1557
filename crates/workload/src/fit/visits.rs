//! How often places are visited, and how soon requests are repeated.
//!
//! A place that c of n requests go to is asked for every n/c requests on average. A request that
//! comes much sooner than that is taken for a repetition of the visit before; any other is a visit
//! of its own. Visits are drawn by popularity alone; repetitions follow after a measured number of
//! requests. So both popularity and reuse come out.

use super::Side;
use super::arrivals::{Pace, Paced};
use super::follow::{Follow, Start};
use super::places::PlaceTable;
use super::survey::Sizes;
use crate::WorkloadError;
use crate::profile::Band;
use crate::stats::Requests;

/// A request is a repetition where it comes sooner than this share of the mean gap.
const SOON: f64 = 0.1;
/// Sizes of a band that are listed one by one.
const LISTED: usize = 12;
/// Counts up to this have a band each; above, there are four bands to an octave.
const SINGLE: u32 = 16;
const PER_OCTAVE: f64 = 4.0;
/// Bands: single counts, and four to each octave of 32 bits.
const BANDS: usize = SINGLE as usize + 1 + 4 * 32;

/// What is known of places with like counts.
#[derive(Clone, Debug)]
struct Tally {
    places: u64,
    visits: u64,
    repeats: u64,
    sizes: Sizes,
    /// Repetitions by the highest bit of the number of requests since.
    after: [u64; 62],
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            places: 0,
            visits: 0,
            repeats: 0,
            sizes: Sizes::default(),
            after: [0; 62],
        }
    }
}

/// Visits and repetitions of a trace.
pub(crate) struct Visits {
    pub(crate) table: PlaceTable,
    pub(crate) arrivals: Paced,
    bands: [Vec<Tally>; 2],
}

impl Visits {
    pub(crate) fn of(mut requests: Requests<'_>, mut table: PlaceTable) -> Result<Self, WorkloadError> {
        let mut follow = Follow::new(requests.devices());
        let mut bands = [vec![Tally::default(); BANDS], vec![Tally::default(); BANDS]];
        let mut numbers = [0_u64; 2];
        let mut arrivals = Paced::new(std::mem::replace(&mut table.pace, Pace::new(0)));
        while let Some(request) = requests.next()? {
            let Some(side) = Side::of(request.op) else {
                continue;
            };
            arrivals.add(request.arrival);
            let place = table.places.get_mut(&(request.start / table.align));
            // seen so far in this pass, as it was when the places were counted
            let known = place.as_ref().is_some_and(|place| place.last != [0; 2]);
            let start = follow.next(&request, known);
            let Some(place) = place.filter(|_| start == Start::Place) else {
                continue;
            };
            let index = side.index();
            numbers[index] += 1;
            let count = place.counts[index];
            let Some(band) = bands[index].get_mut(band_of(count)) else {
                continue;
            };
            let last = std::mem::replace(&mut place.last[index], numbers[index]);
            let gap = numbers[index] - last;
            let mean_gap = table.requests[index] as f64 / f64::from(count.max(1));
            band.places += u64::from(last == 0);
            band.sizes.add(request.bytes);
            if last > 0 && (gap as f64) < SOON * mean_gap {
                band.repeats += 1;
                band.after[(gap.ilog2() as usize).min(61)] += 1;
            } else {
                band.visits += 1;
            }
        }
        Ok(Self {
            table,
            arrivals,
            bands,
        })
    }

    /// Places of a side, their bands from the most popular on, and visits.
    pub(crate) fn popularity(&self, side: Side) -> (u64, Vec<Band>, u64) {
        let bands = &self.bands[side.index()];
        let places: u64 = bands.iter().map(|band| band.places).sum();
        let visits: u64 = bands.iter().map(|band| band.visits).sum();
        let list = bands
            .iter()
            .rev()
            .filter(|band| band.places > 0)
            .map(|band| Band {
                places: band.places as f64 / places as f64,
                visits: band.visits as f64 / visits as f64,
                sizes: band.sizes.list(LISTED),
                exponent: 0.0,
                repeats: band.repeats as f64 / band.visits.max(1) as f64,
                repeat_after: weights(&band.after),
            })
            .collect();
        (places, list, visits)
    }
}

/// The band of a count, rising.
fn band_of(count: u32) -> usize {
    if count <= SINGLE {
        return count as usize;
    }
    let octaves = libm::log2(f64::from(count) / f64::from(SINGLE));
    SINGLE as usize + 1 + (octaves * PER_OCTAVE) as usize
}

/// Counts without the zeroes at their end.
fn weights(counts: &[u64]) -> Vec<f64> {
    let used = counts
        .iter()
        .rposition(|count| *count > 0)
        .map_or(0, |last| last + 1);
    counts[..used].iter().map(|count| *count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_rise_with_the_count() {
        let mut before = 0;
        for count in 1..100_000 {
            let band = band_of(count);
            assert!(band >= before);
            before = band;
        }
        assert!(band_of(u32::MAX) < BANDS);
        assert_eq!(weights(&[0, 3, 0]), [0.0, 3.0]);
        assert!(weights(&[0, 0]).is_empty());
    }
}
