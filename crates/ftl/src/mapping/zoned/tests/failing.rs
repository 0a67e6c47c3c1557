//! Zones whose programs and erases fail: by hand, and in any order.

use crate::contract::ZonedHost;
use std::collections::BTreeSet;

use proptest::prelude::*;
use wordline_nand::{BlockId, Medium, Ppn, Violation};
use wordline_units::{Duration, Seed, SimTime};

use super::{access, built, parts, request};
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Persist};
use crate::exec::any_order::{AnyOrder, AnyOrderOptions, Started, StepObserver};
use crate::mapping::checks::{check_pages_and_blocks, saved};
use crate::mapping::zoned::ZonedFtl;
use crate::plan::{Lpn, Outcome, Plan, Work};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::state::archive::{Archive, Extent};
use crate::zone::{AccessKind, ZoneAction, ZoneState};

const NOW: SimTime = SimTime::ZERO;

/// Writes the next page of a zone, whose program ends so; whether the host is told of a fault.
fn write(ftl: &mut ZonedFtl, lpn: u64, outcome: Outcome) -> Result<bool, Refusal> {
    ftl.admit(NOW, &access(AccessKind::Write, lpn, 1))?;
    let mut plan = Plan::new();
    assert_eq!(
        ftl.submit(NOW, &request(PageOp::Write, lpn), &mut plan),
        Answer::Accepted
    );
    let page = plan[0].work.planned_page();
    ftl.done(NOW, &plan[0], page, outcome, &mut Plan::new());
    Ok(ftl.take_write_fault())
}

/// Resets a zone, of whose erases the first ends so; whether the host is told of a fault.
fn reset(ftl: &mut ZonedFtl, zone: u64, first: Outcome) -> Result<bool, Refusal> {
    let start = zone * 32;
    ftl.admit(NOW, &access(AccessKind::Manage(ZoneAction::Reset), start, 1))?;
    let mut plan = Plan::new();
    ftl.submit(NOW, &request(PageOp::Zone(ZoneAction::Reset), start), &mut plan);
    let mut has_fault = false;
    for (at, step) in plan.iter().enumerate() {
        let outcome = if at == 0 { first } else { Outcome::Good };
        ftl.done(NOW, step, None, outcome, &mut Plan::new());
        has_fault |= ftl.take_write_fault();
    }
    Ok(has_fault)
}

/// The third page of a zone fails: the zone can be read from then on, and neither written nor reset.
#[test]
fn a_zone_whose_program_fails_can_be_read_only() {
    let mut ftl = built(&parts(""));
    assert_eq!(write(&mut ftl, 32, Outcome::Good), Ok(false));
    assert_eq!(write(&mut ftl, 33, Outcome::Good), Ok(false));
    // the command of two further pages has been admitted, of which one is on its way
    ftl.admit(NOW, &access(AccessKind::Write, 34, 1)).unwrap();
    ftl.admit(NOW, &access(AccessKind::Write, 35, 2)).unwrap();
    let mut plan = Plan::new();
    for lpn in [34, 35] {
        ftl.submit(NOW, &request(PageOp::Write, lpn), &mut plan);
    }
    let ends = [Outcome::Failed, Outcome::Good].map(|outcome| (outcome, plan.remove(0)));
    for (outcome, step) in ends {
        ftl.done(NOW, &step, step.work.planned_page(), outcome, &mut Plan::new());
        assert_eq!(ftl.take_write_fault(), outcome == Outcome::Failed);
    }
    assert_eq!(
        ftl.submit(NOW, &request(PageOp::Write, 36), &mut plan),
        Answer::Refused(Refusal::WriteFault)
    );
    assert_eq!(ftl.zones()[1].state, ZoneState::ReadOnly);
    assert_eq!(ftl.table.open_and_active(), (0, 0));
    assert_eq!(write(&mut ftl, 37, Outcome::Good), Err(Refusal::ZoneReadOnly));
    assert_eq!(reset(&mut ftl, 1, Outcome::Good), Err(Refusal::InvalidTransition));
    let mut read = |lpn| ftl.submit(NOW, &request(PageOp::Read, lpn), &mut Plan::new());
    assert_eq!(
        [32, 33, 34, 35, 36].map(&mut read),
        [
            Answer::Accepted,
            Answer::Accepted,
            Answer::Unmapped,
            Answer::Accepted,
            Answer::Unmapped
        ]
    );
    assert_eq!(check_pages_and_blocks(&ftl), [7; 4]);
    assert_eq!(ftl.counters().retired_blocks, 0);
}

