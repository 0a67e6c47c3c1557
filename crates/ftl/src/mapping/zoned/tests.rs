//! J13 (FTL specification, 12) and the rules of the zoned namespace command set, against a model of zones that knows nothing of the FTL.

mod failing;
mod model;

use crate::contract::{Ageable, ZonedHost};
use proptest::prelude::*;
use wordline_nand::{BlockId, Medium, Ppn};
use wordline_units::{Duration, Seed, SimTime};

use super::ZonedFtl;
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Persist};
use crate::error::FtlError;
use crate::exec::any_order::{AnyOrder, AnyOrderOptions};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::checks::{Parts, check_pages_and_blocks, saved};
use crate::plan::Lpn;
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::state::archive::{Archive, ArchiveError, Extent};
use crate::zone::{AccessKind, HostAccess, ZoneAction, ZoneState};
use model::Zones;

/// All sub-pages of a page of [`Parts`].
const FULL: u64 = 0b1111;

/// Four planes of eight blocks of eight pages; 7 zones of 4 blocks, and what `keys` says.
fn parts(keys: &str) -> Parts {
    let mut parts = Parts::new("zoned", 4, 8);
    parts.geometry.pages_per_block = 8;
    parts.ftl.over_provisioning = 0.1;
    let keys: toml::Table = toml::from_str(keys).unwrap();
    for (key, value) in keys {
        parts.ftl.keys.set(&key, value);
    }
    parts
}

fn built(parts: &Parts) -> ZonedFtl {
    parts.try_build(|input, _| ZonedFtl::new(input)).unwrap()
}

fn request(op: PageOp, lpn: u64) -> PageRequest {
    PageRequest {
        op,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap: FULL,
        placement: 0,
        class: 0,
        command_sectors: 4,
    }
}

fn access(kind: AccessKind, lpn: u64, pages: u64) -> HostAccess {
    HostAccess {
        kind,
        lpn: Lpn(lpn),
        pages,
        head: 0,
        tail: 0,
    }
}

/// A zone from its first page to its reset, by hand: 32 pages in four planes.
#[test]
fn a_zone_is_written_side_by_side_and_reset_as_a_whole() {
    let parts = parts("");
    let mut ftl = built(&parts);
    assert_eq!(ftl.zones().len(), 7);
    assert_eq!(ftl.user_pages(), 7 * 32);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 32..64 {
        assert_eq!(run.write(Lpn(lpn)).unwrap(), Answer::Accepted);
    }
    assert_eq!(run.write(Lpn(32)).unwrap(), Answer::Refused(Refusal::ZoneFull));
    assert_eq!(run.read(Lpn(40)).unwrap(), Answer::Accepted);
    let geometry = *run.ftl().geometry();
    for lpn in 32..64_u64 {
        let page = run.ftl().lookup(Lpn(lpn)).unwrap();
        // page i of each of the four planes, before page i + 1 of any
        assert_eq!(page.0 % 8, (lpn - 32) / 4);
        assert_eq!(u64::from(geometry.plane_of(geometry.block_of(page)).0), lpn % 4);
    }
    assert_eq!(run.ftl().zones()[1].state, ZoneState::Full);
    assert_eq!(run.ftl().zones()[1].write_pointer, Lpn(64));
    let reset = request(PageOp::Zone(ZoneAction::Reset), 32);
    assert_eq!(run.submit(&reset).unwrap(), Answer::Accepted);
    assert_eq!(run.read(Lpn(40)).unwrap(), Answer::Unmapped);
    assert_eq!(run.ftl().zones()[1].state, ZoneState::Empty);
    assert_eq!(run.ftl().counters().erases, 4);
    assert_eq!(run.write(Lpn(32)).unwrap(), Answer::Accepted);
    drop(run);
    let free = check_pages_and_blocks(&ftl);
    assert_eq!(free, [7; 4]);
    // the blocks that were erased rest: those that never were go first
    let written = (0..32)
        .map(BlockId)
        .filter(|block| ftl.block(*block).role != BlockRole::Free);
    assert!(written.into_iter().all(|block| ftl.block(block).erase_count == 0));
    let totals = ftl.totals();
    assert_eq!((totals.writes, totals.resets, totals.refused), (33, 1, 1));
}

