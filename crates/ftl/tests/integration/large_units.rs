//! Mapping units of several pages: random drives in random order against a reference of every sub-page, worked write amplification
//! and the closed form.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use wordline_ftl::analytic::{Cleaning, beside_reserve};
use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions};
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{
    AllocationMode, Answer, Bind, BlockRole, Bound, Cause, Extent, FlushMark, Flushing, Ftl, JobId,
    JobNotice, JobState, Lpn, Mapping, Outcome, PageOp, PageRequest, Part, PartMut, Plan, Pool,
    SlcCacheConfig, Step, Subject, Subjects, WhenFull, Work,
};
use wordline_nand::{BlockId, CellType, Geometry, Medium, Mode, PlaneId, Ppn, Use};
use wordline_units::{ByteSize, Duration, Seed, SimTime};

use crate::common::audit;
use crate::common::host::cache_full_since;
use crate::common::reference::{Content, Reference, bitmap_of};
use crate::common::setup::Setup;
use crate::common::work::{Commands, Random};

/// What every page of flash holds.
struct Contents {
    reference: Reference,
    /// Of each page whose program has started.
    pages: HashMap<u64, Content>,
    /// What planned programs bring, by token and logical page.
    planned: HashMap<(u32, u64), Content>,
    programs: HashMap<Cause, u64>,
}

/// An FTL whose programs are followed.
struct Followed {
    ftl: Box<dyn Mapping>,
    contents: RefCell<Contents>,
}

impl Followed {
    /// Notes what the programs of a plan will bring: writes what was accepted, relocations what is where they are read.
    fn note(&self, plan: &Plan) {
        let mut contents = self.contents.borrow_mut();
        let is_program = |step: &&Step| matches!(step.work, Work::Program { .. });
        for step in plan.iter().filter(is_program) {
            let content = match step.cause {
                Cause::Host => contents.reference.content(step.lpn.0),
                _ => contents.pages[&self.ftl.lookup(step.lpn).unwrap().0].clone(),
            };
            contents.planned.insert((step.token, step.lpn.0), content);
        }
        assert!(plan.len() <= 64);
    }
}

impl Ftl for Followed {
    fn geometry(&self) -> &Geometry {
        self.ftl.geometry()
    }
    fn user_pages(&self) -> u64 {
        self.ftl.user_pages()
    }
    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }
    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }
    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.ftl.submit(now, request, plan);
        let lpn = request.lpn;
        let mut contents = self.contents.borrow_mut();
        let shown = bitmap_of(&contents.reference.content(lpn.0)) & request.bitmap;
        match (request.op, answer) {
            (PageOp::Write, Answer::Accepted) => {
                contents.reference.write(lpn.0, request.bitmap);
            }
            (PageOp::Read, Answer::Accepted) => {
                let [
                    Step {
                        work: Work::Read { page, bitmap, .. },
                        ..
                    },
                ] = plan[..]
                else {
                    panic!("{plan:?}");
                };
                assert_eq!(page, self.ftl.lookup(lpn).unwrap());
                assert!(bitmap != 0 && bitmap & !shown == 0, "J4, J17: {request:?}");
                let (content, expected) = (&contents.pages[&page.0], contents.reference.content(lpn.0));
                for sector in (0..content.len()).filter(|sector| bitmap >> sector & 1 == 1) {
                    assert_eq!(
                        content[sector], expected[sector],
                        "J4: {lpn:?}, sub-page {sector}"
                    );
                }
            }
            (PageOp::Read, Answer::Unmapped) => assert_eq!(shown, 0, "J4, J17: {request:?}"),
            (PageOp::Read, Answer::InMemory) => assert_ne!(shown, 0, "{request:?}"),
            _ => {}
        }
        drop(contents);
        self.note(plan);
        answer
    }
    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.ftl.flush(now, plan);
        self.note(plan);
        flushing
    }
    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.ftl.is_flushed(mark)
    }
    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let bind = self.ftl.bind(now, step, plane);
        if let Bind::Page(Bound { page, skipped }) = bind {
            assert_eq!(skipped, 0);
            let geometry = self.ftl.geometry();
            assert_eq!(geometry.plane_of(geometry.block_of(page)), plane);
            let mut contents = self.contents.borrow_mut();
            let brought = contents.planned[&(step.token, step.lpn.0)].clone();
            contents.pages.insert(page.0, brought);
            *contents.programs.entry(step.cause).or_default() += 1;
        }
        bind
    }
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.ftl.done(now, step, page, outcome, plan);
        self.note(plan);
    }
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.ftl.notices(notices);
    }
    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let state = self.ftl.advance(now, job, plan);
        for step in plan.iter() {
            if let Work::Erase { block } = step.work {
                assert_eq!(self.ftl.block(block).valid, 0, "J5: {block}");
            }
        }
        self.note(plan);
        state
    }
}