/// Eight blocks in a plane for seven zones: the first that cannot be erased is replaced, with the second a zone goes offline.
#[test]
fn a_zone_without_blocks_goes_offline() {
    let mut ftl = built(&parts(""));
    for zone in [0, 1] {
        assert_eq!(write(&mut ftl, zone * 32, Outcome::Good), Ok(false));
    }
    assert_eq!(reset(&mut ftl, 0, Outcome::Failed), Ok(false));
    assert_eq!(ftl.zones()[0].state, ZoneState::Empty);
    assert_eq!(write(&mut ftl, 0, Outcome::Good), Ok(false));
    assert_eq!(reset(&mut ftl, 1, Outcome::Failed), Ok(true));
    assert_eq!(ftl.zones()[1].state, ZoneState::Offline);
    assert_eq!(write(&mut ftl, 32, Outcome::Good), Err(Refusal::ZoneOffline));
    assert_eq!(ftl.counters().retired_blocks, 2);
    let bad = (0..32).filter(|block| ftl.block(BlockId(*block)).role == BlockRole::Bad);
    assert_eq!(bad.count(), 2);
    // the others can all be written
    for zone in 2..7 {
        assert_eq!(write(&mut ftl, zone * 32, Outcome::Good), Ok(false));
    }
    check_pages_and_blocks(&ftl);
}

/// A zone is reset while its program is under way, which fails then: its command ends with a fault, the zone can be written, and the block is not erased for use.
#[test]
fn what_fails_after_a_reset_is_of_the_block_alone() {
    let mut ftl = built(&parts(""));
    ftl.admit(NOW, &access(AccessKind::Write, 0, 1)).unwrap();
    let mut plan = Plan::new();
    ftl.submit(NOW, &request(PageOp::Write, 0), &mut plan);
    ftl.admit(NOW, &access(AccessKind::Manage(ZoneAction::Reset), 0, 1))
        .unwrap();
    let page = plan[0].work.planned_page();
    ftl.done(NOW, &plan[0], page, Outcome::Failed, &mut Plan::new());
    assert!(ftl.take_write_fault());
    assert_eq!(ftl.zones()[0].state, ZoneState::Empty);
    let mut erases = Plan::new();
    ftl.submit(NOW, &request(PageOp::Zone(ZoneAction::Reset), 0), &mut erases);
    for step in &erases {
        ftl.done(NOW, step, None, Outcome::Good, &mut Plan::new());
    }
    assert_eq!(ftl.counters().retired_blocks, 1);
    assert_eq!(write(&mut ftl, 0, Outcome::Good), Ok(false));
    check_pages_and_blocks(&ftl);
}

/// What is on flash: pages whose programs were good, since the last erase of their block, and blocks that nobody may use.
struct Watch {
    medium: Medium,
    good: BTreeSet<Ppn>,
    failed: BTreeSet<Ppn>,
    bad: BTreeSet<BlockId>,
    geometry: wordline_nand::Geometry,
}