/// Size and capacity: pages between them can be neither written nor found.
#[test]
fn pages_behind_the_capacity_are_a_boundary() {
    let parts = parts("zones = { capacity = '60 KiB', size = '128 KiB' }");
    let mut ftl = built(&parts);
    assert_eq!(ftl.zones()[2].start, Lpn(128));
    let write =
        |ftl: &mut ZonedFtl, lpn, pages| ftl.admit(SimTime::ZERO, &access(AccessKind::Write, lpn, pages));
    assert_eq!(write(&mut ftl, 64, 31), Err(Refusal::ZoneBoundary));
    assert_eq!(write(&mut ftl, 64 + 30, 1), Err(Refusal::ZoneBoundary));
    assert_eq!(write(&mut ftl, 65, 1), Err(Refusal::InvalidWrite));
    assert_eq!(write(&mut ftl, 64, 30), Ok(Lpn(64)));
    assert_eq!(ftl.zones()[1].state, ZoneState::Full);
    assert_eq!(write(&mut ftl, 7 * 64, 1), Err(Refusal::OutOfRange));
    let append =
        |ftl: &mut ZonedFtl, lpn, pages| ftl.admit(SimTime::ZERO, &access(AccessKind::Append, lpn, pages));
    assert_eq!(append(&mut ftl, 1, 1), Err(Refusal::InvalidField));
    assert_eq!(append(&mut ftl, 0, 7), Ok(Lpn(0)));
    assert_eq!(append(&mut ftl, 0, 2), Ok(Lpn(7)));
    assert_eq!(append(&mut ftl, 0, 22), Err(Refusal::ZoneBoundary));
    let part = HostAccess {
        head: 1,
        tail: 0,
        ..access(AccessKind::Write, 9, 1)
    };
    assert_eq!(ftl.admit(SimTime::ZERO, &part), Err(Refusal::InvalidField));
}

/// What NVM Express says of each state, by hand: two zones may be open, three active.
#[test]
fn states_and_limits() {
    let parts = parts("zones = { max_open = 2, max_active = 3, read_only = [5], offline = [6] }");
    let mut ftl = built(&parts);
    let mut manage = |action, zone: u64| {
        ftl.admit(SimTime::ZERO, &access(AccessKind::Manage(action), zone * 32, 1))
            .err()
    };
    assert_eq!(manage(ZoneAction::Close, 0), Some(Refusal::InvalidTransition));
    assert_eq!(manage(ZoneAction::Open, 0), None);
    assert_eq!(manage(ZoneAction::Open, 1), None);
    // none that a write has opened can be closed for it
    assert_eq!(manage(ZoneAction::Open, 2), Some(Refusal::TooManyOpen));
    // nothing was written: it is empty again
    assert_eq!(manage(ZoneAction::Close, 1), None);
    for action in [
        ZoneAction::Open,
        ZoneAction::Close,
        ZoneAction::Finish,
        ZoneAction::Reset,
    ] {
        assert_eq!(manage(action, 5), Some(Refusal::InvalidTransition));
        assert_eq!(manage(action, 6), Some(Refusal::InvalidTransition));
    }
    let mut write = |zone: u64, at| {
        ftl.admit(SimTime::ZERO, &access(AccessKind::Write, zone * 32 + at, 1))
            .err()
    };
    assert_eq!(write(5, 0), Some(Refusal::ZoneReadOnly));
    assert_eq!(write(6, 0), Some(Refusal::ZoneOffline));
    assert_eq!(write(1, 0), None);
    // zone 1 is closed for it
    assert_eq!(write(2, 0), None);
    assert_eq!(write(3, 0), Some(Refusal::TooManyActive));
    assert_eq!(write(1, 1), None);
    let states: Vec<ZoneState> = ftl.zones().iter().map(|zone| zone.state).collect();
    use ZoneState::{Closed, Empty, ExplicitlyOpen, ImplicitlyOpen, Offline, ReadOnly};
    assert_eq!(
        states,
        [
            ExplicitlyOpen,
            ImplicitlyOpen,
            Closed,
            Empty,
            Empty,
            ReadOnly,
            Offline
        ]
    );
    assert_eq!(ftl.totals().implicit_closes, 2);
    let mut read = |lpn, pages| {
        ftl.admit(SimTime::ZERO, &access(AccessKind::Read, lpn, pages))
            .err()
    };
    assert_eq!(
        (read(5 * 32, 32), read(5 * 32, 33)),
        (None, Some(Refusal::ZoneOffline))
    );
    assert_eq!(
        ftl.admit(
            SimTime::ZERO,
            &access(AccessKind::Manage(ZoneAction::Finish), 64, 1)
        ),
        Ok(Lpn(64))
    );
    assert_eq!(ftl.zones()[2].state, ZoneState::Full);
    assert_eq!(ftl.totals().finished_pages, 31);
}

