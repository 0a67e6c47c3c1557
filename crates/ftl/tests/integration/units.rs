//! Mapping units smaller than a page, with their map in memory and on flash: random drives in random order against a reference of
//! every sub-page, and the closed form.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use wordline_ftl::analytic::{Cleaning, beside_reserve};
use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{
    Answer, Bind, Bound, Cause, FlushMark, Flushing, Ftl, JobId, JobNotice, JobState, Lpn, Mapping, Outcome,
    PageOp, PageRequest, Part, PartMut, Plan, Planes, Pool, Step, Subject, Subjects, Work,
};
use wordline_nand::{BlockId, Geometry, Medium, PlaneId, Ppn, Use};
use wordline_units::{ByteSize, Duration, Seed, SimTime};

use crate::common::audit;
use crate::common::reference::{Content, Reference, bitmap_of};
use crate::common::setup::Setup;
use crate::common::work::{Commands, Random};

/// What every place of a unit on flash holds.
struct Contents {
    reference: Reference,
    /// Of each place whose program has started.
    places: HashMap<u64, Content>,
    /// What planned programs bring, by token; those of the map on flash have tokens of their own.
    planned: HashMap<(bool, u32), Vec<Content>>,
    programs: HashMap<Cause, u64>,
}

/// What names a planned program.
fn key(step: &Step) -> (bool, u32) {
    (step.cause == Cause::Mapping, step.token)
}

/// An FTL whose programs are followed.
struct Followed {
    ftl: Box<dyn Mapping>,
    contents: RefCell<Contents>,
}

impl Followed {
    fn per_page(&self) -> u64 {
        u64::from(self.ftl.unit_geometry().pages_per_program)
    }

    fn units_of(&self, step: &Step) -> Vec<Lpn> {
        let mut units = Vec::new();
        self.ftl.units_of(step, &mut units);
        units
    }

    /// Notes what the programs of a plan will bring: writes what was accepted, relocations what is where they are read.
    fn note(&self, plan: &Plan) {
        let mut contents = self.contents.borrow_mut();
        for step in plan
            .iter()
            .filter(|step| matches!(step.work, Work::Program { .. }))
        {
            let content = |lpn: &Lpn| match step.cause {
                Cause::Host => contents.reference.content(lpn.0),
                // a part of a page of the map
                Cause::Mapping => Content::default(),
                _ => contents.places[&self.ftl.lookup(*lpn).unwrap().0].clone(),
            };
            if contents.planned.contains_key(&key(step)) && step.cause == Cause::Host {
                continue;
            }
            let brought = self.units_of(step).iter().map(content).collect();
            contents.planned.insert(key(step), brought);
        }
    }

    fn started(&self, step: &Step, page: Ppn) {
        let mut contents = self.contents.borrow_mut();
        let brought = contents.planned[&key(step)].clone();
        let units = self.units_of(step);
        assert_eq!(units.len(), brought.len());
        assert!(!units.is_empty() && units.len() as u64 <= self.per_page());
        for (content, place) in brought.into_iter().zip(page.0 * self.per_page()..) {
            contents.places.insert(place, content);
        }
        *contents.programs.entry(step.cause).or_default() += 1;
    }
}

impl Ftl for Followed {
    fn geometry(&self) -> &Geometry {
        self.ftl.geometry()
    }
    fn unit_geometry(&self) -> &Geometry {
        self.ftl.unit_geometry()
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
                let content = &contents.places[&self.ftl.lookup(lpn).unwrap().0];
                let expected = contents.reference.content(lpn.0);
                for sector in (0..content.len()).filter(|sector| shown >> sector & 1 == 1) {
                    assert_eq!(
                        content[sector], expected[sector],
                        "J4: {lpn:?}, sub-page {sector}"
                    );
                }
                let of_host: Vec<&Step> = plan.iter().filter(|step| step.cause == Cause::Host).collect();
                let [
                    Step {
                        work: Work::Read { page, bitmap, .. },
                        ..
                    },
                ] = of_host[..]
                else {
                    panic!("{plan:?}");
                };
                let place = self.ftl.lookup(lpn).unwrap().0;
                let sectors = u64::from(self.ftl.unit_geometry().sectors_per_page());
                assert_eq!(page.0, place / self.per_page());
                assert_eq!(
                    *bitmap,
                    shown << (place % self.per_page() * sectors),
                    "only the unit is transferred"
                );
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
        if let Bind::Page(bound) = bind {
            self.started(step, bound.page);
        }
        bind
    }
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let aligned = self.ftl.bind_aligned(now, pairs, bound);
        for ((step, _), bound) in pairs.iter().zip(bound).filter(|_| aligned) {
            bound.inspect(|bound| self.started(step, bound.page));
        }
        aligned
    }
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.ftl.done(now, step, page, outcome, plan);
        // what is relocated is read again, what the host wrote is still in the controller
        let is_over = outcome == Outcome::Good || step.cause != Cause::Host;
        if matches!(step.work, Work::Program { .. }) && is_over {
            self.contents.borrow_mut().planned.remove(&key(step));
        }
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

