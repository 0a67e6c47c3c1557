//! Classes of blocks in the functional mode: writes find pages of the class that was promised to them, and all that is counted is there.

use crate::common::setup::Setup;
use crate::common::work::{Commands, Random};
use proptest::prelude::*;
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions, Observer};
use wordline_ftl::{
    AgeConfig, AgeMethod, Ageable, AllocationMode, BlockClasses, BlockRole, CollectedSpace, Extent, Ftl,
    Mapping, PageOp, PageRequest, Pool, Scope, Subjects, age,
};
use wordline_nand::{BlockId, Medium, PlaneId, Use};
use wordline_units::Seed;

const STRONG: u8 = 2;

/// A random drive with page-level mapping whose logical pages keep their planes.
fn setup(seed: u64) -> Setup {
    let mut setup = Setup::random(seed);
    setup.allocation.mode = AllocationMode::Static;
    setup.ftl.gc.pool = Pool::Plane;
    setup.ftl.hot.classifier = "none".into();
    setup.ftl.placement.directive = "none".into();
    setup.commands.copyback = Use::Off;
    setup.commands.multi_plane_write = Use::Off;
    while !setup
        .build()
        .is_ok_and(|ftl| ftl.check_filled(ftl.user_pages()).is_ok())
    {
        setup.geometry.blocks_per_plane += 4;
    }
    // an open block of each strong class beside the others
    setup.geometry.blocks_per_plane += u32::from(STRONG);
    setup
}

/// Free blocks by class.
fn free_blocks(ftl: &dyn Mapping, classes: &BlockClasses) -> [u32; STRONG as usize + 1] {
    let mut free = [0; STRONG as usize + 1];
    for block in 0..ftl.geometry().blocks() {
        if ftl.block(BlockId(block)).role == BlockRole::Free {
            free[usize::from(classes.of_block(block))] += 1;
        }
    }
    free
}

/// Writes that are promised no class open normal blocks as soon as there are any, then those of the slowest strong class: after endless
/// overwriting free blocks are of the fastest class but for normal ones of the last burst of collection, and the closed form begins there.
#[test]
fn free_blocks_are_strong_in_the_end() {
    let mut normal_shares = Vec::new();
    for method in [AgeMethod::Overwritten, AgeMethod::SteadyState] {
        let config = AgeConfig {
            method,
            ..AgeConfig::default()
        };
        let mut total = [0; STRONG as usize + 1];
        for seed in 0..60 {
            let mut setup = setup(seed);
            // so many that the free ones can all be of the fastest class
            setup.geometry.blocks_per_plane += 20;
            let classes = classes(&setup, seed);
            let mut ftl = setup.build_with_classes(Some(&classes)).unwrap();
            if age(&mut *ftl, &config, setup.allocation.order, Seed(seed)).is_err() {
                continue;
            }
            check_counts(&setup, &*ftl, &classes);
            for (total, free) in total.iter_mut().zip(free_blocks(&*ftl, &classes)) {
                *total += free;
            }
        }
        let all: u32 = total.iter().sum();
        assert!(2 * total[1] > all, "{method:?}: {total:?}");
        normal_shares.push(f64::from(total[0]) / f64::from(all));
    }
    // of all blocks three in five are normal
    assert!(
        normal_shares[0] < 0.3 && (normal_shares[0] - normal_shares[1]).abs() < 0.1,
        "{normal_shares:?}"
    );
}

/// The open blocks of strong classes count among those that data must leave.
#[test]
fn open_blocks_of_strong_classes_count() {
    let setup = setup(3);
    let classes = classes(&setup, 3);
    let (plain, strong) = (
        setup.build().unwrap(),
        setup.build_with_classes(Some(&classes)).unwrap(),
    );
    assert_eq!(
        strong.collected_space().unwrap().least_blocks(),
        plain.least_blocks() + u32::from(STRONG)
    );
    // the most pages that the check accepts are fewer by those of so many blocks
    let most = |ftl: &dyn Mapping| {
        let pages = (0..2 * ftl.geometry().pages()).rev();
        pages
            .into_iter()
            .find(|pages| ftl.ageable().unwrap().check_filled(*pages).is_ok())
            .unwrap()
    };
    let sure = u64::from(setup.geometry().pages_per_block) * u64::from(setup.geometry().planes());
    let missing = most(&plain) - most(&*strong);
    assert!(
        missing <= u64::from(STRONG) * sure && missing > u64::from(STRONG - 1) * sure / 2,
        "{missing}"
    );
}

/// Random classes: of ten blocks, two in each of the strong ones.
fn classes(setup: &Setup, seed: u64) -> BlockClasses {
    let mut random = Random::new(seed, "classes");
    let names = vec!["strongest".to_owned(), "strong".to_owned()];
    let of_block = (0..setup.geometry().blocks()).map(|_| [0, 0, 0, 1, 2][random.below(5) as usize]);
    BlockClasses::new(names, of_block.collect())
}

/// Free pages of a class in a plane: of free blocks, and of open ones.
fn recount(ftl: &dyn Mapping, classes: &BlockClasses, plane: PlaneId, class: u8) -> (u32, u32) {
    let geometry = *ftl.geometry();
    let first = plane.0 * geometry.blocks_per_plane;
    let blocks = first..first + geometry.blocks_per_plane;
    let (mut free, mut open) = (0, 0);
    for block in blocks.filter(|block| classes.of_block(*block) == class) {
        let facts = ftl.block(BlockId(block));
        match facts.role {
            BlockRole::Free => free += 1,
            BlockRole::Open => open += facts.free,
            BlockRole::Closed | BlockRole::Bad => {}
        }
    }
    (free, open)
}

