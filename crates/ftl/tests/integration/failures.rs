//! Programs and erases that fail, in the functional mode: nothing is lost, and retired blocks are left alone.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use wordline_ftl::functional::{Functional, FunctionalOptions, Observer};
use wordline_ftl::{
    BlockRole, Bound, FailuresConfig, Inspect, Lpn, Mapping, SlcCacheConfig, Subjects, WhenFull,
    with_failures,
};
use wordline_nand::{BlockId, CellType, Geometry, Medium, Ppn, ProgramOrder, Violation, WordLines};
use wordline_units::{Seed, SimTime};

use crate::common::setup::Setup;
use crate::common::work::Commands;

/// The medium, which refuses what flash does not allow, and blocks that nobody may touch any more.
struct Watched {
    medium: Medium,
    geometry: Geometry,
    retired: Rc<RefCell<HashSet<BlockId>>>,
}

impl Watched {
    fn check(&self, block: BlockId) {
        assert!(!self.retired.borrow().contains(&block), "{block:?} was retired");
    }
}

impl Observer for Watched {
    fn read(&mut self, now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        Observer::read(&mut self.medium, now, page)
    }

    fn program(&mut self, now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.check(self.geometry.block_of(bound.page));
        Observer::program(&mut self.medium, now, bound)
    }

    fn copy_back(&mut self, now: SimTime, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.check(self.geometry.block_of(bound.page));
        Observer::copy_back(&mut self.medium, now, source, bound)
    }

    fn erase(&mut self, now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.check(block);
        Observer::erase(&mut self.medium, now, block)
    }
}

fn setup(seed: u64) -> Setup {
    let mut setup = match seed % 8 {
        4 => Setup::in_step(seed),
        5 => cached(Setup::random(seed), WhenFull::Fold),
        6 => cached(Setup::with_units(seed), WhenFull::Direct),
        7 => cached(Setup::random(seed), WhenFull::Direct),
        0 => Setup::random(seed),
        1 => Setup::with_units(seed),
        2 => Setup::striped(seed),
        _ => Setup::with_large_units(seed),
    };
    // enough blocks that some may be retired
    setup.geometry.blocks_per_plane += 40;
    setup.ftl.gc.reserve_blocks = setup.ftl.gc.reserve_blocks.max(2);
    setup
}

/// The same with an SLC cache.
fn cached(mut setup: Setup, when_full: WhenFull) -> Setup {
    setup.geometry.pages_per_block = setup.geometry.pages_per_block.max(6);
    setup.with_cache(when_full)
}

fn retired(ftl: &dyn Inspect) -> HashSet<BlockId> {
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    blocks
        .filter(|block| ftl.block(*block).role == BlockRole::Bad)
        .collect()
}

