//! Where in a file the commands of a job fall.

use wordline_units::{SECTOR_BYTES, Seed, Stream};

use super::coverage::Coverage;
use super::distribution::Places;
use super::sizes::SizeLaw;
use super::{Direction, Each};
use crate::synthetic::slots::below;

const SECTOR: u64 = SECTOR_BYTES as u64;

/// What the commands of a job have in common.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) sizes: Each<SizeLaw>,
    pub(crate) walk: Walk,
    /// A write follows each trim, at its place and as large.
    pub(crate) rewrites: bool,
}

/// From one command to the next.
#[derive(Clone, Debug)]
pub(crate) enum Walk {
    /// Each where the one before it ends, or this many sectors further (`rw=write:4k`); a direction that comes to the end of the region begins again there where
    /// the walk `wraps`.
    Sequential { hole: i64, wraps: bool },
    Random {
        /// Commands from one random place to the next (`rw=randread:8`), at least 1.
        every: u64,
        /// In between: the same place again, rather than the one behind it (`rw_sequencer`).
        identical: bool,
        /// `percentage_random`, 0 to 100.
        percent: Each<u64>,
    },
}

/// A part of the drive that a job works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Its first sector.
    pub(crate) first: u64,
    /// Its bytes: the last sector may be one in part.
    pub(crate) bytes: u64,
    /// Sectors from its first to the end of its file: a block that begins in the region may end behind it.
    pub(crate) room: u64,
    /// Sectors of its file before it.
    pub(crate) offset: u64,
}

impl Region {
    /// Its whole sectors.
    pub(crate) const fn sectors(&self) -> u64 {
        self.bytes / SECTOR
    }

    /// Sectors that begin in it.
    const fn begun(&self) -> u64 {
        self.bytes.div_ceil(SECTOR)
    }

    /// Sectors of its file from its first on, one in part included.
    fn reach(&self) -> u64 {
        self.room.max(self.begun())
    }
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
    /// Commands left until the next random place, in whichever file.
    hop: u64,
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
            hop: 0,
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

/// How far a file is in its zones.
#[derive(Clone, Copy, Debug)]
struct Strides {
    stride: Stride,
    /// Sectors transferred in this zone.
    transferred: u64,
}

/// A file of a job: its region, and how far the job has come.
#[derive(Clone, Debug)]
pub(crate) struct File {
    region: Region,
    /// Sector that places are counted from: the first of the region, or of a zone.
    start: u64,
    strides: Option<Strides>,
    finder: Finder,
    /// Where the last command of each direction started and ended, from `start`.
    last: Each<Option<(u64, u64)>>,
    /// Nothing is left in this pass.
    pub(crate) done: bool,
}

impl File {
    /// `finder` finds places in all of it, or in one of its zones.
    pub(crate) fn new(region: Region, stride: Option<Stride>, finder: Finder) -> Self {
        Self {
            region,
            start: region.first,
            strides: stride.map(|stride| Strides {
                stride,
                transferred: 0,
            }),
            finder,
            last: Each::default(),
            done: false,
        }
    }

    /// Starts the next pass.
    pub(crate) fn restart(&mut self, streams: &mut Streams) {
        self.start = self.region.first;
        if let Some(strides) = &mut self.strides {
            strides.transferred = 0;
        }
        self.done = false;
        self.begin_region(streams);
    }

    /// What it is worked on begins anew.
    fn begin_region(&mut self, streams: &mut Streams) {
        self.last = Each::default();
        if let Finder::Map { maps, .. } = &mut self.finder {
            for (_, map) in maps {
                map.restart(&mut streams.places);
            }
        }
    }

    /// Whether there was a command in this pass.
    pub(crate) fn has_begun(&self) -> bool {
        Direction::ALL
            .iter()
            .any(|direction| self.last.of(*direction).is_some())
    }

    /// What comes next where each place is trimmed and written.
    pub(crate) fn trims_or_writes(&self) -> Direction {
        let start = |direction| self.last.of(direction).map(|(start, _)| start);
        if start(Direction::Trim) == start(Direction::Write) {
            Direction::Trim
        } else {
            Direction::Write
        }
    }

    /// The last command of a direction was moved to a sector of the drive.
    pub(crate) fn moved(&mut self, direction: Direction, sector: u64, sectors: u64) {
        let start = sector.saturating_sub(self.start);
        *self.last.of_mut(direction) = Some((start, start + sectors));
    }