/// What a plane offers of each strong class is there.
fn check_counts(setup: &Setup, ftl: &dyn Mapping, classes: &BlockClasses) {
    for plane in (0..ftl.geometry().planes()).map(PlaneId) {
        let space = ftl.collected_space().unwrap().clean_space(plane);
        let spare = space.free.saturating_sub(setup.ftl.gc.reserve_blocks);
        for class in 1..=STRONG {
            let (free, open) = recount(ftl, classes, plane, class);
            let offered = ftl.classed_blocks().unwrap().free_pages_of_class(plane, class);
            let whole = free.min(spare) * ftl.geometry().pages_per_block;
            assert!(
                offered <= whole + open,
                "{offered} of class {class} offered, {whole} and {open} there"
            );
            assert!(offered >= whole || space.free < setup.ftl.gc.reserve_blocks);
        }
    }
}

fn run<O: Observer>(
    (setup, classes): (&Setup, &BlockClasses),
    seed: u64,
    mut functional: Functional<'_, dyn Mapping, O>,
) -> Option<u64> {
    let (geometry, user) = (setup.geometry(), functional.ftl().user_pages());
    let mut random = Random::new(seed, "promises");
    let mut kept = 0;
    for request in Commands::new(seed, user, geometry.full_bitmap()).take(3 * geometry.pages() as usize) {
        let is_write = request.op == PageOp::Write;
        let class = if is_write { random.below(3) as u8 } else { 0 };
        let request = PageRequest { class, ..request };
        let Scope::Plane(plane) = functional.ftl().home(request.lpn) else {
            unreachable!("static allocation")
        };
        let before = functional
            .ftl()
            .classed_blocks()
            .unwrap()
            .free_pages_of_class(plane, class);
        let moves = functional.ftl().counters().gc_moves + functional.ftl().counters().erases;
        match functional.submit(&request) {
            Err(FunctionalError::NoReclaimableSpace) => return None,
            other => other.unwrap(),
        };
        let ftl = functional.ftl();
        let is_undisturbed = ftl.counters().gc_moves + ftl.counters().erases == moves;
        if class > 0 && before > 0 && is_undisturbed {
            let mode = ftl.mode_of(ftl.lookup(request.lpn).unwrap());
            assert_eq!(mode.index(), usize::from(class));
            kept += 1;
        }
    }
    functional.finish_jobs().unwrap();
    check_counts(setup, functional.ftl(), classes);
    Some(kept)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn promised_pages_are_of_their_class(seed: u64) {
        let setup = setup(seed);
        let classes = classes(&setup, seed);
        let mut ftl = setup.build_with_classes(Some(&classes)).unwrap();
        check_counts(&setup, &*ftl, &classes);
        let medium = Medium::new(&setup.geometry(), &setup.restrictions);
        let functional = Functional::observed(&mut *ftl, FunctionalOptions::default(), medium);
        let Some(kept) = run((&setup, &classes), seed, functional) else {
            return Err(TestCaseError::reject("stuck by random victims"));
        };
        prop_assert!(kept > 0);
        // each page is in the mode of its block
        for page in (0..setup.geometry().pages()).map(wordline_nand::Ppn) {
            let block = setup.geometry().block_of(page);
            prop_assert_eq!(ftl.mode_of(page).index(), usize::from(classes.of_block(block.0)));
        }
        // a drive whose blocks are of other classes goes on with the content
        let mut file = Vec::new();
        let now = ftl.latest();
        ftl.archive(now, Extent::Content, &mut Archive::saving(&mut file)).unwrap();
        let others = self::classes(&setup, seed ^ 1);
        let mut again = setup.build_with_classes(Some(&others)).unwrap();
        again.archive(now, Extent::Content, &mut Archive::loading(&mut &file[..])).unwrap();
        check_counts(&setup, &*again, &others);
        for lpn in (0..ftl.user_pages()).map(wordline_ftl::Lpn) {
            prop_assert_eq!(again.lookup(lpn), ftl.lookup(lpn));
        }
        run((&setup, &others), seed ^ 2, Functional::new(&mut *again, FunctionalOptions::default()));
    }

    /// Where no page is promised, strong blocks are written to only when the normal ones of the plane have no page.
    #[test]
    fn normal_blocks_are_written_first(seed: u64) {
        let setup = setup(seed);
        let classes = classes(&setup, seed);
        let mut ftl = setup.build_with_classes(Some(&classes)).unwrap();
        let medium = Medium::new(&setup.geometry(), &setup.restrictions);
        let mut functional = Functional::observed(&mut *ftl, FunctionalOptions::default(), medium);
        for lpn in (0..functional.ftl().user_pages()).map(wordline_ftl::Lpn) {
            functional.write(lpn).unwrap();
            let ftl = functional.ftl();
            let block = setup.geometry().block_of(ftl.lookup(lpn).unwrap());
            if ftl.counters().erases > 0 {
                break;
            }
            if classes.of_block(block.0) > 0 {
                let plane = setup.geometry().plane_of(block);
                prop_assert_eq!(recount(ftl, &classes, plane, 0), (0, 0));
                // the slowest strong class first
                if classes.of_block(block.0) == 1 {
                    prop_assert_eq!(recount(ftl, &classes, plane, 2), (0, 0));
                }
            }
        }
    }
}