/// A drive whose programs and erases fail holds the same data as one whose do not, until it takes no more writes.
#[test]
fn failures_lose_nothing() {
    let (mut failed, mut ended) = (0, 0);
    for seed in 0..48 {
        let setup = setup(seed);
        let config = FailuresConfig {
            program: Some(if seed % 2 == 0 { 0.002 } else { 0.01 }),
            erase: Some(0.01),
            growth: 0.0,
            min_spare: 2,
            ..FailuresConfig::default()
        };
        // random watermarks may lie below the reserve of two blocks
        let Ok(mut plain) = setup.build_any() else {
            continue;
        };
        let Ok(mut failing) = with_failures(setup.build_any().unwrap(), &config, Seed(seed), None) else {
            continue;
        };
        let geometry = setup.geometry();
        let options = FunctionalOptions {
            order: setup.allocation.order,
            ..FunctionalOptions::default()
        };
        let known = Rc::new(RefCell::new(HashSet::new()));
        let watched = Watched {
            medium: Medium::new(&geometry, &setup.restrictions),
            geometry,
            retired: Rc::clone(&known),
        };
        let user = plain.user_pages();
        let full = plain.unit_geometry().full_bitmap();
        let mut stuck = false;
        let mut reference = Functional::new(&mut *plain, options);
        let mut drive = Functional::observed(&mut *failing, options, watched);
        for request in Commands::new(seed, user, full).take(4 * geometry.pages() as usize) {
            let answers = (reference.submit(&request), drive.submit(&request));
            // random victims may leave a small drive without space, with failures or without
            let (Ok(expected), Ok(found)) = answers else {
                stuck = true;
                break;
            };
            assert_eq!(expected, found, "seed {seed}");
            if drive.ftl().counters().retired_blocks != known.borrow().len() as u64 {
                *known.borrow_mut() = retired(drive.ftl());
            }
            if drive.ftl().read_only_since().is_some() {
                ended += 1;
                break;
            }
        }
        drop((reference, drive));
        if stuck {
            continue;
        }
        for lpn in (0..user).map(Lpn) {
            assert_eq!(
                failing.valid_sectors(lpn),
                plain.valid_sectors(lpn),
                "seed {seed}, {lpn:?}"
            );
        }
        let counters = failing.counters();
        failed += counters.failed_programs + counters.failed_erases;
        assert_eq!(counters.retired_blocks, retired(&*failing).len() as u64);
        assert_eq!(plain.counters().failed_programs, 0);
    }
    assert!(failed > 100, "{failed} failures are too few to say anything");
    assert!(ended > 3, "{ended} drives ended");
}

