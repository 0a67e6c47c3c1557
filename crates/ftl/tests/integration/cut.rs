//! Power cuts after any number of steps: what was acknowledged is on the medium, torn pages are those that were being
//! programmed or erased, and the FTL maps none of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wordline_ftl::{Cause, GcFrontier, Lpn, Work};
use wordline_nand::{PageState, Ppn, Use};

use crate::common::contents::Done;
use crate::common::host::{Host, Options, Watched};
use crate::common::setup::Setup;
use crate::common::work::Commands;

/// Cuts a run of so many commands after `steps` steps, or where it ends before; whether it was cut, and what was done.
fn cut(setup: &Setup, commands: usize, steps: u64) -> (bool, Done) {
    let mut ftl = setup.build_any().unwrap();
    let geometry = setup.geometry();
    let mut commands = Commands::new(setup.seed, ftl.user_pages(), geometry.full_bitmap()).take(commands);
    let options = Options {
        depth: 6,
        failures: 0,
        unreadable: 0,
        multi_plane: setup.commands.multi_plane_write != Use::Off,
        trims: setup.ftl.trim.enabled,
    };
    let mut watched = Watched(&mut *ftl, 0, 0);
    let mut host = Host::new(&mut watched, &setup.restrictions, setup.seed, options);
    while host.executor.ended() < steps && host.go_on(&mut commands) {}
    let is_cut = host.executor.ended() == steps;
    let mut torn = BTreeSet::new();
    for started in host.executor.running() {
        match (started.bound, started.step.work) {
            (Some(bound), _) => _ = torn.insert(bound.page),
            (None, Work::Erase { block }) => {
                let pages = (0..geometry.pages_per_block).map(|page| geometry.page(block, page));
                let programmed =
                    |page: &Ppn| host.executor.observer().medium.page_state(*page) == PageState::Programmed;
                torn.extend(pages.filter(programmed));
            }
            _ => {}
        }
    }
    let contents = host.executor.cut();
    contents.check_nothing_lost(None);
    let found = (0..geometry.pages()).map(Ppn);
    let found = found.filter(|page| contents.medium.page_state(*page) == PageState::Torn);
    assert_eq!(found.collect::<BTreeSet<_>>(), torn);
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        if let Some(page) = ftl.lookup(lpn) {
            assert_eq!(contents.medium.page_state(page), PageState::Programmed, "{lpn:?}");
        }
    }
    (is_cut, contents.done)
}

#[test]
fn a_cut_after_any_step_loses_nothing_acknowledged() {
    for (frontier, copyback, planes) in [
        (GcFrontier::Shared, Use::Off, 1),
        (GcFrontier::Separate, Use::Wise, 1),
        (GcFrontier::Shared, Use::Blind, 2),
    ] {
        let mut setup = Setup::plain(8 / planes, 8, 1.0);
        setup.geometry.planes_per_die = planes;
        setup.ftl.gc.frontier = frontier;
        setup.commands.copyback = copyback;
        setup.commands.multi_plane_write = copyback;
        let mut steps = 0;
        let done = loop {
            let (is_cut, done) = cut(&setup, 200, steps);
            if !is_cut {
                break done;
            }
            steps += 1;
        };
        assert!(done.programs[&Cause::Gc] > 10 && done.erases > 10, "{done:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_of_any_drive_loses_nothing_acknowledged(seed: u64, share in 0.0..1.0) {
        let setup = Setup::random(seed);
        let commands = 3 * setup.geometry().pages();
        cut(&setup, commands as usize, (share * 1.2 * commands as f64) as u64);
    }

    #[test]
    fn a_cut_of_any_drive_with_its_map_on_flash_loses_nothing_acknowledged(seed: u64, share in 0.0..1.0) {
        let setup = Setup::with_map_on_flash(seed);
        let commands = 3 * setup.geometry().pages();
        cut(&setup, commands as usize, (share * 3.0 * commands as f64) as u64);
    }

    #[test]
    fn a_cut_of_any_drive_of_blocks_loses_nothing_acknowledged(seed: u64, share in 0.0..1.0) {
        let setup = Setup::of_blocks(seed);
        let commands = 3 * setup.geometry().pages();
        cut(&setup, commands as usize, (share * 3.0 * commands as f64) as u64);
    }
}
