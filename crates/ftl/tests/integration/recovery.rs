//! An FTL built anew from what a power cut left on the flash shows what was promised, and goes on from there.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wordline_ftl::{
    BlockRole, FoundBlock, FoundFlash, Ftl, Inspect, Mapping, PageFtl, PageRequest, SpareArea, Work,
};
use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use crate::common::contents::{Contents, Done, Found};
use crate::common::host::{Host, Options, Watched};
use crate::common::setup::Setup;
use crate::common::work::Commands;

fn options(setup: &Setup) -> Options {
    Options {
        depth: 6,
        failures: 0,
        unreadable: 0,
        multi_plane: setup.commands.multi_plane_write != wordline_nand::Use::Off,
        trims: setup.ftl.trim.enabled,
    }
}

/// Serves commands until so many steps ended; what the flash holds then.
fn cut(
    setup: &Setup,
    ftl: &mut PageFtl,
    contents: Contents,
    commands: &mut impl Iterator<Item = PageRequest>,
    steps: u64,
) -> Contents {
    let mut watched = Watched(ftl, 0);
    let mut host = Host::with(&mut watched, contents, setup.seed, options(setup));
    while host.executor.ended() < steps && host.go_on(commands) {}
    let running = host.executor.running().iter();
    let erases = running.filter(|started| matches!(started.step.work, Work::Erase { .. }));
    let erases = erases.count() as u64;
    let mut contents = host.executor.cut();
    // J8 counts erases that came to their end
    contents.done.erases -= erases;
    contents
}

/// An FTL from what is on the flash. Erase counts and marks of bad blocks are on it too: they are those that the FTL before knew.
fn recover(setup: &Setup, before: &PageFtl, contents: &mut Contents) -> PageFtl {
    let blocks = (0..before.geometry().blocks()).map(|block| {
        let facts = before.block(BlockId(block));
        (facts.erase_count, facts.role == BlockRole::Bad)
    });
    let blocks = blocks.collect();
    let mut ftl = setup.build().unwrap();
    let erased = ftl.recover(SimTime::ZERO, &Found { contents, blocks }).unwrap();
    contents.recovered(&ftl, &erased);
    ftl
}

/// Cuts the power of a drive that serves so many commands as often as `cuts` says, each after so many further steps.
fn run(setup: &Setup, commands: usize, cuts: &[u64]) -> Done {
    let mut ftl = setup.build().unwrap();
    let full = ftl.geometry().full_bitmap();
    let mut commands = Commands::new(setup.seed, ftl.user_pages(), full).take(commands);
    let mut contents = Contents::new(*ftl.geometry(), &setup.restrictions);
    for steps in cuts {
        contents = cut(setup, &mut ftl, contents, &mut commands, *steps);
        ftl = recover(setup, &ftl, &mut contents);
    }
    let mut watched = Watched(&mut ftl, 0);
    Host::with(&mut watched, contents, setup.seed, options(setup)).run(commands)
}

#[test]
fn a_cut_after_any_step_is_recovered_from() {
    let setup = Setup::plain(8, 8, 1.0);
    for steps in 0..600 {
        let done = run(&setup, 200, &[steps]);
        assert!(done.erases > 10, "{steps}: {done:?}");
    }
}

/// Nothing is on the flash.
struct Erased;

impl FoundFlash for Erased {
    fn block(&self, _block: BlockId) -> FoundBlock {
        FoundBlock {
            passed: 0,
            erases: 0,
            sequence: 0,
            bad: false,
        }
    }

    fn spare_area(&self, _page: Ppn) -> Option<SpareArea> {
        None
    }
}

/// Mappings of whole blocks, maps on flash and mapping units of another size than the page say that they cannot be built anew, and
/// what can.
#[test]
fn what_cannot_be_built_anew_is_refused_by_name() {
    let units = Setup::with_units(1);
    let others = [
        ("page", units.build_any()),
        ("page", Setup::with_large_units(1).build_any()),
        ("dftl", Setup::with_map_on_flash(1).build_any()),
    ];
    let of_blocks = (0..40).map(Setup::of_blocks);
    let of_blocks = of_blocks.map(|setup| (setup.ftl.mapping.name().to_owned(), setup.build_any()));
    let others = others.map(|(name, built)| (name.to_owned(), built));
    let mut seen = BTreeSet::new();
    for (name, built) in others.into_iter().chain(of_blocks) {
        let error = built
            .unwrap()
            .recover(SimTime::ZERO, &Erased)
            .unwrap_err()
            .to_string();
        let said = format!(
            "a drive with ftl.mapping = \"{name}\" and its ftl.mapping_unit cannot be built anew from its spare areas; \
             accepted is \"page\", with the page as unit"
        );
        assert_eq!(error, said);
        seen.insert(name);
    }
    assert_eq!(seen.len(), 8, "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_goes_on_after_cuts(seed: u64, cuts in prop::collection::vec(0.0..0.5, 1..6)) {
        let setup = Setup::random(seed);
        let commands = 3 * setup.geometry().pages();
        let cuts: Vec<u64> = cuts.iter().map(|share| (share * commands as f64) as u64).collect();
        run(&setup, commands as usize, &cuts);
    }
}
