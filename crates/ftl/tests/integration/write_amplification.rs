//! Write amplification in the functional mode against the closed forms: the quick part. The
//! complete table is printed by `make trust`.

use crate::common::setup::Setup;
use crate::common::work::Random;
use wordline_ftl::ageing::{AgeConfig, AgeMethod, age};
use wordline_ftl::analytic::{Cleaning, beside_parity, beside_reserve};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{CollectedSpace, Ftl, Lpn, Pool, Subjects};
use wordline_nand::PlaneId;
use wordline_units::Seed;

/// Ages a drive, writes `warm` and then `measured` times its pages at random, and returns the
/// measured and the expected write amplification.
fn amplification(
    setup: &Setup,
    method: AgeMethod,
    cleaning: Cleaning,
    warm: f64,
    measured: f64,
) -> (f64, f64) {
    let mut ftl = setup.build().unwrap();
    let config = AgeConfig {
        method,
        ..AgeConfig::default()
    };
    let aged = age(&mut ftl, &config, setup.allocation.order, Seed(setup.seed)).unwrap();
    let (user, geometry) = (ftl.user_pages(), setup.geometry());
    let pools = ftl.pools();
    let mut random = Random::new(setup.seed, "writes");
    let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
    functional.advance_to(aged.now);
    for _ in 0..(warm * geometry.pages() as f64) as u64 {
        functional.write(Lpn(random.below(user))).unwrap();
    }
    functional.reset_counts();
    let mut free = 0.0;
    let writes = (measured * geometry.pages() as f64) as u64;
    for _ in 0..writes {
        free += (0..pools)
            .map(|pool| f64::from(functional.ftl().clean_space(PlaneId(pool)).free))
            .sum::<f64>();
        functional.write(Lpn(random.below(user))).unwrap();
    }
    let wa = functional.counts().write_amplification().unwrap();
    let rho = beside_reserve(
        user,
        geometry.pages(),
        geometry.pages_per_block,
        free / writes as f64,
        geometry.planes(),
    )
    .unwrap();
    (
        wa,
        cleaning
            .write_amplification(geometry.pages_per_block, rho)
            .unwrap(),
    )
}

fn drive(blocks: u32, b: u32, op: f64, victim: &'static str, d: u32) -> Setup {
    let mut setup = Setup::plain(blocks, b, op);
    setup.ftl.gc.victim = victim.into();
    setup.ftl.gc.keys.set("d", d);
    setup.ftl.gc.pool = Pool::Drive;
    setup
}

const POLICIES: [(&str, u32, Cleaning, f64); 6] = [
    ("greedy", 1, Cleaning::Greedy, 0.01),
    ("fifo", 1, Cleaning::Fifo, 0.01),
    ("d_choices", 10, Cleaning::DChoices(10), 0.01),
    ("d_choices", 5, Cleaning::DChoices(5), 0.01),
    ("d_choices", 2, Cleaning::DChoices(2), 0.015),
    ("random", 1, Cleaning::Random, 0.015),
];

/// 1024 blocks of 64 pages, OP 28 %.
#[test]
fn steady_state_amplifies_as_the_closed_form_says() {
    for (victim, d, cleaning, tolerance) in POLICIES {
        let setup = drive(1024, 64, 0.28, victim, d);
        let (wa, expected) = amplification(&setup, AgeMethod::SteadyState, cleaning, 0.5, 8.0);
        assert!(
            (wa / expected - 1.0).abs() < tolerance,
            "{cleaning:?}: {wa} for {expected}"
        );
    }
}

/// OP 7 %, where there is least room for error: the policies that users have.
#[test]
fn little_spare_space() {
    for (victim, d, cleaning, tolerance) in POLICIES.into_iter().take(3) {
        let setup = drive(1024, 64, 0.07, victim, d);
        let (wa, expected) = amplification(&setup, AgeMethod::SteadyState, cleaning, 0.5, 3.0);
        assert!(
            (wa / expected - 1.0).abs() < tolerance,
            "{cleaning:?}: {wa} for {expected}"
        );
    }
}

/// Planes that collect for themselves do not start in step: even a quarter of a drive-write after ageing
/// amplifies as the closed form says, whatever the watermarks.
#[test]
fn steady_state_holds_from_the_first_write_on() {
    for (hard, high) in [(2.0, 3.0), (3.0, 3.0), (2.0, 8.0)] {
        let mut setup = drive(128, 32, 0.28, "greedy", 1);
        setup.geometry.channels = 8;
        setup.geometry.planes_per_die = 4;
        setup.ftl.gc.pool = Pool::Plane;
        (setup.ftl.gc.hard, setup.ftl.gc.low, setup.ftl.gc.high) = (hard, high, high);
        let (wa, expected) = amplification(&setup, AgeMethod::SteadyState, Cleaning::Greedy, 0.0, 0.25);
        assert!(
            (wa / expected - 1.0).abs() < 0.025,
            "{hard}, {high}: {wa} for {expected}"
        );
    }
}

