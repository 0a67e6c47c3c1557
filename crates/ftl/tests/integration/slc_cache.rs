//! The SLC cache: what the host reads is what it wrote, no block is filled beyond its mode, and what is counted is there.

use std::ops::Range;

use crate::common::contents::Done;
use crate::common::host::{Host, Options, Watched, cache_full_since};
use crate::common::setup::Setup;
use crate::common::work::{Commands, Random};
use proptest::prelude::*;
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions};
use wordline_ftl::{
    AgeConfig, AgeMethod, BlockRole, Cause, Extent, Lpn, Mapping, PageOp, PageRequest, RecoveryKind,
    SlcCacheConfig, Subjects, WhenFull, age,
};
use wordline_nand::{BlockId, CellType, Mode, Ppn, Use};
use wordline_units::{ByteSize, Seed};

/// A random drive with a cache that finds room.
fn setup(seed: u64, when_full: WhenFull, has_units: bool) -> Setup {
    let mut setup = Setup::random(seed);
    let mut random = Random::new(seed, "cache of blocks");
    setup.geometry.pages_per_block = random.pick(&[6, 12, 24]);
    if has_units && random.one_in(3) {
        setup.geometry.page_size = ByteSize(4096);
        setup.ftl.mapping_unit = Some(ByteSize(1024));
    }
    setup.with_cache(when_full)
}

fn run(ftl: &mut dyn Mapping, setup: &Setup) -> Done {
    let mut random = Random::new(setup.seed, "options");
    let options = Options {
        depth: random.pick(&[1, 4, 16]),
        failures: 0,
        unreadable: 0,
        multi_plane: setup.commands.multi_plane_write != Use::Off,
        trims: setup.ftl.trim.enabled,
    };
    let (user_pages, full) = (ftl.user_pages(), ftl.unit_geometry().full_bitmap());
    let count = 300 + 4 * ftl.unit_geometry().pages() as usize;
    let commands = Commands::new(setup.seed, user_pages, full).take(count);
    let mut watched = Watched(ftl, 0, 0);
    Host::new(&mut watched, &setup.restrictions, setup.seed, options).run(commands)
}

/// Blocks hold as many pages as their mode has; current data are in the cache or not as modes say.
fn check_blocks(setup: &Setup, ftl: &dyn Mapping) {
    let geometry = setup.geometry();
    let slc_pages = geometry.pages_per_block / setup.geometry.cell_type.bits();
    let per_page = ftl.unit_geometry().pages_per_program;
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        let mode = ftl.mode_of(geometry.page(block, 0));
        let written = (facts.valid + facts.invalid + facts.skipped) / per_page;
        match (facts.role, mode) {
            (BlockRole::Free, mode) => assert_eq!(mode, Mode::NORMAL),
            (_, Mode(1)) => assert!(written <= slc_pages, "{written} of {slc_pages}"),
            _ => {}
        }
    }
}

