//! The places of a trace, and how often each is read and written.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::Side;
use super::arrivals::Pace;
use super::follow::{Follow, Start};
use super::survey::Sizes;
use crate::WorkloadError;
use crate::stats::{Request, Requests};

/// Places that are followed; where there are more, they are made twice as large.
const MOST: usize = 1 << 22;
/// Bytes from place to place, at most.
const COARSEST: u64 = 1 << 20;
/// Sectors of a place for which phases are told one by one.
const PHASES: u64 = 128;

/// A place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Requests that start there, by side.
    pub(crate) counts: [u32; 2],
    /// Number of the last of them among all that go to a place, by side; from 1 on.
    pub(crate) last: [u64; 2],
}

/// The places of a trace.
pub(crate) struct PlaceTable {
    /// Bytes from place to place.
    pub(crate) align: u64,
    pub(crate) places: FxHashMap<u64, Place>,
    /// Requests that go to a place, by side.
    pub(crate) requests: [u64; 2],
    /// Requests that go on where the last ended, by side, and where an earlier one did.
    pub(crate) goes_on: [[u64; 2]; 2],
    /// Sizes of those, by side.
    pub(crate) run_sizes: [Sizes; 2],
    pub(crate) pace: Pace,
    /// Places by the sector at which their first request starts.
    phases: Vec<u64>,
}

impl PlaceTable {
    /// Counts the places of a trace, `align` bytes apart or more.
    ///
    /// # Errors
    /// A trace that cannot be read; more places than can be followed, even when they are large.
    pub(crate) fn of<'a>(
        path: &Path,
        all: u64,
        requests: impl Fn() -> Result<Requests<'a>, WorkloadError>,
        mut align: u64,
    ) -> Result<Self, WorkloadError> {
        loop {
            if let Some(table) = Self::with(requests()?, all, align)? {
                return Ok(table);
            }
            align *= 2;
            if align > COARSEST {
                let problem = format!(
                    "starts requests in more than {MOST} places of {} KiB, more than can be followed; cut a part out of it",
                    COARSEST >> 10
                );
                return Err(WorkloadError::file(path, problem));
            }
        }
    }

    /// `None` where there are too many.
    fn with(mut requests: Requests<'_>, all: u64, align: u64) -> Result<Option<Self>, WorkloadError> {
        let mut follow = Follow::new(requests.devices());
        let mut table = Self {
            align,
            places: FxHashMap::default(),
            requests: [0; 2],
            goes_on: [[0; 2]; 2],
            run_sizes: Default::default(),
            pace: Pace::new(all),
            phases: vec![0; (align / 512) as usize],
        };
        while let Some(request) = requests.next()? {
            let Some(side) = Side::of(request.op) else {
                continue;
            };
            table.pace.add(request.arrival);
            let known = table.places.contains_key(&(request.start / align));
            let start = follow.next(&request, known);
            if start != Start::Place {
                table.run_sizes[side.index()].add(request.bytes);
            }
            match start {
                Start::Last => table.goes_on[side.index()][0] += 1,
                Start::Earlier => table.goes_on[side.index()][1] += 1,
                Start::Place => table.count(side, &request),
            }
            if table.places.len() > MOST {
                return Ok(None);
            }
        }
        Ok(Some(table))
    }

    /// Counts a request that goes to a place.
    fn count(&mut self, side: Side, request: &Request) {
        let align = self.align;
        self.requests[side.index()] += 1;
        let phases = &mut self.phases;
        let place = self.places.entry(request.start / align).or_insert_with(|| {
            phases[(request.start % align / 512) as usize] += 1;
            Place::default()
        });
        let count = &mut place.counts[side.index()];
        *count = count.saturating_add(1);
    }

    /// Places of a side.
    pub(crate) fn of_side(&self, side: Side) -> u64 {
        let used = |place: &&Place| place.counts[side.index()] > 0;
        self.places.values().filter(used).count() as u64
    }

    /// Shares of the requests of a side that go on where the last ended, and where an earlier one did.
    pub(crate) fn goes_on(&self, side: Side) -> [f64; 2] {
        let [last, earlier] = self.goes_on[side.index()];
        let all = (self.requests[side.index()] + last + earlier).max(1) as f64;
        [last as f64 / all, earlier as f64 / all]
    }

    /// Share of the places of reads that are places of writes too.
    pub(crate) fn shared(&self) -> Option<f64> {
        let both = |place: &&Place| place.counts[0] > 0 && place.counts[1] > 0;
        let shared = self.places.values().filter(both).count();
        let reads = self.of_side(Side::Reads);
        (reads > 0).then(|| shared as f64 / reads as f64)
    }

    /// Share of the places by the sector at which requests start; where places are large, to
    /// multiples of 4 KiB.
    pub(crate) fn phases(&self) -> Vec<f64> {
        let mut counts = self.phases.clone();
        if counts.len() as u64 > PHASES {
            for sector in 0..counts.len() {
                let page = sector - sector % 8;
                if page != sector {
                    counts[page] += std::mem::take(&mut counts[sector]);
                }
            }
        }
        let all = counts.iter().sum::<u64>().max(1);
        let mut shares: Vec<f64> = counts.iter().map(|count| *count as f64 / all as f64).collect();
        if shares.iter().all(|share| *share == 0.0)
            && let Some(first) = shares.first_mut()
        {
            *first = 1.0; // no request goes to a place
        }
        shares
    }
}
