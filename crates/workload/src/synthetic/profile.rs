//! `kind = "profile"`: requests drawn from the law of a [`Profile`].

use wordline_keys::RefusedValue;
use wordline_units::{Seed, Stream};

use super::arrivals::Arrivals;
use super::classes::{draw, sectors, share};
use super::places::Places;
use super::repeats::Waiting;
use super::scatter::Scatter;
use super::schedule::Schedule;
use super::sizes::SizeLaw;
use super::slots::{Slots, below};
use super::weights::Weights;
use crate::config::WorkloadConfig;
use crate::profile::{Profile, RequestProfile};
use crate::{HostCommand, HostOp, Source, SourceError};

/// Requests whose ends are remembered.
const STREAMS: usize = 32;

/// What reads, or writes, are like.
struct Side {
    sizes: SizeLaw,
    /// Of 2^53 requests: those that go on where the last ended, and these with those that go on
    /// where an earlier one did.
    goes_on: [u64; 2],
    places: Places,
    /// Place of a rank among the places of the space, before they are scattered.
    first_place: u64,
    shuffle: Option<Scatter>,
    waiting: Waiting,
    /// Requests so far that went to a place.
    requests: u64,
}

impl Side {
    fn new(profile: &RequestProfile, sizes: SizeLaw, places: u64) -> Self {
        Self {
            sizes,
            goes_on: [
                share(profile.sequential),
                share((profile.sequential + profile.streams).min(1.0)),
            ],
            places: Places::new(profile, places),
            first_place: 0,
            shuffle: None,
            waiting: Waiting::default(),
            requests: 0,
        }
    }

    /// Number of the place of a rank.
    fn place(&self, rank: u64) -> u64 {
        self.first_place + self.shuffle.map_or(rank, |shuffle| shuffle.place(rank))
    }
}

/// The last ends, a ring.
struct Ends {
    /// `None` where a request went on: a stream is not followed twice.
    ends: [Option<u64>; STREAMS],
    count: usize,
    last: u64,
}

impl Ends {
    const fn new(start: u64) -> Self {
        Self {
            ends: [None; STREAMS],
            count: 0,
            last: start,
        }
    }

    fn push(&mut self, end: u64) {
        self.ends[self.count % STREAMS] = Some(end);
        self.count += 1;
        self.last = end;
    }

    /// The last end.
    fn take_last(&mut self) -> u64 {
        self.ends[(self.count + STREAMS - 1) % STREAMS] = None;
        self.last
    }

    /// One of the ends before the last at which no request went on; the last if there is none.
    fn take_earlier(&mut self, stream: &mut Stream) -> u64 {
        let last = (self.count + STREAMS - 1) % STREAMS;
        let open = |place: &usize| *place != last && self.ends[*place].is_some();
        let count = (0..STREAMS).filter(open).count() as u64;
        if count == 0 {
            return self.take_last();
        }
        let chosen = below(count, stream) as usize;
        let place = (0..STREAMS).filter(open).nth(chosen);
        place
            .and_then(|place| self.ends[place].take())
            .unwrap_or(self.last)
    }
}

/// A surrogate of a trace.
pub(crate) struct Surrogate {
    title: String,
    /// Of 2^53 requests.
    reads: u64,
    sides: [Side; 2],
    /// Sectors from place to place.
    align: u32,
    largest: u32,
    slots: Slots,
    scatter: Scatter,
    phases: Option<Weights>,
    phase_seed: Seed,
    ends: Ends,
    requests: Stream,
    addresses: Stream,
    schedule: Schedule,
    /// Placement handle of writes.
    placement: u16,
    /// Share of the profile's places for which the drive has room, where that is not all.
    room: Option<f64>,
}

impl Surrogate {
    /// The surrogate that `config` asks for, of `profile`, both checked, for a drive of `capacity`
    /// sectors.
    ///
    /// # Errors
    /// A region without room.
    pub(crate) fn new(
        profile: &Profile,
        config: &WorkloadConfig,
        capacity: u64,
    ) -> Result<Self, RefusedValue> {
        let seed = Seed(config.seed);
        let (reads, writes) = (SizeLaw::of(&profile.reads), SizeLaw::of(&profile.writes));
        let bands = profile.reads.popularity.iter().chain(&profile.writes.popularity);
        let largest = bands
            .flat_map(|band| &band.sizes)
            .map(|size| sectors(size.size))
            .fold(reads.largest().max(writes.largest()), u32::max);
        let align = sectors(profile.align);
        let phases = (!profile.phases.is_empty()).then(|| Weights::new(profile.phases.iter().copied()));
        // a place whose requests start behind its first sector needs room for that
        let room = if phases.is_some() {
            largest + align - 1
        } else {
            largest
        };
        let space = match (profile.space, config.region) {
            (Some(space), None) => capacity.min(space.bytes() / u64::from(wordline_units::SECTOR_BYTES)),
            _ => capacity,
        };
        let slots = Slots::of(config, space, align, room)?;
        let counts = Counts::of(profile, slots.count());
        let mut addresses = seed.stream("workload.address");
        let scatter = Scatter::of(slots.count(), &mut addresses);
        let mut sides = [
            Side::new(&profile.reads, reads, counts.reads),
            Side::new(&profile.writes, writes, counts.writes),
        ];
        if let Some(shared) = counts.shared {
            let [reads, writes] = &mut sides;
            // places of writes, then those of reads, which begin with the ones they share
            reads.first_place = counts.writes - shared;
            reads.shuffle = Some(Scatter::of(counts.reads, &mut addresses));
            writes.shuffle = Some(Scatter::of(counts.writes, &mut addresses));
        }
        let arrivals = Arrivals::of_profile(&profile.arrivals, config.compress_time, config.burst_bias, seed);
        Ok(Self {
            title: profile.title.clone(),
            reads: share(profile.read_fraction),
            placement: config.placement,
            sides,
            align,
            largest,
            slots,
            scatter,
            phases,
            phase_seed: seed,
            ends: Ends::new(slots.sector(0)),
            requests: seed.stream("workload.request"),
            addresses,
            schedule: Schedule::with(config, arrivals),
            room: counts.room,
        })
    }

