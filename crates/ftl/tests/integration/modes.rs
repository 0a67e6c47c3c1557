//! Modes of pages in the functional mode: any mapping, which decides nothing else than without modes.

use crate::common::setup::Setup;
use crate::common::work::Commands;
use proptest::prelude::*;
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions};
use wordline_ftl::mode::DescribedMode;
use wordline_ftl::{Cause, Extent, Lpn, Mapping, Subjects, with_modes};
use wordline_nand::{Medium, Mode};
use wordline_units::{Duration, SimTime};

/// A random drive of any mapping.
fn setup(seed: u64) -> Setup {
    match seed % 3 {
        0 => Setup::random(seed),
        1 => Setup::of_blocks(seed),
        _ => Setup::with_map_on_flash(seed),
    }
}

/// The drive with modes `a` and `b`; its host writes in `a`.
fn moded(setup: &Setup, copies: &str) -> Box<dyn Mapping> {
    let mut config = setup.ftl.modes.clone();
    config.policy = "fixed".into();
    config.keys.set("host", "a");
    copies.clone_into(&mut config.copies);
    with_modes(setup.build_any().unwrap(), &config, &names(2)).unwrap()
}

/// The normal mode, and so many of `a` and `b`.
fn names(count: usize) -> Vec<DescribedMode> {
    ["normal", "a", "b"][..=count]
        .iter()
        .map(|name| DescribedMode {
            name: (*name).to_owned(),
            program_time: Duration::from_us(500),
        })
        .collect()
}

/// Runs commands; pages moved, and when the run ended. None where random victims left no space.
fn run(setup: &Setup, seed: u64, ftl: &mut dyn Mapping) -> Option<(u64, SimTime)> {
    let (geometry, user) = (setup.geometry(), ftl.user_pages());
    let options = FunctionalOptions {
        order: setup.allocation.order,
        ..FunctionalOptions::default()
    };
    let medium = Medium::new(&geometry, &setup.restrictions);
    let mut functional = Functional::observed(ftl, options, medium);
    let count = 100 + 3 * geometry.pages() as usize;
    for request in Commands::new(seed, user, geometry.full_bitmap()).take(count) {
        match functional.submit(&request) {
            Err(FunctionalError::NoReclaimableSpace) => return None,
            other => other.unwrap(),
        };
    }
    functional.finish_jobs().unwrap();
    let causes = [Cause::Gc, Cause::Merge, Cause::Wear];
    let moved = causes.map(|cause| functional.counts().programmed[cause as usize]);
    Some((moved.iter().sum(), functional.now()))
}

/// Logical pages that are held in each mode.
fn held(ftl: &dyn Mapping) -> [u64; 3] {
    let mut held = [0; 3];
    for page in (0..ftl.user_pages()).filter_map(|lpn| ftl.lookup(Lpn(lpn))) {
        held[ftl.mode_of(page).index()] += 1;
    }
    held
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_in_the_mode_that_the_policy_says(seed: u64) {
        let setup = setup(seed);
        let mut plain = setup.build_any().unwrap();
        let Some((moved, now)) = run(&setup, seed, &mut *plain) else {
            return Err(TestCaseError::reject("stuck by random victims"));
        };
        for copies in ["preserve", "a", "b"] {
            let mut ftl = moded(&setup, copies);
            prop_assert_eq!(run(&setup, seed, &mut *ftl), Some((moved, now)));
            for lpn in (0..ftl.user_pages() + ftl.facts().own_pages).map(Lpn) {
                prop_assert_eq!(ftl.lookup(lpn), plain.lookup(lpn));
            }
            let [normal, a, b] = held(&*ftl);
            prop_assert_eq!(normal, 0);
            prop_assert_eq!(a + b, ftl.mapped_pages());
            prop_assert!(b == 0 || (copies == "b" && moved > 0));
            // pages of the mapping's own stay in the normal mode
            for lpn in (ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages).map(Lpn) {
                let mode = ftl.lookup(lpn).map_or(Mode::NORMAL, |page| ftl.mode_of(page));
                prop_assert_eq!(mode, Mode::NORMAL);
            }
        }
    }

    #[test]
    fn modes_are_saved_and_loaded(seed: u64) {
        let setup = setup(seed);
        let mut ftl = moded(&setup, "b");
        let Some((_, now)) = run(&setup, seed, &mut *ftl) else {
            return Err(TestCaseError::reject("stuck by random victims"));
        };
        let mut file = Vec::new();
        ftl.archive(now, Extent::Everything, &mut Archive::saving(&mut file)).unwrap();
        let mut again = moded(&setup, "b");
        again.archive(now, Extent::Everything, &mut Archive::loading(&mut &file[..])).unwrap();
        prop_assert_eq!(held(&*again), held(&*ftl));
        for page in (0..setup.geometry().pages()).map(wordline_nand::Ppn) {
            prop_assert_eq!(again.mode_of(page), ftl.mode_of(page));
        }
    }
}

/// A page copied by copy-back keeps the mode of its source, whatever is asked for copies.
#[test]
fn copy_backs_keep_their_modes() {
    let mut setup = Setup::plain(16, 8, 0.5);
    setup.commands.copyback = wordline_nand::Use::Blind;
    let mut ftl = moded(&setup, "b");
    let (moved, _) = run(&setup, 1, &mut *ftl).unwrap();
    let [normal, a, b] = held(&*ftl);
    assert_eq!((normal, b), (0, 0));
    assert!(a > 0 && moved > 0);
}

#[test]
fn names_that_a_drive_does_not_have_are_refused() {
    let setup = Setup::plain(16, 8, 0.5);
    let check = |policy: &'static str, key: &'static str, name: &str, copies: &str| {
        let mut config = setup.ftl.modes.clone();
        config.policy = policy.into();
        config.keys.set(key, name);
        copies.clone_into(&mut config.copies);
        wordline_ftl::check_modes(&config, &names(2)).map_err(|error| error.to_string())
    };
    assert_eq!(check("fixed", "host", "b", "preserve"), Ok(()));
    assert_eq!(check("by_temperature", "cold", "normal", "normal"), Ok(()));
    let refused = check("fixed", "host", "c", "normal").unwrap_err();
    assert!(
        refused.contains("ftl.modes.host") && refused.contains("\"a\" or \"b\""),
        "{refused}"
    );
    let refused = check("by_temperature", "hot", "c", "normal").unwrap_err();
    assert!(refused.contains("ftl.modes.hot"), "{refused}");
    let refused = check("normal", "host", "b", "c").unwrap_err();
    assert!(
        refused.contains("ftl.modes.copies") && refused.contains("\"preserve\""),
        "{refused}"
    );
}