/// The pages of a unit lie in order in one block.
fn check_units(ftl: &dyn Mapping) {
    let per_unit = u64::from(ftl.facts().pages_per_unit);
    for lpn in 0..ftl.user_pages() {
        let first = ftl.lookup(Lpn(lpn / per_unit * per_unit));
        let page = ftl.lookup(Lpn(lpn));
        assert_eq!(
            page.map(|page| page.0),
            first.map(|first| first.0 + lpn % per_unit)
        );
        assert!(first.is_none_or(|first| first.0.is_multiple_of(per_unit)));
    }
}

/// The pages of all blocks can be used but of those that have failed: at most one for each failure, among them the bad ones.
fn check_usable(ftl: &dyn Mapping, failures: u32) {
    let geometry = ftl.geometry();
    let usable: u64 = (0..ftl.collected_space().unwrap().pools())
        .map(|pool| ftl.collected_space().unwrap().usable_pages(pool))
        .sum();
    let blocks = (0..geometry.blocks()).map(BlockId);
    let bad = blocks.filter(|block| ftl.block(*block).role == BlockRole::Bad);
    let pages_without =
        |blocks: u32| u64::from(geometry.blocks() - blocks) * u64::from(geometry.pages_per_block);
    let accepted = pages_without(failures)..=pages_without(bad.count() as u32);
    assert!(accepted.contains(&usable), "{usable} of {accepted:?}");
}

/// Blocks in SLC mode hold whole units, and no more of them than their mode has; free blocks are in the normal mode.
fn check_modes(setup: &Setup, ftl: &dyn Mapping) {
    let (geometry, per_unit) = (*ftl.geometry(), ftl.facts().pages_per_unit);
    let units = geometry.pages_per_block / per_unit / setup.geometry.cell_type.bits();
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        let modes: Vec<Mode> = (0..geometry.pages_per_block)
            .map(|page| ftl.mode_of(geometry.page(block, page)))
            .collect();
        assert!(modes.windows(2).all(|pair| pair[0] == pair[1]), "{modes:?}");
        if modes[0] == Mode::NORMAL {
            continue;
        }
        assert_ne!(facts.role, BlockRole::Free);
        let written = facts.valid + facts.invalid + facts.skipped;
        assert!(written <= units * per_unit, "{written} of {units} units");
    }
}