fn check_counts(ftl: &dyn Mapping, done: &Done) {
    let facts = ftl.counters();
    let programs = |cause| done.programs.get(&cause).copied().unwrap_or(0);
    assert_eq!(
        programs(Cause::Host),
        facts.slc.cached_pages + facts.slc.direct_pages
    );
    assert_eq!(programs(Cause::Fold), facts.slc.folded_pages);
    assert_eq!(programs(Cause::Gc), facts.gc_moves);
    assert_eq!(done.erases, facts.erases);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_cached_is_read_and_folded(seed: u64, folds: bool) {
        let setup = setup(seed, if folds { WhenFull::Fold } else { WhenFull::Direct }, false);
        let mut ftl = setup.build_any().unwrap();
        let done = run(&mut *ftl, &setup);
        check_counts(&*ftl, &done);
        check_blocks(&setup, &*ftl);
    }

    /// A drive that was saved goes on with the same blocks in the same modes.
    #[test]
    fn a_saved_cache_goes_on(seed: u64, method in 0_usize..3) {
        let setup = setup(seed, WhenFull::Direct, true);
        let method = [AgeMethod::Overwritten, AgeMethod::SteadyState, AgeMethod::Fresh][method];
        let config = AgeConfig { method, ..AgeConfig::default() };
        let mut ftl = setup.build_any().unwrap();
        if age(&mut *ftl, &config, setup.allocation.order, Seed(seed)).is_err() {
            return Err(TestCaseError::reject("too little spare space"));
        }
        let user = ftl.user_pages();
        let full = ftl.unit_geometry().full_bitmap();
        {
            let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
            for request in Commands::new(seed, user, full).take(200) {
                match functional.submit(&request) {
                    Err(FunctionalError::NoReclaimableSpace) => return Err(TestCaseError::reject("stuck")),
                    other => other.map(|_| ()).unwrap(),
                }
            }
            functional.finish_jobs().unwrap();
        }
        check_blocks(&setup, &*ftl);
        let now = ftl.latest();
        let mut file = Vec::new();
        ftl.archive(now, Extent::Content, &mut Archive::saving(&mut file)).unwrap();
        let mut again = setup.build_any().unwrap();
        again.archive(now, Extent::Content, &mut Archive::loading(&mut &file[..])).unwrap();
        for page in (0..setup.geometry().pages()).map(Ppn) {
            prop_assert_eq!(again.mode_of(page), ftl.mode_of(page));
        }
        for lpn in (0..user).map(Lpn) {
            prop_assert_eq!(again.lookup(lpn), ftl.lookup(lpn));
        }
        let mut functional = Functional::new(&mut *again, FunctionalOptions::default());
        for request in Commands::new(seed ^ 1, user, full).take(300) {
            match functional.submit(&request) {
                Err(FunctionalError::NoReclaimableSpace) => return Err(TestCaseError::reject("stuck")),
                other => other.map(|_| ()).unwrap(),
            }
        }
        check_blocks(&setup, &*again);
    }
}

/// A drive of which six blocks of nine pages are kept for the cache: 18 pages in SLC mode, of three pages each.
fn static_setup() -> Setup {
    let mut setup = Setup::plain(24, 9, 1.5);
    setup.geometry.cell_type = CellType::Tlc;
    setup.ftl.slc_cache = SlcCacheConfig {
        mode: Some("slc".to_owned()),
        static_blocks: 6,
        ..SlcCacheConfig::default()
    };
    setup
}

fn write_pages(ftl: &mut dyn Mapping, pages: Range<u64>) {
    let mut functional = Functional::new(ftl, FunctionalOptions::default());
    for lpn in pages {
        let request = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(lpn),
            pages: 1,
            bitmap: u64::MAX,
            placement: 0,
            class: 0,
            command_sectors: 8,
        };
        functional.submit(&request).unwrap();
    }
}

/// A mapping with records for recovery tells when its cache was full as the mapping itself does.
#[test]
fn when_the_cache_was_full() {
    for kind in [RecoveryKind::None, RecoveryKind::OobScan] {
        let mut setup = static_setup();
        setup.ftl.recovery.kind = kind;
        let mut ftl = setup.build_any().unwrap();
        write_pages(&mut *ftl, 0..18);
        assert_eq!(cache_full_since(&*ftl), None);
        write_pages(&mut *ftl, 18..19);
        assert!(cache_full_since(&*ftl).is_some(), "{kind:?}");
    }
}

/// The cache takes 18 pages, and no more.
#[test]
fn a_static_cache_takes_as_many_pages_as_its_blocks_have() {
    let mut ftl = static_setup().build_any().unwrap();
    write_pages(&mut *ftl, 0..30);
    let slc = ftl.counters().slc;
    assert_eq!((slc.cached_pages, slc.direct_pages), (18, 12));
    for lpn in 0..30 {
        let mode = ftl.mode_of(ftl.lookup(Lpn(lpn)).unwrap());
        assert_eq!(mode == Mode(1), lpn < 18);
    }
}
