//! Pages of deltas are programmed in the order of their block, and none again before its block is erased (G11).

use std::collections::HashMap;

use proptest::prelude::*;
use wordline_nand::{BlockId, PlaneId, Violation};
use wordline_units::SimTime;

use super::bytes::{Commands, give_watched};
use super::{any_drive, check, parts, try_build};
use crate::config::Pool;
use crate::contract::Ftl;
use crate::exec::any_order::{Started, StepObserver};
use crate::mapping::checks::Parts;
use crate::mapping::delta::steps::program;
use crate::mapping::delta::tasks::{Task, Why};
use crate::plan::HOST;
use crate::plan::{Bind, Cause, Outcome, Scope, Work};

/// The next page of each block that was programmed since its last erase, and whether it holds pages of deltas.
#[derive(Default)]
struct InOrder {
    pages_per_block: u64,
    user: u64,
    next: HashMap<BlockId, (u64, bool)>,
    /// Programs of pages of deltas, and erases of blocks that held some.
    programs: u64,
    erases: u64,
}

impl StepObserver for InOrder {
    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        for started in steps {
            let Some(bound) = started.bound else { continue };
            let block = BlockId((bound.page.0 / self.pages_per_block) as u32);
            let at = bound.page.0 % self.pages_per_block;
            let is_of_deltas = started.step.lpn.0 >= self.user;
            let (next, has_deltas) = self.next.entry(block).or_default();
            assert_eq!(at, *next + u64::from(bound.skipped), "G11: {started:?}");
            *next = at + 1;
            *has_deltas |= is_of_deltas;
            self.programs += u64::from(is_of_deltas);
        }
        Ok(())
    }

    fn ended(&mut self, step: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        if let (Work::Erase { block }, Outcome::Good) = (step.step.work, outcome) {
            let held = self.next.remove(&block);
            self.erases += u64::from(held.is_some_and(|(_, has_deltas)| has_deltas));
        }
        Ok(())
    }
}

fn work(parts: &Parts, seed: u64, number: u32, failures: u32) -> InOrder {
    let mut ftl = try_build(parts).unwrap();
    let observer = InOrder {
        pages_per_block: u64::from(parts.geometry.pages_per_block),
        user: ftl.user_pages(),
        ..InOrder::default()
    };
    let commands = Commands {
        seed,
        number,
        failures,
        parts_of_pages: true,
    };
    let found = give_watched(&mut ftl, &commands, observer);
    check(&ftl);
    found
}

#[test]
fn g11_blocks_of_deltas_are_filled_emptied_and_filled_again() {
    let parts = parts(
        24,
        "ratio = 0.3\ncounted_pages = 200\nscan_interval_writes = 400\nread_hot_threshold = 3\ngate = \"open\"",
    );
    let found = work(&parts, 5, 20_000, 0);
    let (programs, erases) = (found.programs, found.erases);
    assert!(
        programs > 100 && erases > 0,
        "{programs} programs, {erases} erases"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn g11_pages_of_deltas_are_programmed_in_order_and_once(
        mut parts in any_drive(&["no_split", "fractional"]),
        seed: u64,
        failures in prop::sample::select(&[0_u32, 3][..]),
    ) {
        if failures > 0 {
            parts.geometry.blocks_per_plane += 20;
            let gc = &mut parts.ftl.gc;
            gc.reserve_blocks = 5;
            (gc.hard, gc.low, gc.high) = (6.0, 6.0, 7.0);
        }
        work(&parts, seed, 1_500, failures);
    }
}

/// A pool of two planes has its reserve of two blocks left, one in each plane, when collection empties a block of deltas. There is an open block for pages in plane 1: a merge goes there, and leaves the free block
/// of plane 0 to deltas. Once that is open, deltas leave the other one to pages.
#[test]
fn pages_and_deltas_share_the_reserve_of_several_planes() {
    let mut parts = Parts::new("delta", 2, 20);
    super::set(&mut parts, "ratio = 0.4");
    parts.ftl.gc.pool = Pool::Die;
    let mut ftl = try_build(&parts).unwrap();
    ftl.log.put(SimTime::ZERO, 5, 100, 1);
    let delta = ftl.log.get(5).unwrap();
    let space = &mut ftl.data.space;
    for block in (0..19).chain(20..38) {
        space.activate(SimTime::ZERO, block / 20, HOST, block);
        space.close_early(block);
    }
    space.activate(SimTime::ZERO, 1, HOST, 38);
    assert_eq!((space.pools.len(), space.pools[0].free), (1, 2));
    let of_deltas = space.frontiers.of_own_pages();
    let merge = Task::Merge {
        lpn: 5,
        stamp: delta.stamp,
        pool: Some(0),
        why: Why::LogVictim,
    };
    let packed = Task::Program {
        log: delta.log,
        pool: Some(0),
        closed: 0,
        awaited_by: None,
        home: None,
    };
    let mut block_of = |task, plane, frontier| {
        let step = program((frontier, Scope::Drive), 1, Cause::Gc, 5, 0);
        match ftl.bind_own(SimTime::ZERO, &step, task, PlaneId(plane)) {
            Bind::Page(bound) => Some(bound.page.0 / 64),
            _ => None,
        }
    };
    assert_eq!([0, 1].map(|plane| block_of(merge, plane, HOST)), [None, Some(38)]);
    assert_eq!(
        [0, 1].map(|plane| block_of(packed, plane, of_deltas)),
        [Some(19), None]
    );
}
