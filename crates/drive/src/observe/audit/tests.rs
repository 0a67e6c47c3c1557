//! Every rule is broken once, and found; legal streams pass.

mod books;
mod by_rule;
mod modes;
mod packages;
mod planes;
mod retries;
mod rules;
mod schedule;
mod suspension;

use wordline_ftl::{
    Answer, Bind, BlockFacts, BlockRole, Cause, Census, Ftl, FtlCounters, Inspect, JobId, JobNotice,
    JobState, Lpn, Outcome, PageRequest, Part, PartMut, Plan, Step, Subject,
};
use wordline_metrics::{Array, BusUse, CommandKind, Constituent, IssuedCommand, Probe};
use wordline_nand::{BlockId, Geometry, GeometryConfig, PlaneId, Ppn, RestrictionsConfig};
use wordline_units::SimTime;

use super::Audit;

/// An FTL that only has books, written by the test.
struct Books {
    geometry: Geometry,
    map: Vec<Option<Ppn>>,
    owners: Vec<Option<Lpn>>,
    blocks: Vec<BlockFacts>,
    /// What it says the census is, if not what its blocks sum to.
    census: Option<Census>,
}

impl Books {
    fn fresh() -> Self {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 2,
            chips_per_channel: 2,
            dies_per_chip: 2,
            planes_per_die: 2,
            blocks_per_plane: 3,
            pages_per_block: 4,
            ..GeometryConfig::default()
        })
        .unwrap();
        let free = BlockFacts {
            role: BlockRole::Free,
            valid: 0,
            invalid: 0,
            free: 4,
            skipped: 0,
            erase_count: 0,
        };
        Self {
            geometry,
            map: vec![None; 40],
            owners: vec![None; geometry.pages() as usize],
            blocks: vec![free; geometry.blocks() as usize],
            census: None,
        }
    }

    /// Maps a logical page; the page counts as programmed and no longer free.
    fn map(&mut self, lpn: u64, page: Ppn) {
        self.map[lpn as usize] = Some(page);
        self.owners[page.index()] = Some(Lpn(lpn));
        let block = &mut self.blocks[self.geometry.block_of(page).index()];
        block.valid += 1;
        block.free -= 1;
    }
}

impl Ftl for Books {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }
    fn user_pages(&self) -> u64 {
        self.map.len() as u64
    }
    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }

    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }

    fn submit(&mut self, _: SimTime, _: &PageRequest, _: &mut Plan) -> Answer {
        Answer::Unmapped
    }
    fn bind(&mut self, _: SimTime, _: &Step, _: PlaneId) -> Bind {
        Bind::NoSpace
    }
    fn done(&mut self, _: SimTime, _: &Step, _: Option<Ppn>, _: Outcome, _: &mut Plan) {}
    fn notices(&mut self, _: &mut Vec<JobNotice>) {}
    fn advance(&mut self, _: SimTime, _: JobId, _: &mut Plan) -> JobState {
        JobState::Finished
    }
}

impl Inspect for Books {
    fn reset_counters(&mut self) {}
    fn counters(&self) -> FtlCounters {
        FtlCounters::default()
    }
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.map[lpn.0 as usize]
    }
    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.owners[page.index()]
    }
    fn valid_sectors(&self, _: Lpn) -> u64 {
        0b1111
    }
    fn block(&self, block: BlockId) -> BlockFacts {
        self.blocks[block.index()]
    }
    fn census(&self) -> Census {
        self.census.unwrap_or_else(|| {
            self.blocks.iter().fold(Census::default(), |sum, block| Census {
                valid: sum.valid + u64::from(block.valid),
                invalid: sum.invalid + u64::from(block.invalid),
                free: sum.free + u64::from(block.free),
                skipped: sum.skipped + u64::from(block.skipped),
                ..Census::default()
            })
        })
    }
}

/// A drive that does as it is told, and its auditor.
struct Bench {
    geometry: Geometry,
    audit: Audit,
    now: u64,
    cached: bool,
}

impl Bench {
    fn with(restrictions: &RestrictionsConfig, books: &Books) -> Self {
        let geometry = books.geometry;
        Self {
            geometry,
            audit: Audit::new(geometry, restrictions, books),
            now: 0,
            cached: false,
        }
    }

    fn new() -> Self {
        Self::with(&RestrictionsConfig::default(), &Books::fresh())
    }

    /// The page of index `page` of block `block` of flat plane `plane`.
    fn at(&self, plane: u32, block: u32, page: u32) -> Ppn {
        self.geometry
            .page(self.geometry.block(PlaneId(plane), block), page)
    }

    fn constituent(&self, page: Ppn, lpn: u64) -> Constituent {
        let block = self.geometry.block_of(page);
        Constituent {
            cause: Cause::Host,
            page,
            block,
            die: self.geometry.die_of(self.geometry.plane_of(block)),
            source: None,
            lpn: Lpn(lpn),
            skipped: 0,
            brings_data: true,
            mode: wordline_nand::Mode::NORMAL,
            read_mode: wordline_nand::Mode::NORMAL,
        }
    }

    /// Issues a command: 10 ns on the bus, then 100 ns in each array.
    fn issue(&mut self, kind: CommandKind, constituents: &[Constituent]) {
        let mut arrays: Vec<Array> = Vec::new();
        for constituent in constituents {
            if arrays.last().map(|array| array.die) != Some(constituent.die) {
                let (from, to) = (SimTime(self.now + 10), SimTime(self.now + 110));
                arrays.push(Array {
                    die: constituent.die,
                    from,
                    to,
                });
            }
        }
        self.issue_with(kind, constituents, &arrays);
    }

    fn issue_with(&mut self, kind: CommandKind, constituents: &[Constituent], arrays: &[Array]) {
        self.audit.issued(&IssuedCommand {
            kind,
            channel: self.geometry.channel_of(constituents[0].die),
            constituents,
            bus_from: SimTime(self.now),
            bus_to: SimTime(self.now + 10),
            arrays,
            cached: self.cached,
            in_package: false,
        });
    }

    fn done(&mut self, kind: CommandKind, constituents: &[Constituent]) {
        for constituent in constituents {
            self.audit.operation_done(SimTime(self.now), kind, constituent);
        }
    }

    /// Issues a command and lets it end, data and all.
    fn whole(&mut self, kind: CommandKind, constituents: &[Constituent]) {
        self.issue(kind, constituents);
        self.now += 110;
        if matches!(kind, CommandKind::Read | CommandKind::CopyBack) {
            for constituent in constituents {
                self.data(constituent);
                self.now += 10;
            }
        }
        self.done(kind, constituents);
    }

    fn data(&mut self, constituent: &Constituent) {
        self.audit.bus(&BusUse {
            channel: self.geometry.channel_of(constituent.die),
            die: constituent.die,
            page: constituent.page,
            from: SimTime(self.now),
            to: SimTime(self.now + 10),
            array: None,
        });
    }

    fn program(&mut self, page: Ppn, lpn: u64) {
        let constituent = self.constituent(page, lpn);
        self.whole(CommandKind::Program, &[constituent]);
    }

    #[track_caller]
    fn clean(&self) {
        assert_eq!(self.audit.violation(), None);
    }

    /// The audit has found something, and says it with these words.
    #[track_caller]
    fn found(&self, words: &[&str]) {
        let found = self.audit.violation().expect("nothing was found");
        for word in words {
            assert!(found.contains(word), "`{word}` is not in: {found}");
        }
    }
}