/// Writes about `factor` times the pages of a random drive in random order; how many pages were programmed for what.
fn run(setup: &Setup, factor: usize, failures: u32) -> HashMap<Cause, u64> {
    let ftl = setup.build_any().unwrap();
    let units = *ftl.unit_geometry();
    let mut followed = Followed {
        ftl,
        contents: RefCell::new(Contents {
            reference: Reference::new(units.sectors_per_page()),
            places: HashMap::new(),
            planned: HashMap::new(),
            programs: HashMap::new(),
        }),
    };
    let mut random = Random::new(setup.seed, "options");
    let depth = random.pick(&[1, 4, 16]);
    let options = AnyOrderOptions {
        seed: Seed(setup.seed),
        aligned: setup.commands.multi_plane_write != Use::Off,
        fails_one_in: 200,
        most_failures: failures,
        unreadable_one_in: 0,
        time_per_turn: Duration::from_us(1),
    };
    let user = followed.user_pages();
    let count = 300 + factor * units.pages() as usize;
    let mut commands = Commands::new(setup.seed, user, units.full_bitmap()).take(count);
    let medium = Medium::new(&setup.geometry(), &setup.restrictions);
    let mut executor = AnyOrder::new(&mut followed, options, medium);
    let mut waiting: Vec<PageRequest> = Vec::new();
    let (mut stalls, mut turns) = (0, 0);
    loop {
        turns += 1;
        assert!(turns < 300 * count, "seed {}: no end", setup.seed);
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
    let blocks = (0..units.blocks()).map(wordline_nand::BlockId);
    let erases = blocks.map(|block| u64::from(ftl.block(block).erase_count)).sum();
    audit::check(ftl, executor.observer(), erases);
    let contents = executor.ftl().contents.borrow();
    for lpn in (0..user).map(Lpn) {
        let expected = contents.reference.content(lpn.0);
        assert_eq!(ftl.valid_sectors(lpn), bitmap_of(&expected), "{lpn:?}");
        if let Some(place) = ftl.lookup(lpn) {
            let found = &contents.places[&place.0];
            for sector in (0..expected.len()).filter(|sector| expected[*sector] != 0) {
                assert_eq!(found[sector], expected[sector], "J4: {lpn:?}, sub-page {sector}");
            }
        }
    }
    contents.programs.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// J1 to J8, J16 and J17 on any drive with mapping units.
    #[test]
    fn random_order(seed in any::<u64>()) {
        let setup = Setup::with_units(seed);
        prop_assert_eq!(run(&setup, 3, 0), run(&setup, 3, 0));
    }

    /// The same with the map on flash, whose pages are programmed as whole ones beside those of units.
    #[test]
    fn random_order_with_the_map_on_flash(seed in any::<u64>()) {
        let setup = Setup::with_units_on_flash(seed);
        let programs = run(&setup, 3, 0);
        prop_assert_eq!(&programs, &run(&setup, 3, 0));
        prop_assert!(programs[&Cause::Host] > 0);
    }

    /// The same of any drive whose planes work in step.
    #[test]
    fn random_order_in_step(seed in any::<u64>()) {
        let setup = Setup::in_step(seed);
        prop_assert_eq!(run(&setup, 3, 0), run(&setup, 3, 0));
    }

    /// The same while programs and erases fail.
    #[test]
    fn random_order_with_failures(seed in any::<u64>(), in_step: bool) {
        let mut setup = if in_step { Setup::in_step(seed) } else { Setup::with_units(seed) };
        // room for the blocks that are retired, and for what a block that fails under collection takes with it
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
        setup.geometry.blocks_per_plane += 20;
        let gc = &mut setup.ftl.gc;
        gc.reserve_blocks = 4;
        (gc.hard, gc.low, gc.high) = (gc.hard + 4.0, gc.low + 4.0, gc.high + 4.0);
        run(&setup, 2, 3);
    }
}

/// Uniform random writes of units under greedy collection amplify as the closed form says for blocks of as many pages as they
/// hold units: reads of whole pages and padding cost next to nothing.
#[test]
fn units_amplify_as_pages_of_larger_blocks() {
    for (per_page, pages) in [(2, 32), (4, 16), (8, 16)] {
        let mut setup = Setup::plain(512, pages, 0.28);
        setup.geometry.page_size = ByteSize(512 * per_page);
        setup.ftl.mapping_unit = Some(ByteSize(512));
        setup.ftl.gc.pool = Pool::Drive;
        let mut ftl = setup.build_any().unwrap();
        let (user, units) = (ftl.user_pages(), *ftl.unit_geometry());
        let mut random = Random::new(setup.seed, "writes");
        let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
        for lpn in 0..user {
            functional.write(Lpn(lpn)).unwrap();
        }
        for _ in 0..3 * units.pages() {
            functional.write(Lpn(random.below(user))).unwrap();
        }
        functional.reset_counts();
        let before = functional.ftl().counters();
        let (mut free, writes) = (0.0, 4 * units.pages());
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
        let programs = functional.counts().pages_programmed() as f64;
        let measured = programs * per_page as f64 / writes as f64;
        let counters = functional.ftl().counters().since(&before);
        assert!(
            counters.padding.moved_units * 1000 < writes,
            "{} of {writes} units are padding",
            counters.padding.moved_units
        );
        let b = units.pages_per_block;
        let rho = beside_reserve(user, units.pages(), b, free / writes as f64, 1).unwrap();
        let expected = Cleaning::Greedy.write_amplification(b, rho).unwrap();
        assert!(
            (measured / expected - 1.0).abs() < 0.01,
            "{per_page} units a page: {measured} for {expected}"
        );
    }
}

/// Two handles write in turn, units of a quarter of a page: no page and no block has units of both, also after collection where they are kept apart; their counts are those of units.
#[test]
fn units_of_two_handles_share_no_page() {
    for in_step in [false, true] {
        let mut setup = Setup::plain(40, 8, 1.0);
        setup.geometry.page_size = ByteSize(8192);
        setup.ftl.mapping_unit = Some(ByteSize(2048));
        setup.ftl.placement.directive = "fdp".into();
        setup
            .ftl
            .placement
            .keys
            .set("handle_type", "persistently_isolated");
        if in_step {
            setup.geometry.planes_per_die = 2;
            setup.allocation.planes = Planes::InStep;
            setup.commands.multi_plane_write = Use::Wise;
        }
        let mut ftl = setup.build_any().unwrap();
        let (user, full) = (ftl.user_pages(), ftl.unit_geometry().full_bitmap());
        let handle = |lpn: u64| 1 + (lpn % 2) as u16;
        let mut run = Functional::new(&mut *ftl, FunctionalOptions::default());
        let mut random = Random::new(1, "pages");
        for _ in 0..6 * user {
            let lpn = random.below(user);
            let request = PageRequest {
                op: PageOp::Write,
                lpn: Lpn(lpn),
                pages: 1,
                bitmap: full,
                placement: handle(lpn),
                class: 0,
                command_sectors: full.count_ones(),
            };
            run.submit(&request).unwrap();
        }
        run.flush().unwrap();
        drop(run);
        assert!(ftl.counters().gc_moves > 0);
        let units = *ftl.unit_geometry();
        for block in (0..units.blocks()).map(BlockId) {
            let places = (0..units.pages_per_block).map(|page| units.page(block, page));
            let mut handles: Vec<u16> = places
                .filter_map(|place| ftl.owner(place))
                .map(|lpn| handle(lpn.0))
                .collect();
            handles.dedup();
            assert!(handles.len() <= 1, "{block:?} has {handles:?}");
        }
        let placed = ftl.placed_writes().unwrap().handles();
        let written: u64 = placed.iter().map(|(_, counted)| counted.host_pages).sum();
        assert_eq!((placed.len(), written), (2, 6 * user));
    }
}
