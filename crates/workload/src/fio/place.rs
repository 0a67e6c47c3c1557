//! Where in a file the commands of a job fall.

use wordline_units::{Seed, Stream};

use super::coverage::Coverage;
use super::distribution::Places;
use super::sizes::SizeLaw;
use super::{Direction, Each};
use crate::synthetic::slots::below;

/// What the commands of a job have in common.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) sizes: Each<SizeLaw>,
    pub(crate) walk: Walk,
}

/// From one command to the next.
#[derive(Clone, Debug)]
pub(crate) enum Walk {
    /// Each where the one before it ends, or this many sectors further (`rw=write:4k`).
    Sequential { hole: i64 },
    Random {
        /// Commands from one random place to the next (`rw=randread:8`), at least 1.
        every: u64,
        /// In between: the same place again, rather than the one behind it (`rw_sequencer`).
        identical: bool,
        /// `percentage_random`, 0 to 100.
        percent: Each<u64>,
    },
}

/// A part of the drive that a job works on, in sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) first: u64,
    pub(crate) sectors: u64,
}

/// How random places are found.
#[derive(Clone, Debug)]
pub(crate) enum Finder {
    /// A sequential job finds none.
    None,
    /// Each block once per pass; directions of one block size share a map.
    Map {
        maps: Vec<(u64, Coverage)>,
        of: Each<usize>,
    },
    /// Drawn: sectors from place to place, and the law.
    Drawn(Box<Each<Option<(u64, Places)>>>),
}

/// Random streams of a job: one for each thing that is drawn.
pub(crate) struct Streams {
    pub(crate) places: Stream,
    pub(crate) sizes: Stream,
    pub(crate) directions: Stream,
    pub(crate) jumps: Stream,
    pub(crate) files: Stream,
    pub(crate) handles: Stream,
}

impl Streams {
    /// Those of the client with this number.
    pub(crate) fn of(seed: Seed, client: usize) -> Self {
        let stream = |what: &str| seed.stream(&format!("workload.fio.{client}.{what}"));
        Self {
            places: stream("place"),
            sizes: stream("size"),
            directions: stream("direction"),
            jumps: stream("jump"),
            files: stream("file"),
            handles: stream("placement"),
        }
    }
}

/// `zonemode=strided`: a file is worked on zone by zone, in sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stride {
    /// Size of a zone.
    pub(crate) range: u64,
    /// Sectors transferred before the next zone.
    pub(crate) transfer: u64,
    /// From the end of a zone to the next one.
    pub(crate) skip: u64,
}

impl Stride {
    /// The first zone of a region.
    pub(crate) const fn first_of(self, region: Region) -> Region {
        Region {
            first: region.first,
            sectors: self.range,
        }
    }
}

/// How far a file is in its zones.
#[derive(Clone, Copy, Debug)]
struct Strides {
    stride: Stride,
    /// All of the file.
    whole: Region,
    /// Sectors transferred in this zone.
    transferred: u64,
    /// Sectors left out since they were last asked for.
    skipped: u64,
}

/// A file of a job: its region, and how far the job has come.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// What it is worked on now: all of it, or a zone.
    region: Region,
    strides: Option<Strides>,
    finder: Finder,
    /// Where the last command of each direction started and ended, from the start of the region.
    last: Each<Option<(u64, u64)>>,
    /// Commands left until the next random place.
    hop: u64,
    /// Nothing is left in this pass.
    pub(crate) done: bool,
}

impl File {
    pub(crate) fn new(region: Region, finder: Finder) -> Self {
        Self {
            region,
            strides: None,
            finder,
            last: Each::default(),
            hop: 0,
            done: false,
        }
    }

    /// A file that is worked on zone by zone; `finder` finds places in one of them.
    pub(crate) fn strided(whole: Region, stride: Stride, finder: Finder) -> Self {
        Self {
            strides: Some(Strides {
                stride,
                whole,
                transferred: 0,
                skipped: 0,
            }),
            ..Self::new(stride.first_of(whole), finder)
        }
    }

    /// Starts the next pass.
    pub(crate) fn restart(&mut self, streams: &mut Streams) {
        if let Some(strides) = &mut self.strides {
            self.region.first = strides.whole.first;
            strides.transferred = 0;
        }
        self.done = false;
        self.begin_region(streams);
    }

    /// What it is worked on begins anew.
    fn begin_region(&mut self, streams: &mut Streams) {
        self.last = Each::default();
        self.hop = 0;
        if let Finder::Map { maps, .. } = &mut self.finder {
            for (_, map) in maps {
                map.restart(&mut streams.places);
            }
        }
    }