/// Writes about `factor` times the pages of a random drive in random order; how many pages were programmed for what.
fn run(setup: &Setup, factor: usize, failures: u32) -> HashMap<Cause, u64> {
    let ftl = setup.build_any().unwrap();
    let geometry = *ftl.geometry();
    let mut followed = Followed {
        ftl,
        contents: RefCell::new(Contents {
            reference: Reference::new(geometry.sectors_per_page()),
            pages: HashMap::new(),
            planned: HashMap::new(),
            programs: HashMap::new(),
        }),
    };
    let mut random = Random::new(setup.seed, "options");
    let depth = random.pick(&[1, 4, 16, 40]);
    let options = AnyOrderOptions {
        seed: Seed(setup.seed),
        aligned: setup.commands.multi_plane_write != Use::Off,
        fails_one_in: 200,
        most_failures: failures,
        unreadable_one_in: 0,
        time_per_turn: Duration::from_us(1),
    };
    let user = followed.user_pages();
    let count = 300 + factor * geometry.pages() as usize;
    let mut commands = Commands::new(setup.seed, user, geometry.full_bitmap()).take(count);
    let medium = Medium::new(&setup.geometry(), &setup.restrictions);
    let mut executor = AnyOrder::new(&mut followed, options, medium);
    let mut waiting: Vec<PageRequest> = Vec::new();
    let (mut stalls, mut turns) = (0, 0);
    loop {
        turns += 1;
        assert!(turns < 2000 * count, "seed {}: no end", setup.seed);
        assert!(stalls < 10_000, "seed {}: {waiting:?} wait", setup.seed);
        if random.one_in(300) {
            executor.flush().unwrap();
        }
        let may_go = executor.requests_under_way() + waiting.len() < depth;
        let request = if !waiting.is_empty() && random.one_in(2) {
            waiting.pop()
        } else if may_go && random.one_in(2) {
            commands.next()
        } else {
            None
        };
        if let Some(request) = request {
            let answer = executor.submit(&request).unwrap();
            match (request.op, answer) {
                (_, Answer::Wait | Answer::WaitFor(_)) => waiting.push(request),
                (PageOp::Trim, Answer::Accepted) if setup.ftl.trim.enabled => {
                    for lpn in request.lpn.0..request.lpn.0 + request.pages {
                        assert_eq!(executor.ftl().ftl.valid_sectors(Lpn(lpn)) & request.bitmap, 0);
                        let mut contents = executor.ftl().contents.borrow_mut();
                        contents.reference.trim(lpn, request.bitmap);
                    }
                }
                (_, Answer::Refused(why)) => panic!("{request:?}: {why:?}"),
                _ => {}
            }
        } else if executor
            .turn()
            .unwrap_or_else(|error| panic!("seed {}: {error}", setup.seed))
        {
            stalls = 0;
        } else if waiting.is_empty() {
            let Some(request) = commands.next() else { break };
            waiting.push(request);
        } else {
            stalls += 1;
        }
    }
    executor.flush().unwrap();
    executor.drain().unwrap();
    let ftl = &*executor.ftl().ftl;
    check_units(ftl);
    check_usable(ftl, failures);
    let contents = executor.ftl().contents.borrow();
    for lpn in (0..user).map(Lpn) {
        let expected = contents.reference.content(lpn.0);
        assert_eq!(ftl.valid_sectors(lpn), bitmap_of(&expected), "{lpn:?}");
        if let Some(page) = ftl.lookup(lpn) {
            let found = &contents.pages[&page.0];
            for sector in (0..expected.len()).filter(|sector| expected[*sector] != 0) {
                assert_eq!(found[sector], expected[sector], "J4: {lpn:?}, sub-page {sector}");
            }
        }
    }
    let blocks = (0..geometry.blocks()).map(BlockId);
    let erases = blocks.map(|block| u64::from(ftl.block(block).erase_count)).sum();
    audit::check(ftl, executor.observer(), erases);
    let counters = ftl.counters();
    if failures == 0 {
        let of = |cause| contents.programs.get(&cause).copied().unwrap_or(0);
        assert_eq!(of(Cause::Gc), counters.gc_moves);
        assert_eq!(of(Cause::Wear), counters.wear_moves);
        assert_eq!(of(Cause::Fold), counters.slc.folded_pages);
        if setup.ftl.slc_cache.is_on() {
            assert_eq!(
                of(Cause::Host),
                counters.slc.cached_pages + counters.slc.direct_pages
            );
        }
    }
    check_modes(setup, ftl);
    contents.programs.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// J1 to J8, J16 and J17 on any drive with units of several pages.
    #[test]
    fn random_order(seed in any::<u64>()) {
        let setup = Setup::with_large_units(seed);
        prop_assert_eq!(run(&setup, 2, 0), run(&setup, 2, 0));
    }

    /// The same with an SLC cache in front of them.
    #[test]
    fn random_order_behind_a_cache(seed in any::<u64>(), folds: bool) {
        let mut setup = Setup::with_large_units(seed);
        let pages = setup.ftl.mapping_unit.unwrap().bytes() / setup.geometry.page_size.bytes();
        setup.geometry.pages_per_block = pages as u32 * if seed.is_multiple_of(2) { 6 } else { 12 };
        let setup = setup.with_cache(if folds { WhenFull::Fold } else { WhenFull::Direct });
        run(&setup, 1, 0);
    }

    /// The same while programs and erases fail.
    #[test]
    fn random_order_with_failures(seed in any::<u64>()) {
        let mut setup = Setup::with_large_units(seed);
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
        setup.geometry.blocks_per_plane += 20;
        let gc = &mut setup.ftl.gc;
        gc.reserve_blocks = 4;
        (gc.hard, gc.low, gc.high) = (gc.hard + 4.0, gc.low + 4.0, gc.high + 4.0);
        run(&setup, 1, 3);
    }
}