    /// First sector and sectors of the next command, `None` at the end of the pass. Zones follow each other without end.
    pub(crate) fn next(
        &mut self,
        rules: &Rules,
        direction: Direction,
        streams: &mut Streams,
    ) -> Option<(u64, u64)> {
        self.go_to_zone(direction, streams);
        let law = rules.sizes.of(direction);
        let (start, sectors) = match &rules.walk {
            _ if rules.rewrites
                && direction == Direction::Write
                && let Some((start, end)) = *self.last.of(Direction::Trim) =>
            {
                (start, end - start)
            }
            Walk::Sequential { hole, wraps } => {
                if *wraps && self.end_of(direction) >= self.region.begun() {
                    *self.last.of_mut(direction) = None;
                }
                let start = self.behind(*hole, direction)??;
                (start, self.size(start, law, streams)?)
            }
            Walk::Random {
                every,
                identical,
                percent,
            } => {
                let hops = streams.hop == 0;
                streams.hop = if hops { *every } else { streams.hop } - 1;
                let percent = *percent.of(direction);
                if !hops && *identical {
                    let start = self.last.of(direction).map_or(0, |(start, _)| start);
                    (start, self.size(start, law, streams)?)
                } else if (!hops || (percent < 100 && below(100, &mut streams.jumps) >= percent))
                    && let Some(start) = self.behind(0, direction)
                {
                    let start = start?;
                    (start, self.size(start, law, streams)?)
                } else {
                    self.random(direction, law, streams)?
                }
            }
        };
        *self.last.of_mut(direction) = Some((start, start + sectors));
        if rules.rewrites && direction == Direction::Trim {
            // also where the same place is trimmed again
            *self.last.of_mut(Direction::Write) = None;
        }
        if let Some(strides) = &mut self.strides {
            strides.transferred = strides.transferred.saturating_add(sectors);
        }
        Some((self.start + start, sectors))
    }

    /// `zonemode=strided`: goes on in the next zone where enough was transferred in this one, in the first one behind the end of the file, and to the start of a
    /// zone whose end is reached before.
    fn go_to_zone(&mut self, direction: Direction, streams: &mut Streams) {
        let end_of_last = self.end_of(direction);
        let Some(Strides { stride, transferred }) = &mut self.strides else {
            return;
        };
        if *transferred >= stride.transfer {
            *transferred = 0;
            let next = self
                .start
                .saturating_add(stride.range)
                .saturating_add(stride.skip);
            let end = self.region.first + self.region.reach();
            self.start = if next < end { next } else { self.region.first };
        }
        if transferred.is_multiple_of(stride.range) {
            self.begin_region(streams);
        } else if end_of_last >= stride.range {
            *self.last.of_mut(direction) = None;
        }
    }

    /// Where the last command of a direction ended, from `start`.
    fn end_of(&self, direction: Direction) -> u64 {
        self.last.of(direction).map_or(0, |(_, end)| end)
    }

    /// Behind the last command of the direction, and a hole of that many sectors. A walk with holes begins again at the other end. Nothing where the last
    /// command reached the end of the file; nothing within where no block begins there.
    fn behind(&self, hole: i64, direction: Direction) -> Option<Option<u64>> {
        let skipped = self.start - self.region.first;
        let (io_size, file) = (self.region.sectors(), self.region.offset + self.region.reach());
        let mut last = self.end_of(direction);
        if hole < 0 && last == 0 && self.region.offset > 0 {
            // fio takes the size of the region for a place in its file
            last = io_size.saturating_sub(self.region.offset + skipped);
        }
        if skipped.saturating_add(last) >= self.region.reach() {
            return None;
        }
        if last == 0 || hole == 0 {
            return Some(Some(last));
        }
        let start = last.checked_add_signed(hole).filter(|start| *start < file);
        Some(match start {
            Some(start) => Some(start),
            None if hole > 0 => Some(self.region.offset),
            None => file.min(io_size).checked_add_signed(hole),
        })
    }

    /// The size of a command at a place, `None` where none fits.
    fn size(&self, start: u64, law: &SizeLaw, streams: &mut Streams) -> Option<u64> {
        if start >= self.region.begun() {
            return None;
        }
        let behind = self.start - self.region.first + start;
        if let SizeLaw::Fixed(sectors) = law {
            let room = self.region.room.checked_sub(behind)?;
            return (*sectors <= room).then_some(*sectors);
        }
        let room = self.region.sectors().checked_sub(behind)?;
        (law.least() <= room).then(|| law.draw(room, &mut streams.sizes))
    }

    fn random(&mut self, direction: Direction, law: &SizeLaw, streams: &mut Streams) -> Option<(u64, u64)> {
        match &mut self.finder {
            Finder::None => None,
            Finder::Map { maps, of } => {
                let index = *of.of(direction);
                let (unit, map) = maps.get_mut(index)?;
                let (unit, found) = (*unit, map.peek(&mut streams.places)?);
                let room = (map.blocks() - found) * unit;
                let start = found * unit;
                let sectors = self.size(start, law, streams)?.min(room);
                let Finder::Map { maps, .. } = &mut self.finder else {
                    return None;
                };
                let (_, map) = maps.get_mut(index)?;
                Some((
                    start,
                    sectors.min(map.visit(found, sectors.div_ceil(unit)) * unit),
                ))
            }
            Finder::Drawn(places) => {
                let (step, places) = places.of(direction).as_ref()?;
                let start = places.draw(&mut streams.places) * step;
                Some((start, self.size(start, law, streams)?))
            }
        }
    }
}