/// The same after real overwriting.
#[test]
fn overwritten_amplifies_as_the_closed_form_says() {
    for (victim, d, cleaning, tolerance) in POLICIES {
        let setup = drive(1024, 64, 0.28, victim, d);
        let (wa, expected) = amplification(&setup, AgeMethod::Overwritten, cleaning, 2.0, 8.0);
        assert!(
            (wa / expected - 1.0).abs() < tolerance,
            "{cleaning:?}: {wa} for {expected}"
        );
    }
}

/// J7: sequential overwriting of the whole drive copies nothing.
#[test]
fn sequential_overwriting_copies_nothing() {
    let mut ftl = Setup::plain(64, 16, 0.28).build().unwrap();
    let user = ftl.user_pages();
    let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..6 {
        if turn == 2 {
            functional.reset_counts();
        }
        for lpn in 0..user {
            functional.write(Lpn(lpn)).unwrap();
        }
    }
    assert_eq!(functional.counts().write_amplification(), Some(1.0));
}

/// The superblock effect (FTL specification, 9.4): with k blocks of 64 pages in a superblock greedy collection amplifies as with blocks of 64 k pages, here with 1,000
/// superblocks less 23, and monotonously in k.
#[test]
fn superblocks_amplify_as_blocks_of_their_size() {
    let targets = [(1, 2.4028), (2, 2.4412), (4, 2.4610), (8, 2.4711), (16, 2.4762)];
    let mut before = 0.0;
    for (members, published) in targets {
        let of_form = Cleaning::Greedy
            .write_amplification(64 * members, 1.0 / 1.28)
            .unwrap();
        assert!((of_form - published).abs() < 1e-4, "{members}: {of_form}");
        assert!(of_form > before);
        before = of_form;
        let (wa, expected, _) = of_superblocks(members, 1024, "none", 3.0);
        assert!(
            (wa / expected - 1.0).abs() < 0.01,
            "{members}: {wa} for {expected}"
        );
    }
}

/// Parity over eight blocks of 64 pages at OP 28 % (6.2): 4.7982 for pages of data, and an eighth of the media for parity, 5.4837.
#[test]
fn parity_amplifies_as_less_spare_space_does() {
    let rho = beside_parity(1.0 / 1.28, 8).unwrap();
    let of_form = Cleaning::Greedy.write_amplification(7 * 64, rho).unwrap();
    assert!(
        (of_form - 4.7982).abs() < 1e-4 && (of_form * 8.0 / 7.0 - 5.4837).abs() < 1e-4,
        "{of_form}"
    );
    let (wa, expected, total) = of_superblocks(8, 1024, "rotating", 3.0);
    assert!((wa / expected - 1.0).abs() < 0.01, "{wa} for {expected}");
    assert!((total / wa / (8.0 / 7.0) - 1.0).abs() < 1e-4, "{total} for {wa}");
}

/// The measured and the expected write amplification of pages with data, and that of all pages, of a drive of one group of superblocks, beside its reserve.
fn of_superblocks(
    members: u32,
    superblocks: u32,
    parity: &'static str,
    drive_writes: f64,
) -> (f64, f64, f64) {
    let mut setup = Setup::plain(superblocks, 64, 0.28);
    setup.geometry.channels = members;
    setup.ftl.mapping = "striped".into();
    setup.ftl.keys.set("span", "C");
    setup.ftl.keys.set("parity", parity);
    let mut ftl = setup.build_any().unwrap();
    let config = AgeConfig {
        method: AgeMethod::SteadyState,
        ..AgeConfig::default()
    };
    let aged = age(&mut *ftl, &config, setup.allocation.order, Seed(setup.seed)).unwrap();
    let (user, collected) = (
        ftl.user_pages(),
        *ftl.collected_space().unwrap().collected_geometry(),
    );
    let mut random = Random::new(setup.seed, "writes");
    let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
    functional.advance_to(aged.now);
    let mut free = 0.0;
    let writes = (drive_writes * collected.pages() as f64) as u64;
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
    let counts = functional.counts();
    let wa = counts.write_amplification().unwrap();
    let total = counts.programmed.iter().sum::<u64>() as f64 / counts.host_writes as f64;
    // open superblocks of the host and of collection
    let rho = beside_reserve(
        user,
        collected.pages(),
        collected.pages_per_block,
        free / writes as f64,
        2,
    )
    .unwrap();
    let expected = Cleaning::Greedy.write_amplification(collected.pages_per_block, rho);
    (wa, expected.unwrap(), total)
}