impl StepObserver for Watch {
    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        for started in steps {
            let block = match (started.step.work, started.bound) {
                (Work::Erase { block }, _) => block,
                (_, Some(bound)) => self.geometry.block_of(bound.page),
                _ => continue,
            };
            assert!(!self.bad.contains(&block), "{started:?}");
        }
        self.medium.started(steps)
    }

    fn ended(&mut self, ended: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        self.medium.ended(ended, outcome)?;
        match (ended.step.work, ended.bound, outcome) {
            (Work::Erase { block }, _, Outcome::Good) => {
                let geometry = self.geometry;
                let is_left = |page: &Ppn| geometry.block_of(*page) != block;
                self.good.retain(is_left);
                self.failed.retain(is_left);
            }
            (Work::Erase { block }, ..) => _ = self.bad.insert(block),
            (_, Some(bound), Outcome::Good) => _ = self.good.insert(bound.page),
            (_, Some(bound), _) => _ = self.failed.insert(bound.page),
            _ => {}
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 30 }))]

    /// Pages are found as long as their programs were good and their zone was not reset, bad blocks are left alone, and no command waits for ever.
    #[test]
    fn what_has_not_failed_is_found(seed in 1..u64::MAX, most_failures in 1_u32..12, limits in prop::sample::select(vec!["", ", max_open = 2, max_active = 3"])) {
        let parts = parts(&format!("zones = {{ blocks = 4{limits} }}"));
        let mut ftl = built(&parts);
        let geometry = *ftl.geometry();
        let options = AnyOrderOptions {
            seed: Seed(seed),
            aligned: false,
            fails_one_in: 30,
            most_failures,
            unreadable_one_in: 0,
            time_per_turn: Duration(1),
        };
        let watch = Watch { medium: parts.medium(), good: BTreeSet::new(), failed: BTreeSet::new(), bad: BTreeSet::new(), geometry };
        let mut run = AnyOrder::new(&mut ftl, options, watch);
        let mut drawn = 0;
        let mut draw = |below: u64| {
            drawn += 1;
            Seed(seed).draw("zones", drawn) % below
        };
        let mut waiting: Vec<PageRequest> = Vec::new();
        for turn in 0..700 {
            if turn < 600 {
                let zone = draw(7);
                let facts = run.ftl().zones()[zone as usize];
                let pages = 1 + draw(6);
                let (kind, lpn, op, pieces) = match draw(8) {
                    0..6 => (AccessKind::Write, facts.write_pointer.0, PageOp::Write, pages),
                    6 => (AccessKind::Read, facts.start.0 + draw(32), PageOp::Read, 1),
                    _ => (AccessKind::Manage(ZoneAction::Reset), facts.start.0, PageOp::Zone(ZoneAction::Reset), 1),
                };
                if let Ok(first) = run.admit(&access(kind, lpn, pages)) {
                    waiting.extend((first.0..first.0 + pieces).map(|lpn| request(op, lpn)));
                }
            }
            let mut still: Vec<PageRequest> = Vec::new();
            for piece in std::mem::take(&mut waiting) {
                let is_behind = still.iter().any(|other| other.lpn == piece.lpn);
                if is_behind || matches!(run.submit(&piece).unwrap(), Answer::Wait | Answer::WaitFor(_)) {
                    still.push(piece);
                }
            }
            waiting = still;
            for _ in 0..draw(12) {
                run.turn().unwrap();
            }
        }
        for _ in 0..2_000 {
            if waiting.is_empty() {
                break;
            }
            waiting.retain(|piece| matches!(run.submit(piece).unwrap(), Answer::Wait | Answer::WaitFor(_)));
            run.turn().unwrap();
        }
        prop_assert!(waiting.is_empty(), "{waiting:?}");
        run.drain().unwrap();
        let Watch { good, failed, bad, .. } = run.cut();
        check_pages_and_blocks(&ftl);
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            prop_assert!(ftl.lookup(lpn).is_none_or(|page| good.contains(&page) && !failed.contains(&page)));
        }
        let of_zones = good.iter().filter(|page| ftl.owner(**page).is_some()).count() as u64;
        prop_assert_eq!(of_zones, ftl.mapped_pages());
        for block in &bad {
            prop_assert_eq!(ftl.block(*block).role, BlockRole::Bad);
        }
        let is_lost = failed.iter().any(|page| ftl.block(geometry.block_of(*page)).role != BlockRole::Bad);
        let read_only = ftl.zones().iter().filter(|zone| zone.state == ZoneState::ReadOnly).count();
        prop_assert!(!is_lost || read_only > 0);
        // saved and loaded, it is the same
        let everything = saved(&mut ftl, NOW, Extent::Everything);
        let mut other = built(&parts);
        other.archive(NOW, Extent::Everything, &mut Archive::loading(&mut &everything[..])).unwrap();
        prop_assert_eq!(saved(&mut other, NOW, Extent::Everything), everything);
        prop_assert_eq!(other.zones(), ftl.zones());
        for page in (0..geometry.pages()).map(Ppn) {
            prop_assert_eq!(other.owner(page), ftl.owner(page));
        }
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            let [now, then] = [&ftl, &other].map(|ftl| {
                let mut plan = Plan::new();
                let answer = ftl.read(&request(PageOp::Read, lpn.0), &mut plan);
                (answer, plan)
            });
            prop_assert_eq!(now, then);
        }
    }
}