/// Pieces of a write whose zone was reset meanwhile are refused, and those of a new one are not taken for them.
#[test]
fn pieces_of_a_zone_that_was_reset_are_refused() {
    let parts = parts("");
    let mut ftl = built(&parts);
    let mut plan = Vec::new();
    ftl.admit(SimTime::ZERO, &access(AccessKind::Write, 0, 3))
        .unwrap();
    assert_eq!(
        ftl.submit(SimTime::ZERO, &request(PageOp::Write, 0), &mut plan),
        Answer::Accepted
    );
    ftl.admit(
        SimTime::ZERO,
        &access(AccessKind::Manage(ZoneAction::Reset), 0, 1),
    )
    .unwrap();
    ftl.admit(SimTime::ZERO, &access(AccessKind::Write, 0, 2))
        .unwrap();
    let refused = Answer::Refused(Refusal::InvalidWrite);
    let mut submit = |lpn| ftl.submit(SimTime::ZERO, &request(PageOp::Write, lpn), &mut Vec::new());
    assert_eq!(submit(1), refused);
    // its turn has not come
    assert_eq!(submit(1), Answer::WaitFor(Lpn(0)));
    assert_eq!(submit(0), Answer::Accepted);
    assert_eq!(submit(2), refused);
    assert_eq!(submit(1), Answer::Accepted);
    assert_eq!(submit(2), refused);
}

/// A host of zones with several commands under way.
struct Host<'a> {
    run: AnyOrder<'a, ZonedFtl, Medium>,
    zones: Zones,
    waiting: Vec<PageRequest>,
    state: u64,
}

impl Host<'_> {
    fn draw(&mut self, below: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.state) * u128::from(below)) >> 64) as u64
    }

    /// A random command, most of them allowed: what the drive answers is what the model says.
    fn command(&mut self) {
        let zone = self.draw(self.zones.count());
        let start = self.zones.start(zone);
        let pointer = self.zones.pointer(zone);
        let pages = 1 + self.draw(6);
        let (kind, lpn) = match self.draw(20) {
            0..9 => (AccessKind::Write, start + pointer),
            9..13 => (AccessKind::Append, start),
            13 => (AccessKind::Write, start + self.draw(33)),
            14 => (AccessKind::Read, start + self.draw(32)),
            15 => (AccessKind::Manage(ZoneAction::Open), start),
            16 => (AccessKind::Manage(ZoneAction::Close), start),
            17 => (AccessKind::Manage(ZoneAction::Finish), start),
            _ => (AccessKind::Manage(ZoneAction::Reset), start),
        };
        let access = access(kind, lpn, pages);
        let admitted = self.run.admit(&access);
        assert_eq!(admitted, self.zones.admit(&access), "{access:?}");
        let Ok(first) = admitted else { return };
        let pieces = match kind {
            AccessKind::Write | AccessKind::Append => pages,
            _ => 1,
        };
        let op = match kind {
            AccessKind::Read => PageOp::Read,
            AccessKind::Manage(action) => PageOp::Zone(action),
            _ => PageOp::Write,
        };
        self.waiting
            .extend((first.0..first.0 + pieces).map(|lpn| request(op, lpn)));
    }

    /// Hands the pieces over that wait, those of a page in their order.
    fn submit(&mut self) {
        let mut still = Vec::new();
        for piece in std::mem::take(&mut self.waiting) {
            let is_behind = still.iter().any(|other: &PageRequest| other.lpn == piece.lpn);
            if is_behind
                || matches!(
                    self.run.submit(&piece).unwrap(),
                    Answer::Wait | Answer::WaitFor(_)
                )
            {
                still.push(piece);
            }
        }
        self.waiting = still;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 60 }))]

    /// J13: write pointers grow until a reset, limits are respected, and the medium finds no rule broken, whatever the order in which steps end.
    #[test]
    fn zones_follow_the_model_in_any_order(
        seed in 1..u64::MAX,
        blocks in prop::sample::select(vec![1_u32, 2, 3, 4, 8]),
        limits in prop::sample::select(vec!["", ", max_open = 2", ", max_open = 1, max_active = 3", ", max_active = 2"]),
    ) {
        let parts = parts(&format!("zones = {{ blocks = {blocks}{limits} }}"));
        let mut ftl = built(&parts);
        let zones = Zones::new(ftl.layout);
        let options = AnyOrderOptions {
            seed: Seed(seed),
            aligned: false,
            fails_one_in: 0,
            most_failures: 0,
            unreadable_one_in: 0,
            time_per_turn: Duration(1),
        };
        let run = AnyOrder::new(&mut ftl, options, parts.medium());
        let mut host = Host { run, zones, waiting: Vec::new(), state: seed };
        for _ in 0..600 {
            host.command();
            host.submit();
            for _ in 0..host.draw(12) {
                host.run.turn().unwrap();
            }
        }
        while !host.waiting.is_empty() {
            host.submit();
            host.run.turn().unwrap();
        }
        host.run.drain().unwrap();
        let model = host.zones.clone();
        drop(host);
        check_pages_and_blocks(&ftl);
        prop_assert_eq!(ftl.zones(), model.facts());
        prop_assert!(ftl.table.open_and_active() == model.open_and_active());
        // all that was admitted and not reset is on flash
        for (number, zone) in (0..).zip(&model.zones) {
            let mapped = (0..model.size()).filter(|page| ftl.lookup(Lpn(model.start(number) + page)).is_some());
            prop_assert_eq!(mapped.count() as u64, zone.pointer);
        }
        // saved and loaded, it is the same
        let everything = saved(&mut ftl, SimTime::ZERO, Extent::Everything);
        let mut other = built(&parts);
        other.archive(SimTime::ZERO, Extent::Everything, &mut Archive::loading(&mut &everything[..])).unwrap();
        prop_assert_eq!(saved(&mut other, SimTime::ZERO, Extent::Everything), everything);
        prop_assert_eq!(other.zones(), ftl.zones());
        prop_assert_eq!(other.table.open_and_active(), ftl.table.open_and_active());
        for page in (0..ftl.geometry().pages()).map(Ppn) {
            prop_assert_eq!(other.owner(page), ftl.owner(page));
        }
    }
}