/// A drive with pages of 4 KiB and units of so many.
fn drive(blocks: u32, pages_per_block: u32, per_unit: u64, over_provisioning: f64) -> Setup {
    let mut setup = Setup::plain(blocks, pages_per_block, over_provisioning);
    setup.geometry.page_size = ByteSize(4096);
    setup.ftl.mapping_unit = Some(ByteSize(4096 * per_unit));
    setup.ftl.gc.pool = Pool::Plane;
    setup.allocation.mode = AllocationMode::Static;
    setup
}

/// Before collection, a write of 4 KiB costs the programs of a unit and the reads of its other pages: of 4 and 3 pages with units of
/// 16 KiB, of 16 and 15 with 64 KiB. Writes in sequence cost nothing beside.
#[test]
fn a_page_costs_its_unit() {
    for per_unit in [2, 4, 16] {
        let setup = drive(256, 64, per_unit, 1.0);
        let mut ftl = setup.build_any().unwrap();
        let user = ftl.user_pages();
        let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
        for lpn in 0..user {
            functional.write(Lpn(lpn)).unwrap();
        }
        functional.flush().unwrap();
        assert_eq!(
            (
                functional.counts().pages_programmed(),
                functional.counts().pages_read()
            ),
            (user, 0)
        );
        functional.reset_counts();
        // every other unit once, in an order that comes back to none
        let units = user / per_unit;
        for unit in (0..units / 4).map(|unit| unit * 4) {
            functional.write(Lpn(unit * per_unit + unit % per_unit)).unwrap();
        }
        functional.flush().unwrap();
        let writes = units / 4;
        let counts = functional.counts();
        assert_eq!(counts.pages_programmed(), writes * per_unit);
        assert_eq!(counts.pages_read(), writes * (per_unit - 1));
        assert_eq!(counts.erased.iter().sum::<u64>(), 0);
    }
}