/// Merges whose targets fail go on with other blocks: a drive of whole blocks serves all writes until it is read-only, and mostly the one that is under way then.
#[test]
fn whole_blocks_that_fail_leave_a_drive_that_can_be_read() {
    let mut served_last = 0;
    for seed in 0..16 {
        let mut setup = Setup::plain(48, 16, 1.0);
        setup.ftl.mapping = "block".into();
        let gc = &mut setup.ftl.gc;
        gc.reserve_blocks = 4;
        (gc.hard, gc.low, gc.high) = (4.0, 4.0, 4.0 + (seed % 2) as f64);
        let config = FailuresConfig {
            program: Some(0.002),
            erase: Some(0.01),
            growth: 0.0,
            min_spare: 0,
            ..FailuresConfig::default()
        };
        let mut drive = with_failures(setup.build_any().unwrap(), &config, Seed(seed), None).unwrap();
        let user = drive.user_pages();
        let mut run = Functional::new(&mut *drive, FunctionalOptions::default());
        for number in 0.. {
            let served = run.write(Lpn(Seed(seed).draw("page", number) % user));
            if run.ftl().read_only_since().is_some() {
                served_last += usize::from(served.is_ok());
                break;
            }
            served.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        assert!(run.ftl().counters().retired_blocks >= 12, "seed {seed}");
    }
    assert!(served_last > 12, "{served_last}");
}

/// The share grows as the configuration says, and no further than to a hundredth.
#[test]
fn shares_grow_with_wear() {
    let config = |growth| FailuresConfig {
        cycles: 1_000,
        growth,
        ..FailuresConfig::default()
    };
    let shares =
        |growth: f64| [0, 500, 1_000, 2_000, 10_000].map(|erases| config(growth).probability(0.001, erases));
    assert_eq!(shares(0.0), [0.001; 5]);
    assert_eq!(shares(1.0), [0.0, 0.0005, 0.001, 0.002, 0.01]);
    assert_eq!(shares(2.0), [0.0, 0.00025, 0.001, 0.004, 0.01]);
}

#[test]
fn values_without_sense_are_refused() {
    let refused = |config: FailuresConfig| config.check(2).unwrap_err().to_string();
    let of = |change: fn(&mut FailuresConfig)| {
        let mut config = FailuresConfig::default();
        change(&mut config);
        refused(config)
    };
    assert_eq!(
        of(|config| config.program = Some(0.2)),
        "ftl.failures.program = 0.2: a share from 0 to 0.01"
    );
    assert_eq!(
        of(|config| config.erase = Some(-0.1)),
        "ftl.failures.erase = -0.1: a share from 0 to 0.01"
    );
    assert_eq!(
        of(|config| config.cycles = 0),
        "ftl.failures.cycles = 0: 1 and more"
    );
    assert_eq!(
        of(|config| config.growth = 21.0),
        "ftl.failures.growth = 21: a number from 0 to 20"
    );
    let one = FailuresConfig {
        erase: Some(0.01),
        ..FailuresConfig::default()
    };
    assert!(
        one.check(1)
            .unwrap_err()
            .to_string()
            .starts_with("ftl.gc.reserve_blocks = 1: at least 2")
    );
    assert!(one.check(2).is_ok() && FailuresConfig::default().check(1).is_ok());
    assert!(of(|config| config.growth = f64::NAN).starts_with("ftl.failures.growth = NaN"));
}

/// A drive that would be read-only from the start is refused.
#[test]
fn a_pool_needs_its_spare_blocks() {
    let setup = Setup::plain(64, 8, 0.5);
    let config = |min_spare| FailuresConfig {
        program: Some(0.01),
        min_spare,
        ..FailuresConfig::default()
    };
    let build = |min_spare| with_failures(setup.build_any().unwrap(), &config(min_spare), Seed(1), None);
    let least = setup
        .build_any()
        .unwrap()
        .collected_space()
        .unwrap()
        .least_blocks();
    let blocks = setup.geometry.blocks_per_plane;
    assert!(build(blocks - least).is_ok());
    let error = build(blocks - least + 1).err().unwrap().to_string();
    assert!(
        error.starts_with(&format!(
            "ftl.failures.min_spare = {}: at most {}",
            blocks - least + 1,
            blocks - least
        )),
        "{error}"
    );
}

/// Nothing fails, and nothing is wrapped, without shares.
#[test]
fn without_shares_the_mapping_is_what_it_was() {
    let setup = Setup::plain(16, 8, 0.5);
    let plain: Box<dyn Mapping> = setup.build_any().unwrap();
    let address = std::ptr::from_ref(&*plain).cast::<u8>();
    let same = with_failures(plain, &FailuresConfig::default(), Seed(1), None).unwrap();
    assert_eq!(std::ptr::from_ref(&*same).cast::<u8>(), address);
}

/// Where word lines are programmed as wholes, a program writes the cells of three pages: a third as many fail, and in the SLC cache, whose pages are programmed one by one, as
/// many as without.
#[test]
fn word_lines_fail_as_wholes() {
    let failed = |word_lines: Option<WordLines>, mut setup: Setup| {
        setup.ftl.gc.reserve_blocks = 2;
        setup.geometry.blocks_per_plane += 60;
        let config = FailuresConfig {
            program: Some(0.01),
            growth: 0.0,
            ..FailuresConfig::default()
        };
        let mut drive = with_failures(setup.build_any().unwrap(), &config, Seed(1), word_lines).unwrap();
        let mut run = Functional::new(&mut *drive, FunctionalOptions::default());
        for lpn in 0..2000 {
            run.write(Lpn(lpn)).unwrap();
        }
        drop(run);
        drive.counters().failed_programs
    };
    let lines = WordLines::new(ProgramOrder::OneShot, CellType::Tlc);
    let plain = || Setup::plain(600, 24, 1.0);
    let (pages, wholes) = (failed(None, plain()), failed(lines, plain()));
    assert!(pages > 15, "{pages}");
    assert!((2 * wholes..=4 * wholes).contains(&pages), "{wholes} of {pages}");
    let cached = || {
        let mut setup = plain();
        setup.geometry.cell_type = CellType::Tlc;
        setup.ftl.slc_cache = SlcCacheConfig {
            mode: Some("slc".to_owned()),
            dynamic_blocks: 255,
            ..SlcCacheConfig::default()
        };
        setup
    };
    let in_cache = failed(lines, cached());
    assert!(in_cache > 15, "{in_cache}");
    assert_eq!(failed(None, cached()), in_cache);
}