    /// Sectors that were left out between zones since this was last asked.
    pub(crate) fn take_skipped(&mut self) -> u64 {
        let strides = self.strides.as_mut();
        strides.map_or(0, |strides| std::mem::take(&mut strides.skipped))
    }

    /// The last command of a direction was moved to a sector of the drive.
    pub(crate) fn moved(&mut self, direction: Direction, sector: u64, sectors: u64) {
        let start = sector.saturating_sub(self.region.first);
        *self.last.of_mut(direction) = Some((start, start + sectors));
    }

    /// First sector and sectors of the next command, `None` at the end of the pass. Zones follow each other without end.
    pub(crate) fn next(
        &mut self,
        rules: &Rules,
        direction: Direction,
        streams: &mut Streams,
    ) -> Option<(u64, u64)> {
        let Some(strides) = &mut self.strides else {
            return self.next_in_region(rules, direction, streams);
        };
        if strides.transferred >= strides.stride.transfer {
            let Stride { range, skip, .. } = strides.stride;
            let next = self.region.first.saturating_add(range).saturating_add(skip);
            let end = strides.whole.first + strides.whole.sectors;
            let fits = next.checked_add(range).is_some_and(|behind| behind <= end);
            self.region.first = if fits { next } else { strides.whole.first };
            strides.transferred = 0;
            self.begin_region(streams);
        }
        let mut place = self.next_in_region(rules, direction, streams);
        if place.is_none() {
            // more is transferred than the zone holds
            self.begin_region(streams);
            place = self.next_in_region(rules, direction, streams);
        }
        if let (Some(strides), Some((_, sectors))) = (&mut self.strides, place) {
            strides.transferred += sectors;
            if strides.transferred >= strides.stride.transfer {
                strides.skipped = strides.skipped.saturating_add(strides.stride.skip);
            }
        }
        place
    }

    /// The next command in what it is worked on.
    fn next_in_region(
        &mut self,
        rules: &Rules,
        direction: Direction,
        streams: &mut Streams,
    ) -> Option<(u64, u64)> {
        let law = rules.sizes.of(direction);
        let (start, sectors) = match &rules.walk {
            Walk::Sequential { hole } => self.behind(*hole, direction, law, streams)?,
            Walk::Random {
                every,
                identical,
                percent,
            } => {
                let hops = self.hop == 0;
                self.hop = if hops { *every } else { self.hop } - 1;
                let percent = *percent.of(direction);
                let beside = if !hops && *identical {
                    self.again(direction, law, streams)
                } else if !hops || (percent < 100 && below(100, &mut streams.jumps) >= percent) {
                    self.behind(0, direction, law, streams)
                } else {
                    None
                };
                match beside {
                    Some(place) => place,
                    None => self.random(direction, law, streams)?,
                }
            }
        };
        *self.last.of_mut(direction) = Some((start, start + sectors));
        Some((self.region.first + start, sectors))
    }

    /// Behind the last command of the direction, and a hole of that many sectors; a walk with
    /// holes begins again at the other end, one without is over.
    fn behind(
        &self,
        hole: i64,
        direction: Direction,
        law: &SizeLaw,
        streams: &mut Streams,
    ) -> Option<(u64, u64)> {
        let (least, sectors) = (law.least(), self.region.sectors);
        let highest = sectors.checked_sub(least)?;
        let begin = if hole < 0 { highest / least * least } else { 0 };
        let start = match *self.last.of(direction) {
            None => begin,
            Some((_, end)) if hole == 0 => end,
            Some((_, end)) => end
                .checked_add_signed(hole)
                .filter(|start| *start <= highest)
                .unwrap_or(begin),
        };
        (start <= highest).then(|| (start, law.draw(sectors - start, &mut streams.sizes)))
    }

    /// Where the last command of the direction started.
    fn again(&self, direction: Direction, law: &SizeLaw, streams: &mut Streams) -> Option<(u64, u64)> {
        let (start, _) = (*self.last.of(direction))?;
        Some((start, law.draw(self.region.sectors - start, &mut streams.sizes)))
    }

    fn random(&mut self, direction: Direction, law: &SizeLaw, streams: &mut Streams) -> Option<(u64, u64)> {
        match &mut self.finder {
            Finder::None => None,
            Finder::Map { maps, of } => {
                let (block, map) = maps.get_mut(*of.of(direction))?;
                let found = map.peek()?;
                let room = (map.blocks() - found) * *block;
                let sectors = law.draw(room, &mut streams.sizes);
                Some((found * *block, map.visit(found, sectors / *block) * *block))
            }
            Finder::Drawn(places) => {
                let (step, places) = places.of(direction).as_ref()?;
                let start = places.draw(&mut streams.places) * step;
                let room = self.region.sectors - start;
                Some((start, law.draw(room, &mut streams.sizes)))
            }
        }
    }
}