/// Of blocks of six units of four pages the cache takes the first two, as cells have three bits: six blocks take twelve units. The next
/// ones go to blocks in the normal mode, or wait until two units are folded, which takes as many reads as programs.
#[test]
fn a_cache_takes_whole_units() {
    for when_full in [WhenFull::Direct, WhenFull::Fold] {
        let mut setup = drive(24, 24, 4, 1.5);
        setup.geometry.cell_type = CellType::Tlc;
        setup.ftl.slc_cache = SlcCacheConfig {
            mode: Some("slc".to_owned()),
            static_blocks: 6,
            dynamic_blocks: 0,
            when_full,
            ..SlcCacheConfig::default()
        };
        let mut ftl = setup.build_any().unwrap();
        let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
        for lpn in 0..48 {
            functional.write(Lpn(lpn)).unwrap();
        }
        assert_eq!(cache_full_since(functional.ftl()), None);
        assert_eq!(functional.counts().pages_programmed(), 48);
        let mode_of = |ftl: &dyn Mapping, lpn| ftl.mode_of(ftl.lookup(Lpn(lpn)).unwrap());
        assert!((0..48).all(|lpn| mode_of(functional.ftl(), lpn) == Mode(1)));
        for lpn in 48..56 {
            functional.write(Lpn(lpn)).unwrap();
        }
        assert!(cache_full_since(functional.ftl()).is_some());
        let slc = functional.ftl().counters().slc;
        let counts = functional.counts();
        match when_full {
            WhenFull::Direct => {
                assert_eq!((slc.cached_pages, slc.direct_pages, slc.folded_pages), (48, 8, 0));
                assert!((48..56).all(|lpn| mode_of(functional.ftl(), lpn) == Mode::NORMAL));
            }
            WhenFull::Fold => {
                assert_eq!((slc.cached_pages, slc.direct_pages, slc.folded_pages), (56, 0, 8));
                assert_eq!((slc.folded_blocks, counts.pages_read()), (1, 8));
                assert!((0..8).all(|lpn| mode_of(functional.ftl(), lpn) == Mode::NORMAL));
                assert!((8..56).all(|lpn| mode_of(functional.ftl(), lpn) == Mode(1)));
            }
        }
        // a run that follows counts from its own beginning
        ftl.restart_subject_counts();
        assert_eq!(cache_full_since(&*ftl), None);
        check_modes(&setup, &*ftl);
    }
}

/// What a register holds is read from there, and after a flush from flash; pages written beside each other are programmed together.
#[test]
fn a_flush_programs_the_registers() {
    let setup = drive(64, 64, 4, 1.0);
    let mut ftl = setup.build_any().unwrap();
    let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
    assert_eq!(functional.write(Lpn(9)).unwrap(), Answer::Accepted);
    assert_eq!(functional.write(Lpn(11)).unwrap(), Answer::Accepted);
    assert_eq!(functional.read(Lpn(9)).unwrap(), Answer::InMemory);
    assert_eq!(functional.read(Lpn(10)).unwrap(), Answer::Unmapped);
    assert_eq!(functional.counts().pages_programmed(), 0);
    functional.flush().unwrap();
    assert_eq!(functional.counts().pages_programmed(), 4);
    assert_eq!(functional.read(Lpn(9)).unwrap(), Answer::Accepted);
    // the unit is mapped, its page without data is not read
    assert_eq!(functional.read(Lpn(10)).unwrap(), Answer::Unmapped);
    assert_eq!(functional.counts().pages_read(), 1);
    // one sector of page 9: the rest of it and page 11 are read, page 10 is not
    functional
        .submit(&PageRequest {
            op: PageOp::Write,
            lpn: Lpn(9),
            pages: 1,
            bitmap: 1,
            placement: 0,
            class: 0,
            command_sectors: 1,
        })
        .unwrap();
    functional.flush().unwrap();
    assert_eq!(
        (
            functional.counts().pages_read(),
            functional.counts().pages_programmed()
        ),
        (3, 8)
    );
}

/// Uniform random writes of single pages amplify as units do in blocks of as many units, times the pages of a unit.
#[test]
fn pages_amplify_as_units_of_smaller_blocks() {
    let per_unit = 4;
    let setup = drive(512, 64, per_unit, 0.28);
    let mut ftl = setup.build_any().unwrap();
    let (user, geometry) = (ftl.user_pages(), *ftl.geometry());
    let mut random = Random::new(setup.seed, "writes");
    let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
    for lpn in 0..user {
        functional.write(Lpn(lpn)).unwrap();
    }
    let units = geometry.pages() / per_unit;
    for _ in 0..3 * units {
        functional.write(Lpn(random.below(user))).unwrap();
    }
    functional.reset_counts();
    let (mut free, writes) = (0.0, 4 * units);
    for _ in 0..writes {
        free += f64::from(
            functional
                .ftl()
                .collected_space()
                .unwrap()
                .clean_space(PlaneId(0))
                .free,
        );
        functional.write(Lpn(random.below(user))).unwrap();
    }
    let measured = functional.counts().pages_programmed() as f64 / writes as f64;
    let b = geometry.pages_per_block / per_unit as u32;
    let rho = beside_reserve(user / per_unit, units, b, free / writes as f64, 1).unwrap();
    let expected = per_unit as f64 * Cleaning::Greedy.write_amplification(b, rho).unwrap();
    assert!(
        (measured / expected - 1.0).abs() < 0.015,
        "{measured} for {expected}"
    );
}

