//! Power cuts of drives whose steps are executed in any order.

use std::collections::BTreeSet;

use wordline_ftl::{BlockRole, FoundFlash, Mapping, PageRequest, RecoveryKind, Repair, Subjects, Work};
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::contents::{Contents, Done, Found};
use super::host::{Host, Options, Watched, superblocks};
use super::setup::Setup;
use super::work::{Commands, Random};

/// Every way in which a drive is built anew.
pub(crate) const KINDS: [RecoveryKind; 5] = [
    RecoveryKind::None,
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

fn options(setup: &Setup, failures: u32) -> Options {
    Options {
        depth: 6,
        failures,
        unreadable: 0,
        multi_plane: setup.commands.multi_plane_write != wordline_nand::Use::Off,
        trims: setup.ftl.trim.enabled,
    }
}

/// Serves commands until so many steps ended; what the flash holds then.
fn cut(
    setup: &Setup,
    ftl: &mut dyn Mapping,
    contents: Contents,
    commands: &mut impl Iterator<Item = PageRequest>,
    (steps, failures): (u64, u32),
) -> Contents {
    let mut watched = Watched(ftl, 0, 0);
    let mut host = Host::with(&mut watched, contents, setup.seed, options(setup, failures));
    while host.executor.ended() < steps && host.go_on(commands) {}
    let running = host.executor.running().iter();
    let erases = running.filter(|started| matches!(started.step.work, Work::Erase { .. }));
    let erases = erases.count() as u64;
    let mut contents = host.executor.cut();
    // J8 counts erases that came to their end
    contents.done.erases -= erases;
    contents.bad = marked_blocks(ftl, &contents.bad, setup.seed ^ steps);
    contents
}

/// The blocks that are bad.
fn bad_blocks(ftl: &dyn Mapping) -> impl Iterator<Item = BlockId> {
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    blocks.filter(|block| ftl.block(*block).role == BlockRole::Bad)
}

/// The bad blocks whose mark is on flash: those `known` that were marked before, and of the others those whose program was not cut off.
pub(crate) fn marked_blocks(ftl: &dyn Mapping, known: &BTreeSet<BlockId>, seed: u64) -> BTreeSet<BlockId> {
    let mut random = Random::new(seed, "marks");
    let is_marked = |block: &BlockId| known.contains(block) || !random.one_in(4);
    bad_blocks(ftl).filter(is_marked).collect()
}

/// An FTL from what is on the flash. Power fails again in the middle of the repair that `cut_in` names of those that recovery makes, until it names none.
fn recover(
    setup: &Setup,
    contents: &mut Contents,
    mut cut_in: impl FnMut(&[Repair]) -> Option<usize>,
) -> Box<dyn Mapping> {
    let by_ftl = setup.ftl.recovery.kind != RecoveryKind::None;
    loop {
        let mut ftl = setup.build_any().unwrap();
        let found = Found {
            contents: &*contents,
            by_ftl,
        };
        let recovery = ftl
            .recoverable_mut()
            .unwrap()
            .recover(SimTime::ZERO, &found)
            .unwrap();
        let geometry = ftl.geometry();
        for read in &recovery.reads {
            let passed = found.block(geometry.block_of(read.page)).passed;
            let is_there = geometry.page_in_block(read.page) < passed;
            assert!(is_there, "recovery reads an erased page: {read:?}");
        }
        let Some(done) = cut_in(&recovery.repairs) else {
            recovery.repairs.iter().for_each(|repair| contents.repair(repair));
            contents.recovered(&*ftl);
            return ftl;
        };
        let (whole, rest) = recovery.repairs.split_at(done);
        whole.iter().for_each(|repair| contents.repair(repair));
        contents.tear(&rest[0]);
    }
}

/// Whether so many blocks are bad that a drive would take no more writes.
pub(crate) fn is_worn_out(ftl: &dyn Mapping) -> bool {
    let per_block = u64::from(
        ftl.collected_space()
            .unwrap()
            .collected_geometry()
            .pages_per_block,
    );
    let needed = u64::from(ftl.collected_space().unwrap().least_blocks()) * per_block;
    (0..ftl.collected_space().unwrap().pools())
        .any(|pool| ftl.collected_space().unwrap().usable_pages(pool) < needed)
}

/// Cuts the power of a drive that serves so many commands as often as `cuts` says, each after so many further steps: what was done in all, and how often
/// power failed, while recovery repaired the flash too.
pub(crate) fn run(setup: &Setup, commands: usize, cuts: &[u64]) -> (Done, u64) {
    run_failing(setup, commands, cuts, 0)
}

/// As [`run`], where so many programs and erases fail at most before each cut.
pub(crate) fn run_failing(setup: &Setup, commands: usize, cuts: &[u64], failures: u32) -> (Done, u64) {
    let mut ftl = setup.build_any().unwrap();
    let mut again = Random::new(setup.seed, "again");
    let full = ftl.geometry().full_bitmap();
    let mut commands = Commands::new(setup.seed, ftl.user_pages(), full).take(commands);
    let mut contents = Contents::new(*ftl.geometry(), &setup.restrictions);
    contents.superblocks = superblocks(&*ftl);
    contents.bad = bad_blocks(&*ftl).collect();
    let mut count = 0;
    for steps in cuts {
        contents = cut(setup, &mut *ftl, contents, &mut commands, (*steps, failures));
        count += 1;
        ftl = recover(setup, &mut contents, |repairs| {
            let is_cut = again.one_in(2) && !repairs.is_empty();
            count += u64::from(is_cut);
            is_cut.then(|| again.below(repairs.len() as u64) as usize)
        });
        if failures > 0 && is_worn_out(&*ftl) {
            return (contents.done, count);
        }
    }
    let mut watched = Watched(&mut *ftl, 0, 0);
    let done = Host::with(&mut watched, contents, setup.seed, options(setup, 0)).run(commands);
    (done, count)
}

/// Cuts the power of a drive after each of these groups of commands, of the last one after so many steps, and then again in the middle of this repair of recovery: whether it makes so many.
pub(crate) fn cut_in_repair(setup: &Setup, groups: &[&[PageRequest]], steps: u64, repair: usize) -> bool {
    let mut ftl = setup.build_any().unwrap();
    let mut contents = Contents::new(*ftl.geometry(), &setup.restrictions);
    contents.superblocks = superblocks(&*ftl);
    let (mut at, mut is_made) = (Some(repair), false);
    for (number, group) in (1..).zip(groups) {
        let is_last = number == groups.len();
        let steps = if is_last { steps } else { u64::MAX };
        let mut commands = group.iter().copied();
        contents = cut(setup, &mut *ftl, contents, &mut commands, (steps, 0));
        ftl = recover(setup, &mut contents, |repairs| {
            let at = if is_last { at.take() } else { None };
            let at = at.filter(|at| *at < repairs.len());
            is_made |= at.is_some();
            at
        });
    }
    is_made
}