#[test]
fn a_drive_is_not_saved_while_a_write_is_under_way() {
    let parts = parts("");
    let mut ftl = built(&parts);
    ftl.admit(SimTime::ZERO, &access(AccessKind::Write, 0, 1))
        .unwrap();
    ftl.submit(SimTime::ZERO, &request(PageOp::Write, 0), &mut Vec::new());
    let mut bytes = Vec::new();
    let busy = ftl.archive(SimTime::ZERO, Extent::Content, &mut Archive::saving(&mut bytes));
    assert!(matches!(busy, Err(ArchiveError::Busy)));
}

/// A drive may have other limits than the one that was saved.
#[test]
fn more_open_zones_than_a_drive_may_have_are_refused() {
    let mut saved_drive = built(&parts(""));
    let mut run = Functional::observed(&mut saved_drive, FunctionalOptions::default(), ());
    for zone in [0, 1] {
        let first = 32 * zone;
        run.write(Lpn(first)).unwrap();
    }
    drop(run);
    let bytes = saved(&mut saved_drive, SimTime::ZERO, Extent::Content);
    let load = |limits: &str| {
        let mut from = &bytes[..];
        built(&parts(limits)).archive(SimTime::ZERO, Extent::Content, &mut Archive::loading(&mut from))
    };
    load("").unwrap();
    let error = load("zones = { max_open = 1 }").unwrap_err().to_string();
    assert!(error.contains("more zones open"), "{error}");
}

#[test]
fn keys_are_refused() {
    let refused = |keys: &str| -> FtlError {
        match parts(keys).try_build(|input, _| ZonedFtl::new(input)) {
            Ok(_) => panic!("{keys} is accepted"),
            Err(error) => error,
        }
    };
    for (keys, key) in [
        ("zones = { blocks = 0 }", "ftl.zones.blocks"),
        ("zones = { blocks = 6 }", "ftl.zones.blocks"),
        ("zones = { blocks = 32 }", "ftl.zones.blocks"),
        ("zones = { blocks = 65 }", "ftl.zones.blocks"),
        ("zones = { capacity = '1 KiB' }", "ftl.zones.capacity"),
        ("zones = { capacity = '66 KiB' }", "ftl.zones.capacity"),
        (
            "zones = { capacity = '64 KiB', size = '62 KiB' }",
            "ftl.zones.size",
        ),
        ("zones = { max_open = 0 }", "ftl.zones.max_open"),
        ("zones = { max_active = 0 }", "ftl.zones.max_active"),
        ("zones = { max_open = 3, max_active = 2 }", "ftl.zones.max_open"),
        ("zones = { read_only = [7] }", "ftl.zones.read_only"),
        ("zones = { read_only = [1], offline = [1] }", "ftl.zones.offline"),
    ] {
        let error = refused(keys);
        assert_eq!(error.key, key, "{keys}: {error}");
        assert!(!error.accepted.is_empty());
    }
}

/// Only the host writes zones.
#[test]
fn nothing_is_filled_from_outside() {
    let mut ftl = built(&parts(""));
    assert_eq!(ftl.check_filled(1).unwrap_err().key, "age.method");
    let filling = crate::space::Filling {
        block: BlockId(0),
        written: 1,
        frontier: crate::plan::Frontier(0),
        erase_count: 0,
        closed_order: 0,
    };
    assert!(ftl.consume_block(&filling).is_err());
}