/// A drive that was saved with data in its registers goes on as it would have.
#[test]
fn a_drive_goes_on_from_what_was_saved() {
    goes_on(&drive(32, 16, 4, 0.5));
}

/// The same with blocks in two modes, in the middle of what they hold.
#[test]
fn a_drive_behind_a_cache_goes_on_from_what_was_saved() {
    for seed in 0..8 {
        let mut setup = drive(40, 24, 4, 0.8);
        setup.seed = seed;
        goes_on(&setup.with_cache(WhenFull::Direct));
    }
}

fn goes_on(setup: &Setup) {
    let build = || setup.build_any().unwrap();
    let (mut first, mut second) = (build(), build());
    let mut random = Random::new(7, "writes");
    let user = first.user_pages();
    let mut functional = Functional::new(&mut *first, FunctionalOptions::default());
    for _ in 0..2000 {
        functional.write(Lpn(random.below(user))).unwrap();
    }
    functional.finish_jobs().unwrap();
    let now = functional.now();
    let saved = |ftl: &mut dyn Mapping, now| {
        let mut bytes = Vec::new();
        ftl.archive(now, Extent::Everything, &mut Archive::saving(&mut bytes))
            .unwrap();
        bytes
    };
    let bytes = saved(&mut *first, now);
    second
        .archive(now, Extent::Everything, &mut Archive::loading(&mut &bytes[..]))
        .unwrap();
    assert_eq!(saved(&mut *second, now), bytes);
    let more: Vec<u64> = (0..500).map(|_| random.below(user)).collect();
    let ends = [first, second].map(|mut ftl| {
        let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
        functional.advance_to(now);
        for lpn in &more {
            functional.write(Lpn(*lpn)).unwrap();
        }
        functional.flush().unwrap();
        functional.finish_jobs().unwrap();
        let now = functional.now();
        check_units(&*ftl);
        saved(&mut *ftl, now)
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn what_does_not_go_with_large_units_is_refused() {
    type Change = fn(&mut Setup);
    let refused = |change: Change| {
        let mut setup = drive(64, 64, 4, 0.28);
        change(&mut setup);
        setup.build_any().map(|_| ()).unwrap_err().to_string()
    };
    let cases: [(Change, &str); 7] = [
        (
            |setup| setup.allocation.mode = AllocationMode::Dynamic,
            "allocation.mode",
        ),
        (|setup| setup.ftl.gc.pool = Pool::Drive, "ftl.gc.pool"),
        (|setup| setup.commands.copyback = Use::Wise, "commands.copyback"),
        (
            |setup| setup.ftl.mapping_unit = Some(ByteSize(6144)),
            "multiple of the page",
        ),
        (
            |setup| setup.ftl.mapping_unit = Some(ByteSize(128 << 10)),
            "at most 65536 B",
        ),
        (
            |setup| {
                setup.geometry.page_size = ByteSize(512);
                setup.ftl.mapping_unit = Some(ByteSize(64 << 10));
            },
            "at most 32 pages",
        ),
        (|setup| setup.geometry.pages_per_block = 6, "whole number"),
    ];
    for (change, told) in cases {
        let found = refused(change);
        assert!(found.contains(told), "`{told}` is not in: {found}");
    }
    let mut other = drive(64, 64, 4, 0.28);
    other.ftl.mapping = "bast".into();
    let found = other.build_any().map(|_| ()).unwrap_err().to_string();
    assert!(found.contains("ftl.mapping_unit"), "{found}");
}