    /// First sector of a request of `sectors` at the place number `place`.
    fn start(&mut self, place: u64, sectors: u32) -> u64 {
        let slot = self.scatter.place(place.min(self.slots.count() - 1));
        let start = self.slots.sector(slot);
        match &self.phases {
            Some(phases) => start + phases.at(self.phase_seed.draw("workload.phase", slot) >> 11) as u64,
            None if sectors.is_multiple_of(self.align) => start,
            None => {
                let within = below(u64::from(self.align), &mut self.addresses);
                start + within.min(u64::from(self.largest - sectors))
            }
        }
    }

    /// A request of a side: first sector and sectors.
    fn request(&mut self, side: usize) -> (u64, u32) {
        let draw = draw(&mut self.addresses);
        let [last, earlier] = self.sides[side].goes_on;
        if draw < earlier {
            let sectors = self.sides[side].sizes.draw(&mut self.requests);
            let end = if draw < last {
                self.ends.take_last()
            } else {
                self.ends.take_earlier(&mut self.addresses)
            };
            return (self.slots.going_on(end, sectors), sectors);
        }
        let state = &mut self.sides[side];
        state.requests += 1;
        let now = state.requests;
        let (sector, sectors, left, band) = match state.waiting.pop(now) {
            Some(repeat) => (repeat.sector, repeat.sectors, repeat.left - 1, repeat.band),
            None => {
                let (rank, band) = state.places.next(&mut self.addresses);
                let sizes = state.places.sizes(band).unwrap_or(&state.sizes);
                let sectors = sizes.draw(&mut self.requests);
                let place = state.place(rank);
                let sector = self.start(place, sectors);
                let repeats = self.sides[side].places.repeats(band);
                let left = repeats.map_or(0, |repeats| repeats.count(&mut self.addresses));
                (sector, sectors, left, band)
            }
        };
        let state = &mut self.sides[side];
        if left > 0 {
            let gap = state
                .places
                .repeats(band)
                .map_or(1, |repeats| repeats.gap(&mut self.addresses));
            state
                .waiting
                .push(now.saturating_add(gap), sector, sectors, left, band);
        }
        (sector, sectors)
    }
}

/// How many places each side has.
struct Counts {
    reads: u64,
    writes: u64,
    /// Places that both have, where they are drawn whatever their popularity.
    shared: Option<u64>,
    /// Share of the places that finds room, where it is not all.
    room: Option<f64>,
}

impl Counts {
    /// The places of `profile` in a space that has `slots` of them.
    fn of(profile: &Profile, slots: u64) -> Self {
        let reads = profile.reads.places.unwrap_or(slots);
        let writes = profile.writes.places.unwrap_or(slots);
        let shared = profile
            .shared_places
            .map(|share| ((share * reads as f64).round() as u64).min(reads.min(writes)));
        // side by side where some are shared, else on top of each other
        let all = match shared {
            Some(shared) => u128::from(reads) + u128::from(writes) - u128::from(shared),
            None => u128::from(reads.max(writes)),
        };
        if all <= u128::from(slots) {
            return Self {
                reads,
                writes,
                shared,
                room: None,
            };
        }
        let part = |count: u64| (u128::from(count) * u128::from(slots) / all) as u64;
        let (reads, writes) = (part(reads).max(1), part(writes).max(1));
        Self {
            reads,
            writes,
            // rounding must not push the places of reads beyond the space
            shared: shared.map(|shared| {
                let fits = (reads + writes).saturating_sub(slots);
                part(shared).max(fits).min(reads.min(writes))
            }),
            room: Some(slots as f64 / all as f64),
        }
    }
}

impl Source for Surrogate {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let Some(arrival) = self.schedule.next() else {
            return self.schedule.end();
        };
        let is_read = draw(&mut self.requests) < self.reads;
        let (sector, sectors) = self.request(usize::from(!is_read));
        self.ends.push(sector + u64::from(sectors));
        Ok(Some(HostCommand {
            arrival,
            op: if is_read { HostOp::Read } else { HostOp::Write },
            fua: false,
            sector,
            sectors,
            queue: 0,
            placement: if is_read { 0 } else { self.placement },
        }))
    }

    fn len_hint(&self) -> Option<u64> {
        self.schedule.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "the requests are a surrogate of {}, drawn from a law that has its statistics, not the trace itself: \
             `wordline profiles` tells which figures are published and which assumed",
            self.title,
        )];
        if let Some(room) = self.room {
            notes.push(format!(
                "the surrogate addresses more places than the space for it has: {:.1} % of them are used, their \
                 popularity keeps its shape",
                100.0 * room
            ));
        }
        notes
    }
}
