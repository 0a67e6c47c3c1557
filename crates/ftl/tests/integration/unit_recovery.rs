//! A drive whose mapping units are not pages is built anew from what a power cut left on the flash, and goes on (FTL specification, 8.5: D1, D3 to D7). What
//! waits in page registers is gone; all that has reached the flash is found.

use proptest::prelude::*;
use wordline_ftl::{
    AllocationMode, Answer, Bind, BlockRole, Cause, Lpn, Mapping, Outcome, OwnPage, PageOp, PageRequest,
    Plan, Pool, RecoveryKind, Step, Subjects, WhenFull, Work, Written,
};
use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::{ByteSize, SimTime};

use crate::common::early_cuts::{cut_after_flushes, run_with_units as run};
use crate::common::setup::Setup;
use crate::common::unit_flash::DoneWithUnits;
use crate::common::work::Random;

const KINDS: [RecoveryKind; 4] = [
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

/// Those that go with units of several pages.
const OF_LARGE_UNITS: [RecoveryKind; 3] = [KINDS[0], KINDS[2], KINDS[3]];

/// Cuts after any number of steps of six drives; what was done.
fn cut_drives(setup: fn(u64) -> Setup, kind: RecoveryKind) -> DoneWithUnits {
    let mut all = DoneWithUnits::default();
    for seed in 0..6 {
        let setup = setup(seed).with_recovery(kind);
        let mut random = Random::new(seed, "cuts");
        let cuts: Vec<u64> = (0..5).map(|_| 50 + random.below(1_000)).collect();
        let done = run(&setup, &cuts);
        all.erases += done.erases;
        all.cuts += done.cuts;
        all.older += done.older;
        all.torn += done.torn;
        all.reads += done.reads;
        all.flushes += done.flushes;
        all.shared += done.shared;
        for (cause, count) in done.programs {
            *all.programs.entry(cause).or_default() += count;
        }
    }
    let reached = [all.erases, all.older, all.torn, all.flushes, all.reads];
    assert!(reached.iter().all(|count| *count > 5), "{kind:?}: {all:?}");
    all
}

/// Units of several pages: one of which a program was cut off does not count, and the place where it was before does.
#[test]
fn large_units_are_found_where_they_are_whole() {
    for kind in OF_LARGE_UNITS {
        cut_drives(Setup::with_large_units, kind);
    }
}

/// A block that is a page short is not made of whole units.
#[test]
fn summary_pages_do_not_go_with_large_units() {
    let mut setup = Setup::with_large_units(1);
    setup.ftl.recovery.kind = RecoveryKind::SummaryScan;
    let error = setup.build_any().err().unwrap().to_string();
    let accepted = "\"none\", \"oob_scan\", \"checkpoint_journal\", \"delayed\" with ftl.mapping = \"page\" and an ftl.mapping_unit that is larger than the page";
    assert!(
        error.contains("ftl.recovery.kind") && error.contains(accepted),
        "{error}"
    );
}

/// A summary page lists every unit of its block, or there is no room for it.
#[test]
fn summary_pages_have_room_for_the_units_of_a_block() {
    // 2 pages of 16 units of 512 B would take 10 B each of the third one, of 8 KiB; 127 pages take 20,320 B
    let mut setup = Setup::plain(40, 3, 1.0);
    setup.geometry.page_size = ByteSize(8_192);
    setup.ftl.mapping_unit = Some(ByteSize(512));
    setup.ftl.recovery.kind = RecoveryKind::SummaryScan;
    assert!(setup.build_any().is_ok());
    setup.geometry.pages_per_block = 128;
    let error = setup.build_any().err().unwrap().to_string();
    assert!(
        error.contains("a page (geometry.page_size) that lists the 2032 logical pages of a block: 10 B each"),
        "{error}"
    );
}

/// Units of parts of a page: those of several writes share one, and those that are moved out of several blocks.
#[test]
fn small_units_are_found_in_the_pages_that_they_share() {
    for kind in KINDS {
        let done = cut_drives(Setup::with_units, kind);
        assert!(done.shared > 300, "{kind:?}: {done:?}");
    }
}

/// The same where the planes of a die work in step, with units of a page and of parts of it.
#[test]
fn units_are_found_where_planes_work_in_step() {
    for kind in KINDS {
        cut_drives(Setup::in_step_to_recover, kind);
    }
}

/// The same with the map on flash.
#[test]
fn small_units_are_found_where_their_map_is_on_flash() {
    for kind in [RecoveryKind::OobScan, RecoveryKind::SummaryScan] {
        let done = cut_drives(Setup::with_units_on_flash, kind);
        assert!(done.programs[&Cause::Mapping] > 200, "{kind:?}: {done:?}");
    }
}

const fn request(op: PageOp, lpn: u64, bitmap: u64) -> PageRequest {
    PageRequest {
        op,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap,
        placement: 0,
        class: 0,
        command_sectors: bitmap.count_ones(),
    }
}

/// A page register has sub-page 1 of a unit, of which flash has sub-page 0. When that is trimmed, the unit is nowhere on flash; the write in the register has a lower number than
/// the TRIM, and is there after the next flush.
#[test]
fn a_trim_does_not_hide_what_a_page_register_has_of_the_unit() {
    let mut setup = Setup::plain(40, 8, 1.0);
    setup.geometry.page_size = ByteSize(2_048);
    setup.ftl.mapping_unit = Some(ByteSize(1_024));
    for kind in KINDS {
        let setup = setup.clone().with_recovery(kind);
        cut_after_flushes(
            &setup,
            &[
                &[request(PageOp::Write, 5, 0b01)],
                &[request(PageOp::Write, 5, 0b10), request(PageOp::Trim, 5, 0b01)],
            ],
            &[],
        );
    }
}

/// A unit has data of its first page at an old place, which was trimmed, and of its second one at a new place, and a checkpoint says only where that is. A unit register has the first page again
/// when the second one is trimmed, and the unit is nowhere on flash. After a cut that comes before the program of the register, the old place must not count for the first page.
#[test]
fn a_trim_hides_older_places_of_what_a_unit_register_has() {
    let mut setup = Setup::plain(40, 64, 1.0);
    setup.geometry.page_size = ByteSize(512);
    setup.ftl.mapping_unit = Some(ByteSize(1_024));
    setup.allocation.mode = AllocationMode::Static;
    setup.ftl.gc.pool = Pool::Plane;
    let [write, trim] = [PageOp::Write, PageOp::Trim].map(|op| move |lpn| request(op, lpn, 1));
    let whole_units: Vec<PageRequest> = (2..34).map(write).collect();
    // the records of 8 whole units fill a page of the journal, without a flush
    let mut last = vec![write(0), trim(1)];
    last.extend(&whole_units[..16]);
    for kind in [RecoveryKind::CheckpointJournal, RecoveryKind::Delayed] {
        let mut setup = setup.clone().with_recovery(kind);
        setup.ftl.recovery.record_bytes = 64;
        setup.ftl.recovery.checkpoint_interval = 16;
        cut_after_flushes(
            &setup,
            &[&[write(0)], &[trim(0)], &[write(1)], &whole_units],
            &last,
        );
    }
}

/// A drive of one plane, whose steps are executed one by one.
struct ByHand {
    ftl: Box<dyn Mapping>,
    /// Programs that wait.
    programs: Vec<Step>,
}

impl ByHand {
    /// The host writes a unit.
    fn write_unit(&mut self, first: u64, pages: u64) {
        for lpn in first..first + pages {
            let full = self.ftl.geometry().full_bitmap();
            let mut plan = Plan::new();
            let answer = self
                .ftl
                .submit(SimTime::ZERO, &request(PageOp::Write, lpn, full), &mut plan);
            assert_eq!(answer, Answer::Accepted);
            self.programs.extend(plan);
        }
    }

    /// Executes the oldest program: its page, and what it writes there.
    fn program(&mut self) -> (Ppn, Written) {
        let step = self.programs.remove(0);
        assert!(matches!(step.work, Work::Program { .. }), "{step:?}");
        let Bind::Page(bound) = self.ftl.bind(SimTime::ZERO, &step, PlaneId(0)) else {
            panic!("no page for {step:?}");
        };
        let written = self
            .ftl
            .recoverable()
            .unwrap()
            .written(&step, bound.page)
            .unwrap();
        let mut plan = Plan::new();
        self.ftl
            .done(SimTime::ZERO, &step, Some(bound.page), Outcome::Good, &mut plan);
        self.programs.extend(plan);
        (bound.page, written)
    }

    /// Flushes the changes of the map: the blocks that recovery must look at then.
    fn flush(&mut self) -> Vec<BlockId> {
        let mut plan = Plan::new();
        self.ftl.flush(SimTime::ZERO, &mut plan);
        self.programs.splice(0..0, plan);
        match self.program() {
            (_, Written::Own(OwnPage::Journal { unsettled, .. })) => unsettled.blocks,
            other => panic!("{other:?} is no page of the journal"),
        }
    }
}

/// The last unit of a block has begun there, and the block is closed, but the second program of the unit has not begun. Journal pages name the block until the unit is in one of them.
#[test]
fn a_block_is_looked_at_while_its_last_unit_has_pages_to_program() {
    let mut setup = Setup::plain(60, 4, 1.0);
    setup.geometry.page_size = ByteSize(2_048);
    setup.ftl.mapping_unit = Some(ByteSize(4_096));
    setup.allocation.mode = AllocationMode::Static;
    setup.ftl.gc.pool = Pool::Plane;
    for kind in [RecoveryKind::CheckpointJournal, RecoveryKind::Delayed] {
        let ftl = setup.clone().with_recovery(kind).build_any().unwrap();
        let programs = Vec::new();
        let mut drive = ByHand { ftl, programs };
        drive.write_unit(0, 2);
        drive.write_unit(2, 2);
        let (page, _) = drive.program();
        let block = drive.ftl.geometry().block_of(page);
        drive.program();
        drive.program();
        assert_eq!(drive.ftl.block(block).role, BlockRole::Closed);
        let last = drive.programs.remove(0);
        assert!(drive.flush().contains(&block));
        drive.write_unit(4, 2);
        drive.program();
        drive.program();
        assert!(
            drive.flush().contains(&block),
            "{kind:?}: its last unit is not in the journal"
        );
        drive.programs.insert(0, last);
        drive.program();
        assert!(
            drive.flush().contains(&block),
            "{kind:?}: this page seals the unit"
        );
        drive.write_unit(6, 2);
        drive.program();
        drive.program();
        assert!(
            !drive.flush().contains(&block),
            "{kind:?}: all of it is in the journal"
        );
    }
}

/// Page 644 had been trimmed, and its unit written anew without it. While a unit register had the page again, the other page of the unit was trimmed, and the unit was nowhere on flash. After
/// the next cuts an older place counted for page 644.
#[test]
fn trimmed_pages_of_large_units_stay_gone_after_three_cuts() {
    let setup = Setup::with_large_units(1_732_361_822_095_687_651).with_recovery(OF_LARGE_UNITS[1]);
    run(&setup, &[1_242, 1_928, 1_282]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_with_large_units_goes_on_after_cuts(seed: u64, kind in 0..OF_LARGE_UNITS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::with_large_units(seed).with_recovery(OF_LARGE_UNITS[kind]), &cuts);
    }

    #[test]
    fn any_drive_with_small_units_goes_on_after_cuts(seed: u64, kind in 0..KINDS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::with_units(seed).with_recovery(KINDS[kind]), &cuts);
    }

    #[test]
    fn any_drive_with_planes_in_step_goes_on_after_cuts(seed: u64, kind in 0..KINDS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::in_step_to_recover(seed).with_recovery(KINDS[kind]), &cuts);
    }

    #[test]
    fn any_drive_with_units_and_an_slc_cache_goes_on_after_cuts(seed: u64, size in 0..3_usize, kind in 0..OF_LARGE_UNITS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        let mut setup = [Setup::with_units, Setup::in_step_to_recover, Setup::with_large_units][size](seed);
        setup.geometry.pages_per_block = setup.geometry.pages_per_block.max(8).next_multiple_of(4);
        run(&setup.with_cache(WhenFull::Direct).with_recovery(OF_LARGE_UNITS[kind]), &cuts);
    }
}
